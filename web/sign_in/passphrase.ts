// What a passphrase has to be. The vault is as safe as it is hard to guess, at a second or so a guess.

/** The fewest characters of a passphrase. */
export const LEAST_CHARACTERS = 12;
/** So few different ones are a pattern. */
const LEAST_DIFFERENT = 5;

/** What is wrong with a new passphrase; undefined when nothing is. */
export function passphraseFault(passphrase: string): string | undefined {
  const characters = [...passphrase.normalize("NFC")];
  if (characters.length < LEAST_CHARACTERS) {
    return `Use ${LEAST_CHARACTERS} characters or more; this has ${characters.length}.`;
  }
  if (new Set(characters).size < LEAST_DIFFERENT) {
    return "This repeats the same few characters. Use several unrelated words.";
  }
}

/** What is wrong with how it was typed again. */
export function repeatFault(passphrase: string, repeated: string): string | undefined {
  if (repeated !== passphrase) return "This is not the same as above.";
}
