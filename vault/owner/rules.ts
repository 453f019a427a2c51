// What the vault takes: how a name may look and how large a file may be. One rule for every name that is
// given, whoever gives it (vault spec, 6 and 14).

/** Bytes of content that a file may have (vault spec, 13). */
export const MAX_FILE_BYTES = 512 * 1024 * 1024;

const MAX_NAME_BYTES = 255;
/** Controls, line ends of Unicode, and marks that turn the direction of text (vault spec, 4). */
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/;
/** Marks without a width, which make two names look the same. */
const WITHOUT_WIDTH = /[\u200b-\u200f]/;

/** Why a name cannot be given to a file or folder; undefined when it can. */
export function nameFault(name: string): string | undefined {
  if (name.trim() === "") return "a name cannot be blank";
  if (name === "." || name === "..") return `a name cannot be ${name}`;
  if (/[/\\]/.test(name)) return "a name cannot have a slash or a backslash in it";
  if (HIDDEN.test(name) || WITHOUT_WIDTH.test(name)) {
    return "a name cannot have characters in it that do not show";
  }
  if (!name.isWellFormed()) return "a name has to be whole characters";
  if (new TextEncoder().encode(name).length > MAX_NAME_BYTES) {
    return `a name has at most ${MAX_NAME_BYTES} bytes`;
  }
}
