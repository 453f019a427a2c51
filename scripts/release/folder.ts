// The folder of a release, which is there whole or not at all: it is filled under another name
// beside its place, and takes the place of the one before in the end.

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";

export interface ReleaseFile {
  name: string;
  size: number;
  /** In hexadecimal. */
  sha256: string;
}

export class ReleaseFolder {
  readonly files: ReleaseFile[] = [];
  readonly #place: string;
  readonly #staging: string;

  /** @param place where the folder is to be; the folder above it must exist. */
  constructor(place: string) {
    this.#place = place;
    const above = place.slice(0, place.lastIndexOf("/"));
    this.#staging = Deno.makeTempDirSync({ dir: above, prefix: ".release-" });
    if (Deno.build.os !== "windows") Deno.chmodSync(this.#staging, 0o755);
  }

  add(name: string, content: Uint8Array | string): ReleaseFile {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    Deno.writeFileSync(`${this.#staging}/${name}`, bytes, { createNew: true, mode: 0o644 });
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const file = { name, size: bytes.length, sha256 };
    this.files.push(file);
    return file;
  }

  /** Adds the list of digests that `sha256sum --check` reads. */
  addSums(): void {
    const inOrder = [...this.files].sort((a, b) => a.name < b.name ? -1 : 1);
    this.add("SHA256SUMS", inOrder.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join(""));
  }

  /** Puts the folder into its place. */
  finish(): void {
    const before = `${this.#staging}.before`;
    const replaces = existsSync(this.#place);
    if (replaces) Deno.renameSync(this.#place, before);
    try {
      Deno.renameSync(this.#staging, this.#place);
    } catch (error) {
      if (replaces) Deno.renameSync(before, this.#place);
      throw error;
    }
    if (replaces) Deno.removeSync(before, { recursive: true });
  }

  /** Leaves nothing behind but the folder before, when the release was not finished. */
  [Symbol.dispose](): void {
    if (existsSync(this.#staging)) {
      Deno.removeSync(this.#staging, { recursive: true });
    }
  }
}
