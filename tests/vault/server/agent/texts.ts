// Other spellings of texts, which a strict reader refuses.

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Another text that a lenient decoder takes for the same 32 bytes: the last digit's unused bits differ. */
export function base64urlAlternative(text: string): string {
  const last = DIGITS.indexOf(text.at(-1)!);
  return text.slice(0, -1) + DIGITS[last + 1];
}
