// Executables for the tests of the smoke suite: scripts, and one that runs the program from its sources.

import { fileURLToPath } from "node:url";

/** The top of the project. */
export const PROJECT = fileURLToPath(new URL("../..", import.meta.url));

/** Where this runtime keeps what it fetched. */
export function runtimeFolder(): string {
  const { stdout } = new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).outputSync();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}

/** Writes an executable script. */
export function script(path: string, text: string): string {
  Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  Deno.writeTextFileSync(path, text, { mode: 0o755 });
  return path;
}

/**
 * An executable that runs the sources. What the runtime writes goes to the program's own cache folder,
 * and it does not ask its maker for a newer version, which `deno run` does after half a second.
 */
export function sourceExecutable(path: string): string {
  const fetched = runtimeFolder();
  return script(
    path,
    `#!/bin/sh
export DENO_DIR="$XDG_CACHE_HOME/shieldfive/deno" DENO_NO_UPDATE_CHECK=1
mkdir -p "$DENO_DIR"
for part in npm dl; do
  test -e "$DENO_DIR/$part" || ! test -d '${fetched}'/$part ||
    ln -sn '${fetched}'/$part "$DENO_DIR/$part" 2>/dev/null
done
exec '${Deno.execPath()}' run --quiet -A --no-prompt '${PROJECT}mod.ts' "$@"
`,
  );
}
