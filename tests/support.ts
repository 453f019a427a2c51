// What many tests need: a temporary folder that goes away, files with known content and age, and a
// context in which a tool can be run directly.

import { CancelFlag, openRoots, realDisk } from "../containment/mod.ts";
import type { ToolContext } from "../tools/tool.ts";

/** Runs the body in a fresh temporary folder (a real path) and removes the folder afterwards. */
export async function inTempDir(
  body: (dir: string) => void | Promise<void>,
  options: { on?: string } = {},
): Promise<void> {
  const dir = Deno.realPathSync(Deno.makeTempDirSync({ dir: options.on, prefix: "shieldfive-" }));
  try {
    await body(dir);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
}

/** Writes files by relative path, making their folders; a trailing slash makes an empty folder. */
export function plant(dir: string, files: Record<string, string | Uint8Array>): void {
  for (const [name, content] of Object.entries(files)) {
    const path = `${dir}/${name}`;
    if (name.endsWith("/")) {
      Deno.mkdirSync(path, { recursive: true });
      continue;
    }
    Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    if (typeof content === "string") Deno.writeTextFileSync(path, content);
    else Deno.writeFileSync(path, content);
  }
}

/** Sets a file's modification time to so many days ago. */
export function age(path: string, days: number): void {
  const then = new Date(Date.now() - days * 86_400_000);
  Deno.utimeSync(path, then, then);
}

/** A context over real folders; pass `over` to replace parts of it. */
export function contextFor(folders: string[], over: Partial<ToolContext> = {}): ToolContext {
  return {
    roots: openRoots(folders).roots,
    disk: realDisk,
    signal: new CancelFlag(),
    now: Date.now,
    progress: () => {},
    log: () => {},
    uid: Deno.uid() ?? undefined,
    protectedPaths: [],
    version: "0.0.0-test",
    ...over,
  };
}
