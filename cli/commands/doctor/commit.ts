// The commit that the program's sources are at, from the checkout's own files: no program is started.

import { type Disk, errnoOf, nativeRules } from "../../../containment/mod.ts";
import { readText } from "./read_text.ts";

/** The commit of the checkout in a folder, or undefined where it is none or does not say. */
export function commitOf(folder: string, disk: Disk): string | undefined {
  const git = repositoryOf(folder, disk);
  const head = git && read(git, "HEAD", disk);
  if (git === undefined || head === undefined) return undefined;
  const name = /^ref: (refs\/\S+)$/.exec(head)?.[1];
  if (name === undefined) return hash(head);
  // A further working tree keeps its HEAD to itself and shares the branches.
  const common = read(git, "commondir", disk);
  const shared = common === undefined ? git : nativeRules.resolve(git, common);
  return hash(read(shared, name, disk)) ?? hash(packed(read(shared, "packed-refs", disk), name));
}

function repositoryOf(folder: string, disk: Disk): string | undefined {
  const place = nativeRules.join(folder, ".git");
  const link = /^gitdir: (.+)$/.exec(read(folder, ".git", disk) ?? "")?.[1];
  return link === undefined ? place : nativeRules.resolve(folder, link);
}

function packed(list: string | undefined, name: string): string | undefined {
  return list?.split("\n").find((line) => line.endsWith(` ${name}`))?.split(" ")[0];
}

function hash(text: string | undefined): string | undefined {
  return text !== undefined && /^[0-9a-f]{40,64}$/.test(text) ? text : undefined;
}

function read(folder: string, name: string, disk: Disk): string | undefined {
  try {
    return readText(disk, nativeRules.join(folder, name)).trim();
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
