// Runs the server like the program does, with a stowaway beside it: code on the main thread that
// prints in every way there is, fails without being caught, and, once the server says that it is
// ready, tries to touch what only rooms may touch. It reports on stderr.

import process from "node:process";
import { processEnvironment } from "../../cli/environment.ts";
import { main } from "../../cli/main.ts";

const encoder = new TextEncoder();

function makeNoise(): void {
  console.log("noise log");
  console.info("noise info");
  console.debug("noise debug");
  console.table([{ noise: "table" }]);
  console.dir({ noise: "dir" });
  console.group("noise group");
  console.groupEnd();
  console.count("noise count");
  console.time("noise time");
  console.timeLog("noise time");
  console.timeEnd("noise time");
  process.stdout.write("noise node\n");
  Deno.stdout.writeSync(encoder.encode("noise direct\n"));
  void Deno.stdout.write(encoder.encode("noise asynchronous\n"));
  const writer = Deno.stdout.writable.getWriter();
  void writer.write(encoder.encode("noise stream\n"));
  writer.releaseLock();
  console.clear();
  void Promise.reject(new Error("noise rejection"));
  reportError(new Error("noise exception"));
}

async function tryEverything(): Promise<void> {
  const attempts: Record<string, () => unknown> = {
    read: () => Deno.readTextFileSync(Deno.args[1] + "/a.txt"),
    write: () => Deno.writeTextFileSync(Deno.args[1] + "/planted", ""),
    net: () => Deno.listen({ hostname: "127.0.0.1", port: 0 }),
    env: () => Deno.env.get("HOME"),
    run: () => new Deno.Command(Deno.execPath()).spawn(),
    ffi: () => Deno.dlopen("/lib/x86_64-linux-gnu/libc.so.6", {}),
    sys: () => Deno.hostname(),
    import: () => import(`file://${Deno.args[1]}/code.ts`),
    worker: () =>
      new Worker(new URL("../../tools/room.ts", import.meta.url), {
        type: "module",
        deno: { permissions: { read: true } },
      }),
  };
  for (const [right, attempt] of Object.entries(attempts)) {
    let outcome = "ALLOWED";
    try {
      await attempt();
    } catch (error) {
      outcome = (error as Error).name;
    }
    Deno.stderr.writeSync(encoder.encode(`probe ${right}: ${outcome}\n`));
  }
}

setTimeout(makeNoise, 50);
const timer = setInterval(async () => {
  if (Deno.permissions.querySync({ name: "read" }).state === "granted") return;
  clearInterval(timer);
  makeNoise();
  await tryEverything();
  Deno.stderr.writeSync(encoder.encode("probe done\n"));
}, 20);

Deno.exit(await main(Deno.args, processEnvironment()));
