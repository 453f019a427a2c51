// All that `doctor` learns before it reports. What takes rights is done first, in the one order that
// works: the rooms are opened and asked, then the main thread keeps the right to read and no other.

import { type Disk, errnoOf, nativeRules, realDisk, type Root } from "../../../containment/mod.ts";
import { DEFAULT_SERVER } from "../../../vault/credential/mod.ts";
import type { Environment } from "../../environment.ts";
import { say } from "../../messages.ts";
import { protectedPaths } from "../../places.ts";
import { giveUpRights } from "../../rights.ts";
import { ProgressLine } from "../../terminal/progress.ts";
import { VERSION } from "../../version.ts";
import { type Folders, openFolders } from "./folders.ts";
import { type Proven, proveRooms } from "./open_rooms.ts";
import { proveConnection } from "./connection_rooms.ts";
import { type ConnectionState, examineConnection } from "./connection_state.ts";
import { proveServing } from "./serving_rooms.ts";
import { type Remains, scanRoots } from "./scan.ts";
import { currentUser, type User } from "./user.ts";
import { type Mount, mountsInside, readMounts } from "./volumes.ts";

export interface Examination {
  environment: Environment;
  disk: Disk;
  user: User;
  folders: Folders;
  /** Places that no tool changes; none when they cannot be found out, and then no other command runs. */
  protectedPaths: string[];
  /** Rights that the program needs and that the runtime withholds. */
  missingRights: string[];
  mounts?: Mount[];
  /** Folders in the roots that something is mounted on. */
  mounted: string[];
  rooms: Proven[];
  connection: ConnectionState;
  remains: Remains;
}

/** Looks at everything once. When this returns, the main thread can only read. */
export async function examine(given: string[], environment: Environment): Promise<Examination> {
  const disk = realDisk;
  const user = currentUser();
  const folders = openFolders(given, environment, disk);
  const places = knownProtected(environment);
  const mounts = readMounts(disk);
  const paths = folders.roots.map(({ path }) => path);
  const mounted = paths.flatMap((path) => mountsInside(path, mounts, disk));
  const missing = missingRights(environment);
  const log = (line: string) => say(environment, line);
  const rooms = await proveRooms({
    roots: folders.roots,
    version: VERSION,
    protectedPaths: places,
    uid: user.uid,
    log,
  }, { inside: [...paths, ...mounted], outside: outsideOf(folders.roots) });
  rooms.push(...await proveServing(environment, log));
  const connection = await examineConnection(environment, log);
  const { server } = connection;
  const origin = typeof server === "string" ? server : DEFAULT_SERVER;
  rooms.push(...await proveConnection(environment, { origin, outside: outsideOf([]), log }));
  giveUpRights(["read", "sys"]);
  const progress = new ProgressLine(environment.stderr, environment.columns);
  const remains = scanRoots(folders.roots, disk, (report) => progress.update(report));
  progress.erase();
  return {
    environment,
    disk,
    user,
    folders,
    protectedPaths: places,
    missingRights: missing,
    mounts,
    mounted,
    rooms,
    connection,
    remains,
  };
}

function knownProtected(environment: Environment): string[] {
  try {
    return protectedPaths(environment);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return [];
  }
}

/** The folder around a root is in no root; nothing is outside of the whole file system. */
function outsideOf(roots: readonly Root[]): string | undefined {
  const [first] = roots;
  if (first === undefined) return nativeRules.resolve(nativeRules.sep);
  const parent = nativeRules.dirname(first.path);
  return parent === first.path ? undefined : parent;
}

/** The rights of the program that this thread was started without. */
function missingRights({ withheld = [] }: Environment): string[] {
  const wanted: [string, Deno.PermissionDescriptor][] = [
    ["read", { name: "read" }],
    ["write", { name: "write" }],
    ["sys=uid", { name: "sys", kind: "uid" }],
    ["sys=statfs", { name: "sys", kind: "statfs" }],
  ];
  const missing = wanted.filter(([, right]) =>
    Deno.permissions.querySync(right).state !== "granted"
  ).map(([name]) => name);
  return withheld.length === 0 ? missing : [...missing, "env"];
}
