// Failures as a person reads them.

/** A message as a sentence: with a capital at its start and a full stop at its end. */
export function sentence(message: string): string {
  const text = message.trim();
  if (text === "") return "Something went wrong.";
  const start = text[0].toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(start) ? start : `${start}.`;
}

/** What became of one of several items, by its code. */
const REASONS: Record<string, string> = {
  not_found: "it is not there any more",
  conflict: "it was changed by someone else",
  fixed_item: "it has to stay where it is",
  invalid_destination: "it cannot go there",
  name_unavailable: "its name does not open",
  key_unavailable: "its key does not open",
  decrypt_failed: "its content is damaged or was tampered with",
  row_mismatch: "the server gave the content of another file",
  network_error: "the server did not answer",
  rate_limited: "the server asks to wait",
  empty_file: "it is empty",
  too_large: "it is too large",
};

/** Why something was not done, as part of a sentence. */
export function reasonText(code: string): string {
  return REASONS[code] ?? `the server says ${code.replaceAll("_", " ")}`;
}
