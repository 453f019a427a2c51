// How a room shows that it works and that its walls stand. It tries to read and to write inside the
// granted folders and outside of them, and asks the runtime about every other right. Nothing that is
// tried can change anything, even where a wall is missing: what is renamed does not exist, and where a
// link would go something is already.

import { realDisk } from "../disk.ts";
import { errnoOf } from "../error.ts";
import { isInside, nativeRules } from "../paths.ts";
import { makeLink } from "./link.ts";
import { permissionsOf, type RoomKind } from "./permissions.ts";

/** The method of every room that tries its walls; it takes a {@link ProofRequest}. */
export const PROVE = "prove";

/** Where a room tries its walls. All are real paths of folders. */
export interface ProofRequest {
  /** The granted folders, and folders in them. */
  inside: readonly string[];
  /** A folder that was not granted; absent where everything was. */
  outside?: string;
}

type Right = keyof Deno.PermissionOptionsObject;

/** One thing that a room tried. */
export interface Trial {
  /** A right; `space`, which asks for the free space of a volume; or `link`, a symbolic link. */
  what: Right | "space" | "link";
  /** Where it was tried; absent for a right as a whole, without any limit. */
  folder?: string;
  /** The same for the network: an address, with its port where one was granted. */
  address?: string;
  /** The same for one file: a program to run, native code to load, a file to read or to write. */
  file?: string;
  allowed: boolean;
  /** How the system, and not the wall, made it fail. */
  errno?: string;
}

/** Tries everything that a room of any kind could do. */
export function tryRights({ inside, outside }: ProofRequest): Trial[] {
  const folders = outside === undefined ? inside : [...inside, outside];
  const rights = Object.keys(permissionsOf("disk-read", [])) as Right[]; // the table names all of them
  const trials: Trial[] = rights.map((what) => ({ what, allowed: isGranted({ name: what }) }));
  for (const folder of folders) {
    trials.push(
      attempt("read", folder, () => realDisk.readDir(folder)[Symbol.iterator]().next()),
      attempt("write", folder, () => renameNothing(folder)),
      attempt("space", folder, () => realDisk.freeSpace(folder)),
    );
  }
  return trials;
}

/** An address that nothing is given; the runtime is asked about it, and nothing is sent there. */
const ELSEWHERE = "192.0.2.1:443";

/** Asks about the network: the addresses that were granted, and one that was not. */
export function tryNet(granted: readonly string[]): Trial[] {
  return [...granted, ELSEWHERE].map((address) => ({
    what: "net",
    address,
    allowed: isGranted({ name: "net", host: address }),
  }));
}

/**
 * Asks about single files: the ones that were granted, and one that was not. Nothing is run, loaded, read
 * or written.
 */
export function tryFiles(
  rights: readonly ("run" | "ffi" | "read" | "write")[],
  granted: readonly string[],
): Trial[] {
  const elsewhere = nativeRules.resolve(nativeRules.sep, "shieldfive-probe");
  return rights.flatMap((what) =>
    [...granted, elsewhere].map((file) => ({
      what,
      file,
      allowed: isGranted(
        what === "run" ? { name: what, command: file } : { name: what, path: file },
      ),
    }))
  );
}

/** Tries to have links made. */
export function tryLinks({ inside, outside }: ProofRequest, folders: readonly string[]): Trial[] {
  const places = outside === undefined ? inside : [...inside, outside];
  return places.map((folder) => {
    // Whatever lets this through, the system does not: every folder has a `.` already.
    const name = folder.endsWith(nativeRules.sep) ? `${folder}.` : `${folder}${nativeRules.sep}.`;
    const errno = makeLink({ target: ".", name }, folders);
    return { what: "link", folder, allowed: errno !== "EACCES" };
  });
}

/**
 * Tries one thing. What succeeds was allowed; what fails was, when the runtime says so: the system may
 * have failed it before or after the runtime looked.
 */
function attempt(
  what: "read" | "write" | "space",
  folder: string,
  act: () => unknown,
): Trial {
  try {
    act();
    return { what, folder, allowed: true };
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    const allowed = what === "space"
      ? isGranted({ name: "read", path: folder }) && isGranted({ name: "sys", kind: "statfs" })
      : isGranted({ name: what, path: folder });
    return { what, folder, allowed, ...(errno === "NOT_CAPABLE" ? {} : { errno }) };
  }
}

/** Asks for the rename of a name that nothing has; only a file system that takes changes looks for it. */
function renameNothing(folder: string): void {
  const name = nativeRules.join(folder, `.shieldfive-probe-${crypto.randomUUID()}`);
  try {
    realDisk.rename(name, `${name}-renamed`);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
  }
}

function isGranted(descriptor: Deno.PermissionDescriptor): boolean {
  return Deno.permissions.querySync(descriptor).state === "granted";
}

/** A trial that did not end as the table of permissions says. */
export interface Misfit {
  trial: Trial;
  fault: "too much" | "too little";
}

/** The trials of a room that did too much or too little. */
export function misfits(
  kind: RoomKind,
  granted: readonly string[],
  trials: readonly Trial[],
): Misfit[] {
  return trials.flatMap((trial) => {
    const expected = isExpected(kind, granted, trial);
    if (expected === trial.allowed) return [];
    return [{ trial, fault: expected ? "too little" as const : "too much" as const }];
  });
}

function isExpected(kind: RoomKind, granted: readonly string[], trial: Trial): boolean {
  const { what, folder, address, file } = trial;
  const permissions = permissionsOf(kind, granted);
  const covers = (right: unknown, path: string) =>
    right === true || Array.isArray(right) && right.some((place) => isInside(path, String(place)));
  if (what === "link") return folder !== undefined && covers([...granted], folder);
  if (what === "space") {
    const { sys } = permissions;
    const asks = sys === true || Array.isArray(sys) && sys.includes("statfs");
    return asks && folder !== undefined && covers(permissions.read, folder);
  }
  if (address !== undefined) {
    return Array.isArray(permissions.net) && permissions.net.includes(address);
  }
  if (file !== undefined) {
    const right = permissions[what];
    return Array.isArray(right) && right.includes(file);
  }
  return folder === undefined ? permissions[what] === true : covers(permissions[what], folder);
}
