// Search by name, in this page alone: what is searched for goes nowhere.

import type { Item, Tree } from "../../vault/owner/mod.ts";

/** Text in one spelling: capitals, accents that are composed or not, full-width letters count as the same. */
function plain(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}

/** What is outside the Bin and has all the words in its name; the whole vault, whatever folder is shown. */
export function search(tree: Tree, text: string): Item[] {
  const words = plain(text).split(/\s+/).filter(Boolean);
  const items: Item[] = [...tree.folders.values(), ...tree.files.values()];
  return items.filter((item) => {
    if (item.inBin || item.id === tree.binId || item.name === null) return false;
    const name = plain(item.name);
    return words.every((word) => name.includes(word));
  });
}
