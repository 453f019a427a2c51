// Long text in lines.

/**
 * The text broken at spaces into lines of at most so many columns; a longer word stands alone.
 *
 * @param widthOf columns of a text; by default its length, which is right for plain text.
 */
export function wrap(
  text: string,
  columns: number,
  widthOf: (text: string) => number = (text) => text.length,
): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && widthOf(line) + 1 + widthOf(word) > columns) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
