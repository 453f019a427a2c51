// `shieldfive doctor`: what this installation is, where its things are, what each part of the program
// could touch from here, and whether an interrupted move left a copy behind. It changes nothing.

import {
  CancelFlag,
  errnoOf,
  isMissing,
  nativeRules,
  realDisk,
  type Root,
  STAGING_PREFIX,
  visible,
  walk,
} from "../../containment/mod.ts";
import { catalogue } from "../../tools/catalogue.ts";
import { roomKinds } from "../../tools/session.ts";
import type { Environment } from "../environment.ts";
import { EXIT, warn } from "../messages.ts";
import { HELP, ROOT } from "../options.ts";
import { parseWords } from "../parse.ts";
import { permissionLines } from "../permissions.ts";
import { placesOf } from "../places.ts";
import { giveUpRights } from "../rights.ts";
import { reachForReading } from "../roots.ts";
import { ProgressLine } from "../terminal/progress.ts";
import { UsageError } from "../usage.ts";
import { VERSION } from "../version.ts";

/** Folders looked at for copies that were left behind. */
const MAX_FOLDERS = 200_000;

export function doctor(args: string[], environment: Environment): Promise<number> {
  const { values, operands } = parseWords(args, [ROOT, HELP]);
  if (operands.length > 0) throw new UsageError("doctor takes no operands; --root names a folder");
  const given = (values.get("root") ?? []) as string[];
  const { roots, notices } = reachForReading([], { environment, given, findTrash: false });
  for (const notice of notices) warn(environment, notice);
  giveUpRights(["read"]);
  const sections = [
    section("Versions", versions()),
    section("Places", places(environment)),
    section("Roots", roots.map(({ path }) => visible(path))),
    section("Permissions", permissionLines(roomKinds(catalogue), roots.map(({ path }) => path))),
    section("Unfinished copies", unfinished(roots, environment)),
  ];
  environment.stdout.write(sections.join("\n"));
  return Promise.resolve(EXIT.done);
}

function section(title: string, lines: string[]): string {
  return [title, ...lines.map((line) => `  ${line}`)].join("\n") + "\n";
}

function versions(): string[] {
  const { deno, v8 } = Deno.version;
  return [`shieldfive ${VERSION}`, `deno ${deno}, v8 ${v8}`, Deno.build.target];
}

function places(environment: Environment): string[] {
  const places = placesOf(environment.variables, environment.home);
  if (places === undefined) return ["unknown: there is no home folder in the environment"];
  return Object.entries(places).map(([name, path]) =>
    `${name.padEnd(13)}  ${visible(path)}${exists(path) ? "" : "  (not there yet)"}`
  );
}

function exists(path: string): boolean {
  try {
    realDisk.lstat(path);
    return true;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return !isMissing(error);
  }
}

function unfinished(roots: Root[], environment: Environment): string[] {
  const { found, complete } = stagingEntries(roots, environment);
  const partial = complete ? [] : ["(not every folder could be looked at)"];
  if (found.length === 0) return ["none", ...partial];
  return [
    ...found.map(visible),
    "each is a copy that a move between volumes has not finished; its source is still in place.",
    "when no move is running, look at it and remove it yourself",
    ...partial,
  ];
}

/** The staging entries in the roots, which a running move has too. */
function stagingEntries(
  roots: Root[],
  environment: Environment,
): { found: string[]; complete: boolean } {
  const progress = new ProgressLine(environment.stderr, environment.columns);
  const found: string[] = [];
  let unreadable = 0;
  const look = (folder: string) => {
    try {
      for (const { name } of realDisk.readDir(folder)) {
        if (name.startsWith(STAGING_PREFIX)) found.push(nativeRules.join(folder, name));
      }
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      unreadable++;
    }
  };
  const starts = roots.map(({ path }) => ({ path, info: realDisk.lstat(path) }));
  const everything = { includeHidden: true, includeBundles: true, skipDirs: [] };
  const report = walk(starts, { ...everything, foldersOnly: true, maxFiles: MAX_FOLDERS }, {
    disk: realDisk,
    signal: new CancelFlag(),
    onProgress: (done) => progress.update({ done, unit: "files", label: "looking" }),
  }, look);
  for (const { path } of starts) look(path);
  progress.erase();
  const left = report.truncated.length + report.notScanned.length + report.unreadable.count;
  return { found: found.sort(), complete: left + unreadable === 0 };
}
