// The terminal's own file. The runtime opens it for a thread that has every right and for no other.

/** The controlling terminal; undefined where there is none, or none that can be used. */
export function controllingTerminal(): Deno.FsFile | undefined {
  if (Deno.build.os === "windows") return undefined;
  try {
    return Deno.openSync("/dev/tty", { read: true, write: true });
  } catch {
    return undefined; // ENXIO and its kin
  }
}
