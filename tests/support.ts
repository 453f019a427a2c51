// What many tests need: a temporary folder that goes away, files with known content and age, and a
// context in which a tool can be run directly.

import { CancelFlag, lookAt, openRoots, realDisk, ToolError } from "../containment/mod.ts";
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

/** Whether something has this name, be it a link that leads nowhere. */
export function exists(path: string): boolean {
  return lookAt(realDisk, path) !== undefined;
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

/** The refusal that the call ends in; fails when there is none or when it is a bug instead. */
export function refusal(call: () => unknown): ToolError {
  try {
    call();
  } catch (error) {
    if (error instanceof ToolError) return error;
    throw error;
  }
  throw new Error("the call was not refused");
}

/**
 * The result of a call of `apart.ts` in a process of its own, started by way of a wrapper; undefined,
 * after saying why, where this test's user or machine cannot start the wrapper.
 */
function apart(wrapper: string[], what: string, args: unknown): unknown {
  const module = new URL("./apart.ts", import.meta.url).pathname;
  const cache = Deno.makeTempDirSync();
  Deno.chmodSync(cache, 0o777);
  const [program, ...rest] = [...wrapper, Deno.execPath()]
    .concat("run", "-A", "--no-lock", "--no-config", "--no-check", module)
    .concat([what, args].map((value) => JSON.stringify(value)));
  try {
    const { success, stdout, stderr } = new Deno.Command(program, {
      args: rest,
      env: { DENO_DIR: cache },
    }).outputSync();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    return JSON.parse(new TextDecoder().decode(stdout));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    console.log(`skipped: there is no ${program} here`);
    return undefined;
  } finally {
    Deno.removeSync(cache, { recursive: true });
  }
}

/** A call of `apart.ts` made by a user without rights. */
export function asNobody(what: "openRoots" | "read" | "change", args: unknown): unknown {
  if (Deno.uid() !== 0) return apart([], what, args);
  return apart(
    ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"],
    what,
    args,
  );
}

/** A call of `apart.ts` that alone sees what the `mount` commands, given as shell text, mount. */
export function withMounts(
  mounts: string,
  what: "openRoots" | "read" | "change",
  args: unknown,
): unknown {
  if (Deno.uid() === 0) {
    return apart(["unshare", "-m", "sh", "-ec", `${mounts}; exec "$@"`, "sh"], what, args);
  }
  console.log("skipped: mounting takes the rights of root");
  return undefined;
}

/**
 * A test of what a whole process uses. Test files run side by side in threads of one process, so the
 * body runs in another one: in this same test, with nothing beside it.
 *
 * @param module `import.meta.url` of the test file.
 */
export function testAlone(module: string, name: string, body: () => void | Promise<void>): void {
  const MARK = "SHIELDFIVE_TEST_ALONE";
  Deno.test(name, async () => {
    if (Deno.env.get(MARK) === name) return await body();
    const child = new Deno.Command(Deno.execPath(), {
      args: ["test", "-A", "--no-check", "--filter", `/^${RegExp.escape(name)}$/`, module],
      env: { [MARK]: name, NO_COLOR: "1" },
      stdin: "null",
    });
    const { stdout } = await child.output();
    const text = new TextDecoder().decode(stdout);
    // Counted, since a run that finds no test is no failure to the runner.
    if (!/^ok \| 1 passed/m.test(text)) throw new Error(text);
  });
}
