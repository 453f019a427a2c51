// A file's text on its way to a model: between two tags that nothing in the file can close, since they
// carry random letters that are not in it (vault spec, 8).

const TAG = "untrusted-file-content";

/** Tags for a text: 128 random bits, drawn again where the text has them already. */
export function fenced(
  body: string,
  draw = () => crypto.getRandomValues(new Uint8Array(16)),
): string {
  let mark: string;
  do {
    mark = `sf-${draw().toHex()}`;
  } while (body.includes(mark));
  return `<${TAG} fence="${mark}">\n${body}\n</${TAG} fence="${mark}">`;
}

/** The text between the tags. */
export function unfenced(block: string): string {
  return block.slice(block.indexOf("\n") + 1, block.lastIndexOf("\n"));
}
