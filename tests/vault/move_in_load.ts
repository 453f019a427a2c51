// A large file into the vault by the real program, against a real server: prints how long it took, the most
// memory that the program had, and what was verified. `deno run -A tests/vault/move_in_load.ts [MEBIBYTES]`

import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { count, formatBytes } from "../../tools/format.ts";
import { withServedVault } from "../e2e/vault_served.ts";

const ENTRY = fileURLToPath(new URL("../../mod.ts", import.meta.url));
const MIB = 2 ** 20;

/** Makes a file of random bytes, and gives their SHA-256. */
function makeFile(path: string, mebibytes: number): string {
  const hash = createHash("sha256");
  using file = Deno.openSync(path, { write: true, createNew: true });
  const piece = new Uint8Array(MIB);
  for (let i = 0; i < mebibytes; i++) {
    for (let at = 0; at < MIB; at += 65_536) {
      crypto.getRandomValues(piece.subarray(at, at + 65_536));
    }
    hash.update(piece);
    file.writeSync(piece);
  }
  return hash.digest("hex");
}

/** The most resident memory that a process had so far; Linux alone says it. */
function peakOf(pid: number): number {
  try {
    const status = Deno.readTextFileSync(`/proc/${pid}/status`);
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return 0; // it has ended
    throw error;
  }
}

/** Runs the program to its end. */
async function run(args: string[], env: Record<string, string>) {
  const start = performance.now();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-prompt", "--no-check", ENTRY, ...args],
    env,
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let peak = 0;
  const timer = setInterval(() => peak = Math.max(peak, peakOf(child.pid)), 50);
  const { code, stdout } = await child.output();
  clearInterval(timer);
  const seconds = (performance.now() - start) / 1000;
  return { code, stdout: new TextDecoder().decode(stdout), peak, seconds };
}

async function load(mebibytes: number): Promise<void> {
  await withServedVault({ "Films/": "" }, async ({ home, env, connect, serving }) => {
    const grant = await connect({ scopes: ["read", "organize", "write"] });
    const path = `${home.dir}/film.mov`;
    const sha256 = makeFile(path, mebibytes);
    const args = ["move-in", path, "--to", "/Films", "--yes", "--json"];
    const { code, stdout, peak, seconds } = await run(args, { ...env, SHIELDFIVE_GRANT: grant });
    const said = JSON.parse(stdout);
    const [moved] = said.moved ?? [];
    if (code !== 0 || moved?.sha256 !== sha256) throw new Error(`exit code ${code}: ${stdout}`);
    console.log(
      `${count(mebibytes, "MiB", "MiB")} moved in and verified in ${
        seconds.toFixed(1)
      } s, start-up ` +
        `included (${formatBytes(mebibytes * MIB / seconds)}/s); the program had at most ` +
        `${(peak / MIB).toFixed(0)} MiB resident, the server has ${
          (serving.memory() / MIB).toFixed(0)
        } MiB`,
    );
  });
}

if (import.meta.main) await load(Number(Deno.args[0] ?? 512));
