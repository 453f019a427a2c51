// Names for the files of a bundle that depend on nothing but what is in the bundle. The bundler's own
// depend on where its user keeps packages, so that the same sources would give other bytes elsewhere.

import { createHash } from "node:crypto";
import { BuildFailure } from "./failure.ts";

/** What the bundler puts at the end of a name that it made up. */
const MADE_UP = /^(.+)-[A-Z0-9]{8}\.js$/;
const MENTIONED = /[\w.-]+-[A-Z0-9]{8}\.js/g;

/** A file of the bundle under both its names; the text names the others by their new ones. */
export interface Renamed {
  before: string;
  after: string;
  text: string;
}

/**
 * The same files under their lasting names. Chunks can import each
 * other in a circle, so a name is made from its text without names, then from that and the same of those
 * that it mentions, and so on until every file has had a part in all that can reach it.
 *
 * @throws BuildFailure when two files would get one name.
 */
export function withLastingNames(files: ReadonlyMap<string, string>): Renamed[] {
  const renamed = (text: string, name: (name: string) => string) =>
    text.replace(MENTIONED, (mention) => files.has(mention) ? name(mention) : mention);
  const mentions = new Map([...files].map(([name, text]) => [
    name,
    (text.match(MENTIONED) ?? []).filter((mention) => files.has(mention)),
  ]));
  let digests = new Map([...files].map(([name, text]) => [name, digest(renamed(text, () => ""))]));
  for (let round = 0; round < files.size; round++) {
    digests = new Map([...mentions].map(([name, others]) => [
      name,
      digest([name, ...others].map((each) => digests.get(each)).join(" ")),
    ]));
  }
  const lasting = (name: string) =>
    name.replace(MADE_UP, (_, base) => `${base}-${digests.get(name)!.slice(0, 12)}.js`);
  const result = Array.from(
    files,
    ([before, text]) => ({ before, after: lasting(before), text: renamed(text, lasting) }),
  );
  if (new Set(result.map(({ after }) => after)).size < files.size) {
    throw new BuildFailure("two files of the bundle are the same");
  }
  return result;
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
