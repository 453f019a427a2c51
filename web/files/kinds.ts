// What is shown as what.

import type { Item } from "../../vault/owner/mod.ts";
import type { IconName } from "../components/mod.ts";

/** Types that a browser draws without running anything in them; drawings in SVG are left out. */
const IMAGES: Record<string, string> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
};
const TEXTS = new Set(
  "txt md markdown csv tsv json xml yaml yml toml ini log html css js ts py rs go java c h cpp sh sql srt conf"
    .split(" "),
);

function endingOf(name: string | null): string {
  return /\.([^.]+)$/.exec(name ?? "")?.[1].toLowerCase() ?? "";
}

/** The type of an image that may be shown; undefined for everything else. */
export function imageTypeOf(name: string | null): string | undefined {
  return IMAGES[endingOf(name)];
}

/** Whether a name is that of a text. */
export function isTextName(name: string | null): boolean {
  return TEXTS.has(endingOf(name));
}

/** The picture beside an item. */
export function iconOf(item: Item): IconName {
  if (item.kind === "folder") return item.role === "bin" ? "bin" : "folder";
  return imageTypeOf(item.name) === undefined ? "file" : "image";
}
