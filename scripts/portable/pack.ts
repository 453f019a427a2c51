// Packs a bundle and a runtime into one executable file: a shell script that unpacks and starts them
// (start.sh, unpack.sh), followed by a tar archive that gzip compressed, since every Linux and macOS has
// what it takes to unpack that. The same inputs give the same bytes.

import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { join } from "node:path";
import { packTar } from "modern-tar";
import { PUTTING_BACK, SPARED, STEERING } from "../../cli/steering.ts";
import { allCommands } from "../../cli/commands.ts";
import { CONNECTION, NETWORK, PERMISSIONS } from "../../cli/executable.ts";

export interface Portable {
  /** The folder with the bundle. */
  bundle: string;
  /** The runtime's executable file. */
  runtime: string;
  version: string;
  /** The system that the runtime is for. */
  os: "linux" | "darwin";
  /** The same for people: `Linux on x86_64`. */
  needs: string;
}

/** One file of the archive. */
interface Packed {
  /** Below the folder that the archive is unpacked to, with forward slashes. */
  name: string;
  bytes: Uint8Array;
  executable: boolean;
}

/** The name under which `uname` knows a system. */
const SYSTEMS = { linux: "Linux", darwin: "Darwin" };

/** The bytes of the executable file. */
export async function packPortable(portable: Portable): Promise<Uint8Array> {
  const files = [
    ...filesIn(portable.bundle),
    { name: "deno", bytes: Deno.readFileSync(portable.runtime), executable: true },
  ].sort((a, b) => a.name < b.name ? -1 : 1);
  const sums = new TextEncoder().encode(
    files.map(({ name, bytes }) => `${digest(bytes)}  ${name}\n`).join(""),
  );
  const archive = await archived([...files, { name: "sums", bytes: sums, executable: false }]);
  const script = withSizes(
    (size, offset) => header(portable, files, digest(sums), size, offset),
    archive.length,
  );
  const whole = new Uint8Array(script.length + archive.length);
  whole.set(script);
  whole.set(archive, script.length);
  return whole;
}

function filesIn(folder: string, below = ""): Packed[] {
  return Array.from(Deno.readDirSync(join(folder, below))).flatMap((entry) => {
    const name = `${below}${entry.name}`;
    if (entry.isDirectory) return filesIn(folder, `${name}/`);
    return { name, bytes: Deno.readFileSync(join(folder, name)), executable: false };
  });
}

function digest(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

async function archived(files: readonly Packed[]): Promise<Uint8Array> {
  const tar = await packTar(files.map(({ name, bytes, executable }) => ({
    header: {
      name,
      type: "file",
      size: bytes.length,
      mode: executable ? 0o500 : 0o400,
      mtime: new Date(0),
      uid: 0,
      gid: 0,
    },
    body: bytes,
  })));
  return gzipSync(tar); // its header carries no time
}

/** The script, which says how long it is itself. */
function withSizes(
  write: (size: number, offset: number) => string,
  archive: number,
): Uint8Array {
  for (let length = 0;;) {
    const script = new TextEncoder().encode(write(length + archive, length + 1));
    if (script.length === length) return script;
    length = script.length;
  }
}

function header(
  { version, os, needs }: Portable,
  files: readonly Packed[],
  hash: string,
  size: number,
  offset: number,
): string {
  const kilobytes = files.reduce((sum, { bytes }) => sum + Math.ceil(bytes.length / 1024), 0);
  const folders = new Set(files.map(({ name }) => name.slice(0, name.lastIndexOf("/") + 1)));
  return `#!/bin/sh
{ # shieldfive ${version} for ${needs}, in one file.
id=${version}-${hash.slice(0, 16)}
hash=${hash}
size=${size}
offset=${offset}
room=${kilobytes}
system=${SYSTEMS[os]}
needs='${needs}'
patterns='${[...folders].sort().map((folder) => `${folder}*`).join(" ")}'
steers() {
  case $1 in
    ${SPARED.join(" | ")}) return 1 ;;
    ${STEERING.join(" | ")}) return 0 ;;
    *) return 1 ;;
  esac
}
become() {
  files=$1
  shift
  case \${1-} in
${rightsByCommand()}
    *) rights= ;;
  esac
  # shellcheck disable=SC2086 # the rights are words
  exec "$files/deno" ${
    portableFlags().map((flag) => `'${flag}'`).join(" ")
  } $rights "$files/main.js" "$@"
}

${script("unpack.sh")}
${script("start.sh")}
exit 1
}
`;
}

function script(name: string): string {
  return Deno.readTextFileSync(new URL(name, import.meta.url));
}

/** The rights that some commands get beside the common ones, by their first words, for a `case`. */
function rightsByCommand(): string {
  const byRights = Map.groupBy(
    allCommands().filter(({ network, connection }) => network || connection),
    ({ network, connection }) =>
      [...network ? [NETWORK] : [], ...connection ? CONNECTION : []].join(" "),
  );
  return Array.from(
    byRights,
    ([rights, commands]) =>
      `    ${commands.map(({ words: [first] }) => first).join(" | ")}) rights='${rights}' ;;`,
  ).join("\n");
}

/**
 * The words between the runtime and the program. Nothing around the files can have a say: no configuration,
 * no lock file, no packages, nothing from a network. The rights are those of every executable; the ones to
 * put back what was kept from the runtime are given up when that is done.
 */
export function portableFlags(): string[] {
  return [
    "run",
    "--quiet",
    "--no-config",
    "--no-lock",
    "--no-npm",
    "--no-remote",
    "--node-modules-dir=none",
    "--unstable-worker-options",
    ...PERMISSIONS.map((flag) =>
      flag.startsWith("--allow-env=") ? [flag, ...PUTTING_BACK].join(",") : flag
    ),
  ];
}
