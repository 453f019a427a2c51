// `deno task demo`: a messy home in a temporary folder, the real program tidying it and moving some of it
// into a vault that it hosts, and the proof that nothing was lost: every file is back where it was, or in
// the vault byte for byte, or the demo fails. It touches nothing outside its own folder, removes that at
// the end, and leaves no process; --keep leaves the folder.

import { tidying } from "./demo/tidying.ts";
import { SERVE, vault } from "./demo/vault.ts";
import { plantHome } from "./home.ts";
import { HostedVault } from "./hosted.ts";
import { COMMAND, shellLine, type Surroundings } from "./program.ts";

async function tour(folder: string, signal: AbortSignal): Promise<void> {
  const surroundings: Surroundings = {
    cwd: `${folder}/home`,
    settings: `${folder}/settings`,
    signal,
  };
  const outside = `${folder}/outside`;
  plantHome(surroundings.cwd, outside, Date.now());
  console.log(
    "# A messy home folder, made for this demo. Each command can be typed as it stands; they",
  );
  console.log("# run without the right to native code, so that no keychain comes into it.");
  console.log(`$ alias shieldfive=${shellLine([shellLine(COMMAND)])}`);
  console.log(`$ ${shellLine(["cd", surroundings.cwd])}\n`);
  await tidying(surroundings, outside);
  {
    await using hosted = await HostedVault.serve(surroundings, SERVE);
    await vault(hosted, surroundings);
  }
  console.log("# The server has ended.");
}

async function main(args: string[]): Promise<number> {
  const unknown = args.find((arg) => arg !== "--keep");
  if (unknown !== undefined) {
    console.error(`demo: ${unknown} is not an option; there is one: --keep leaves the folder`);
    return 2;
  }
  const stop = new AbortController();
  Deno.addSignalListener("SIGINT", () => stop.abort());
  if (Deno.build.os !== "windows") Deno.addSignalListener("SIGTERM", () => stop.abort());
  const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "shieldfive-demo-" }));
  try {
    await tour(folder, stop.signal);
    return 0;
  } catch (error) {
    console.error(`demo: ${stop.signal.aborted ? "stopped" : (error as Error).message}`);
    return stop.signal.aborted ? 130 : 1;
  } finally {
    if (args.includes("--keep")) console.log(`# Left in place: ${folder}`);
    else Deno.removeSync(folder, { recursive: true });
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));
