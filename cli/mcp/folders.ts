// The folders that a client says it works in. They come as file URIs, decoded once; they can narrow
// what was granted and never widen it (decisions 7), and what narrows is checked where containment
// is: in the room.

import { nativeRules, type PathRules, quote } from "../../containment/mod.ts";

/** What a client's list of roots means. */
export interface ClientFolders {
  folders: string[];
  /** Why an entry was left out, one sentence each. */
  skipped: string[];
}

/** The folder of a file URI, or why it names none. */
export function folderOfUri(
  uri: unknown,
  rules: PathRules = nativeRules,
): { folder: string } | { problem: string } {
  const url = typeof uri === "string" ? URL.parse(uri) : null;
  if (url === null) return { problem: "it is not a URI" };
  if (url.protocol !== "file:") return { problem: "only file: URIs name folders" };
  if (url.hostname !== "" && url.hostname !== "localhost") {
    return { problem: "it names another computer" };
  }
  // An unencoded # or ? in a name would cut the path short and name a wider folder.
  if (url.search !== "" || url.hash !== "") return { problem: "it has a query or a fragment" };
  if (/%2f|%00/i.test(url.pathname) || (rules.sep === "\\" && /%5c/i.test(url.pathname))) {
    return { problem: "it has an encoded separator" };
  }
  let path: string;
  try {
    path = decodeURIComponent(url.pathname);
  } catch {
    return { problem: "it is not encoded UTF-8" };
  }
  if (rules.sep === "\\") {
    const drive = /^\/([a-z]):(\/.*)?$/i.exec(path);
    if (drive === null) return { problem: "it has no drive letter" };
    path = `${drive[1].toUpperCase()}:${drive[2] ?? "/"}`;
  }
  return { folder: rules.resolve(path) };
}

/** The folders of the answer to `roots/list`, or undefined when it is no such answer. */
export function foldersOfAnswer(
  answer: unknown,
  rules: PathRules = nativeRules,
): ClientFolders | undefined {
  const roots = (answer as { roots?: unknown } | null | undefined)?.roots;
  if (!Array.isArray(roots)) return undefined;
  const found: ClientFolders = { folders: [], skipped: [] };
  for (const root of roots) {
    const uri: unknown = root?.uri;
    const read = folderOfUri(uri, rules);
    if ("folder" in read) found.folders.push(read.folder);
    else found.skipped.push(`the client's folder ${quote(uri)} is left out: ${read.problem}`);
  }
  return found;
}
