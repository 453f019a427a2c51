// The small messy folder that the checks of the local tools work on: copies under other names, a file
// that differs from them in its last byte only, a second name for one file, one large and one old file.

import { dirname } from "node:path";
import { differences, type Fingerprint, fingerprint } from "../home.ts";
import { expect, expectEqual, expectMatch } from "./check.ts";
import type { Finished, Subject } from "./subject.ts";

const DAY = 86_400_000;

/** Bytes of the one large file. */
export const LARGE = 2_000_000;

/** The groups of equal content in the tree, each with its names in order, one for each file. */
export const COPIES = [
  ["docs/thesis.docx", "downloads/thesis (1).docx"],
  ["pictures/photo é文.jpg", "pictures/phone/IMG 1.jpg"],
];

/** Plants the tree in a new folder and gives the folder. */
export function plantTree(subject: Subject): string {
  const folder = subject.folder();
  const photo = new Uint8Array(70_000).fill(7);
  const almost = photo.slice();
  almost[almost.length - 1] ^= 1;
  const thesis = new Uint8Array(5_000).fill(9);
  const put = (name: string, bytes: Uint8Array, days: number) => {
    const path = `${folder}/${name}`;
    Deno.mkdirSync(dirname(path), { recursive: true });
    Deno.writeFileSync(path, bytes);
    const time = new Date(Date.now() - days * DAY);
    Deno.utimeSync(path, time, time);
  };
  put("docs/thesis.docx", thesis, 40);
  put("docs/insurance.pdf", new Uint8Array(3_000).fill(1), 731);
  put("downloads/thesis (1).docx", thesis, 12);
  put("downloads/image.iso", new Uint8Array(LARGE).fill(2), 20);
  put("pictures/photo é文.jpg", photo, 200);
  put("pictures/almost.jpg", almost, 200);
  put("pictures/phone/IMG 1.jpg", photo, 90);
  Deno.linkSync(`${folder}/pictures/photo é文.jpg`, `${folder}/pictures/favourite.jpg`);
  return folder;
}

/** The files of a tree by their path, with their sizes. */
export function filesOf(folder: string): Map<string, number> {
  const files = [...fingerprint(folder)].filter(([, print]) => print.kind === "file");
  return new Map(files.map(([path, print]) => [`${folder}/${path}`, print.size]));
}

/** @throws Unexpected unless every file and folder is as it was: bytes, size, mode and time. */
export function expectUnchanged(before: Map<string, Fingerprint>, folder: string): void {
  expectEqual("differences on disk", differences(before, fingerprint(folder)), []);
}

/**
 * @throws Unexpected unless the run ended with the code, and stderr holds what belongs there: warnings
 * alone when all went well, and the reason when not.
 */
export function expectEnded({ code, stderr }: Pick<Finished, "code" | "stderr">, wanted = 0): void {
  expect(code === wanted, `exit code ${wanted}`, { code, stderr });
  const lines = wanted === 0 ? /^(shieldfive: warning: [^\n]+\n)*$/ : /^(shieldfive: [^\n]+\n)*$/;
  expectMatch("on stderr lines", stderr, lines);
  if (wanted === 1) expectMatch("on stderr a reason", stderr, /^shieldfive: error: /m);
}
