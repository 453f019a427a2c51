// A small messy home folder for the demo and for the transcripts in README: true copies under other
// names, a file that differs from them in its last byte only, a second name for one file, a big old
// archive, a two-year-old PDF, a short text, and a link that leads outside. The bytes are the same on every
// run.

import { createHash } from "node:crypto";

const DAY = 86_400_000;

/** The one file in the home that is text. */
export const NOTE = {
  name: "recovery codes.txt",
  text: "Recovery codes of the mail account\n\n4821-0937\n7730-1164\n2209-5581\n",
};

/** What is at one path, in every respect that a move away and back could spoil. */
export interface Fingerprint {
  kind: "file" | "folder" | "link";
  /** SHA-256 of the content, or where a link leads. */
  content: string;
  size: number;
  mode: number;
  /** Milliseconds since 1970; 0 for a folder, whose time its entries move. */
  modified: number;
}

/**
 * Fills `folder`, which must not exist, and puts the file that the link leads to into `outside`.
 *
 * @param now milliseconds since 1970, from which the ages are counted.
 */
export function plantHome(folder: string, outside: string, now: number): void {
  const photo = noise("photo", 2_400_000);
  const decoy = photo.slice();
  decoy[decoy.length - 1] ^= 1;
  const thesis = noise("thesis", 412_000);
  const put = (name: string, bytes: Uint8Array, days: number) =>
    write(`${folder}/${name}`, bytes, now - days * DAY);

  put("Documents/thesis.docx", thesis, 40);
  put("Documents/insurance.pdf", noise("insurance", 240_000), 731);
  put(`Documents/${NOTE.name}`, new TextEncoder().encode(NOTE.text), 60);
  put("Downloads/thesis (1).docx", thesis, 12);
  put("Downloads/disk-image-2019.zip", noise("archive", 12_000_000), 2400);
  put("Downloads/shared.jpg", photo, 3);
  put("Pictures/IMG_0412.jpg", photo, 200);
  put("Pictures/IMG_0413.jpg", decoy, 200);
  put("Pictures/phone/2025-04-12 10.31.02.jpg", photo, 90);
  Deno.linkSync(`${folder}/Pictures/IMG_0412.jpg`, `${folder}/Pictures/favourite.jpg`);

  write(`${outside}/letter.txt`, new TextEncoder().encode("Not yours to tidy.\n"), now - DAY);
  Deno.symlinkSync(`${outside}/letter.txt`, `${folder}/Documents/letter.txt`);
}

/** Bytes that look random and are the same for the same seed, of any length. */
function noise(seed: string, length: number): Uint8Array {
  return new Uint8Array(createHash("shake256", { outputLength: length }).update(seed).digest());
}

function write(path: string, bytes: Uint8Array, modified: number): void {
  Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  Deno.writeFileSync(path, bytes, { mode: 0o644 });
  const time = new Date(modified);
  Deno.utimeSync(path, time, time);
}

/** Every entry below a folder by its relative path, without the program's own trash folder. */
export function fingerprint(folder: string): Map<string, Fingerprint> {
  const found = new Map<string, Fingerprint>();
  const visit = (relative: string) => {
    const names = [...Deno.readDirSync(`${folder}/${relative}`)].map((entry) => entry.name).sort();
    for (const name of names) {
      const path = relative + name;
      if (name === ".shieldfive-mcp-trash") continue;
      const print = printOf(`${folder}/${path}`);
      found.set(path, print);
      if (print.kind === "folder") visit(path + "/");
    }
  };
  visit("");
  return found;
}

function printOf(path: string): Fingerprint {
  const info = Deno.lstatSync(path);
  const mode = info.mode ?? 0;
  if (info.isSymlink) {
    return { kind: "link", content: Deno.readLinkSync(path), size: 0, mode: 0, modified: 0 };
  }
  if (info.isDirectory) return { kind: "folder", content: "", size: 0, mode, modified: 0 };
  const content = createHash("sha256").update(Deno.readFileSync(path)).digest("hex");
  return { kind: "file", content, size: info.size, mode, modified: info.mtime?.getTime() ?? 0 };
}

/** The paths at which two folders differ, each with what is different, in words. */
export function differences(
  before: Map<string, Fingerprint>,
  after: Map<string, Fingerprint>,
): string[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths.flatMap((path) => {
    const [left, right] = [before.get(path), after.get(path)];
    if (left === undefined) return [`${path} was not there before`];
    if (right === undefined) return [`${path} is gone`];
    const keys = Object.keys(left) as (keyof Fingerprint)[];
    return keys.filter((key) => left[key] !== right[key])
      .map((key) => `${path}: its ${key} was ${left[key]} and is ${right[key]}`);
  });
}
