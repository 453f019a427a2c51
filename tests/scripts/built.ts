// A bundle for the tests of one file: made before the first of them, removed after the last.

import { bundle } from "../../scripts/bundle.ts";

/** Where the bundle is while the file's tests run: in `bundle` and `maps` below the folder. */
export function builtBundle(): { folder: string } {
  const built = { folder: "" };
  Deno.test.beforeAll(async () => {
    built.folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "shieldfive-built-" }));
    const [into, maps] = [`${built.folder}/bundle`, `${built.folder}/maps`];
    await bundle({ into, maps, commit: "1234abc" });
  });
  Deno.test.afterAll(() => Deno.removeSync(built.folder, { recursive: true }));
  return built;
}

/** Runs the installed Deno and waits for it. */
export async function deno(args: string[], cwd?: string, env: Record<string, string> = {}) {
  const child = new Deno.Command(Deno.execPath(), {
    args,
    cwd,
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
  });
  const { code, stdout, stderr } = await child.output();
  const text = new TextDecoder();
  return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}
