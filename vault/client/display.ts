// Names and media types as they may be shown: a person or a model must not be fooled by what does not show,
// or by text that runs backwards. The exact name is kept beside, for whoever seals it again (vault spec, 4).

const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;
const REPLACEMENT = "\ufffd";
/** Characters (UTF-16 units) of a name that are shown. */
const LONGEST_NAME = 255;
const LONGEST_TYPE = 100;

function filtered(text: string): string {
  return text.replace(HIDDEN, REPLACEMENT);
}

/** The first units of a text, never half a character. */
function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const unit = text.charCodeAt(longest - 1);
  return text.slice(0, unit >= 0xd800 && unit <= 0xdbff ? longest - 1 : longest);
}

/** A name to be shown: without characters that do not show, and at most 255 long, with `…` behind. */
export function displayName(name: string): string {
  const text = filtered(name);
  const shown = cut(text, LONGEST_NAME);
  return shown === text ? text : `${shown}…`;
}

/** A media type to be shown, its first 100 characters. */
export function displayType(type: string): string {
  return cut(filtered(type), LONGEST_TYPE);
}
