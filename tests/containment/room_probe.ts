// A room for tests: it tries things that a room must not do and says how each try ended. It also has
// methods that fail, wait, ask and print in every way that a real room might.

import * as childProcess from "node:child_process";
import * as dgram from "node:dgram";
import * as fs from "node:fs";
import * as net from "node:net";
import * as os from "node:os";
import process from "node:process";
import { realDisk, ToolError } from "../../containment/mod.ts";
import { linkThrough } from "../../containment/rooms/link.ts";
import { type Method, serveRoom } from "../../containment/rooms/worker.ts";

/** How a try ended: refused by the runtime, done, or failed for another reason. */
export type Outcome = { refused: string } | { done: string } | { failed: string };

/** What a try may need. */
export interface Place {
  /** A granted folder with `file` and `other` in it, and `out`, a link to the other folder. */
  inside: string;
  /** A folder that is not granted, with `file` in it. */
  outside: string;
  /** A port on this machine on which something listens. */
  port: number;
}

function settled(emitter: { on(event: string, then: (value: unknown) => void): unknown }) {
  return new Promise((resolve, reject) => {
    emitter.on("error", reject);
    for (const event of ["connect", "exit"]) emitter.on(event, resolve);
  });
}

const TRIES: Record<string, (place: Place) => unknown> = {
  "read inside": ({ inside }) => Deno.readTextFileSync(`${inside}/file`),
  "list inside": ({ inside }) => [...Deno.readDirSync(inside)].length,
  "open inside": ({ inside }) => realDisk.close(realDisk.open(`${inside}/file`)),

  "read outside": ({ outside }) => Deno.readTextFileSync(`${outside}/file`),
  "list outside": ({ outside }) => [...Deno.readDirSync(outside)],
  "look outside": ({ outside }) => Deno.lstatSync(`${outside}/file`),
  "resolve outside": ({ outside }) => Deno.realPathSync(`${outside}/file`),
  "open outside": ({ outside }) => fs.openSync(`${outside}/file`, "r"),
  "open a device": () => fs.closeSync(fs.openSync("/dev/zero", "r")),
  "fetch a file outside": ({ outside }) => fetch(`file://${outside}/file`),

  "write inside": ({ inside }) => Deno.writeTextFileSync(`${inside}/new`, "x"),
  "make a folder inside": ({ inside }) => Deno.mkdirSync(`${inside}/folder`),
  "rename inside": ({ inside }) => Deno.renameSync(`${inside}/other`, `${inside}/renamed`),
  "link inside": ({ inside }) => Deno.linkSync(`${inside}/file`, `${inside}/linked`),
  "change rights inside": ({ inside }) => Deno.chmodSync(`${inside}/file`, 0o600),
  "change times inside": ({ inside }) => Deno.utimeSync(`${inside}/file`, 1, 1),
  "truncate inside": ({ inside }) => fs.truncateSync(`${inside}/file`, 0),
  "append inside": ({ inside }) => fs.appendFileSync(`${inside}/file`, "x"),
  "remove inside": ({ inside }) => Deno.removeSync(`${inside}/file`),
  "ask for free space": ({ inside }) => realDisk.freeSpace(inside) > 0,

  "write outside": ({ outside }) => Deno.writeTextFileSync(`${outside}/new`, "x"),
  "make a folder outside": ({ outside }) => Deno.mkdirSync(`${outside}/folder`),
  "rename to outside": ({ inside, outside }) =>
    Deno.renameSync(`${inside}/other`, `${outside}/other`),
  "rename from outside": ({ inside, outside }) =>
    Deno.renameSync(`${outside}/file`, `${inside}/stolen`),
  "link from outside": ({ inside, outside }) =>
    Deno.linkSync(`${outside}/file`, `${inside}/stolen`),
  "remove outside": ({ outside }) => Deno.removeSync(`${outside}/file`),
  "make a symbolic link": ({ inside }) => Deno.symlinkSync("file", `${inside}/symbolic`),
  "make a temporary folder": () => Deno.makeTempDirSync(),

  "connect": ({ port }) => Deno.connect({ hostname: "127.0.0.1", port }),
  "connect with node": ({ port }) => settled(net.connect(port, "127.0.0.1")),
  "fetch": ({ port }) => fetch(`http://127.0.0.1:${port}/`),
  "open a WebSocket": ({ port }) =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/`);
      socket.onopen = resolve;
      socket.onerror = (event) => reject((event as ErrorEvent).error ?? new Error("closed"));
    }),
  "send a datagram": ({ port }) =>
    new Promise((resolve, reject) => {
      // Node's sockets of this kind throw the refusal where nobody can catch it.
      globalThis.addEventListener("error", (event) => {
        event.preventDefault();
        reject(event.error);
      }, { once: true });
      const socket = dgram.createSocket("udp4");
      socket.on("error", reject);
      socket.send("x", port, "127.0.0.1", (error) => {
        socket.close();
        if (error) reject(error);
        else resolve("sent");
      });
    }),
  "listen": () => Deno.listen({ hostname: "127.0.0.1", port: 0 }).close(),
  "serve": () => Deno.serve({ port: 0, hostname: "127.0.0.1" }, () => new Response()).shutdown(),
  "connect to a socket file": ({ inside }) =>
    Deno.connect({ transport: "unix", path: `${inside}/socket` }),
  "resolve a name": () => Deno.resolveDns("localhost", "A"),
  "load code from the network": ({ port }) => import(`http://127.0.0.1:${port}/code.ts`),

  "start a process": () => new Deno.Command("true").outputSync(),
  "start a process with node": () => settled(childProcess.spawn("true")),
  "start a process with node, waiting": () => childProcess.execFileSync("true"),
  "signal a process": () => Deno.kill(Deno.ppid, "SIGCONT"),
  "read a variable": () => Deno.env.get("HOME"),
  "read all variables": () => Deno.env.toObject(),
  "read a variable with node": () => process.env.HOME,
  "set a variable": () => Deno.env.set("SHIELDFIVE_PROBE", "1"),
  "load a library": () => Deno.dlopen("libc.so.6", {}),
  "load an addon": ({ inside }) => process.dlopen({ exports: {} }, `${inside}/file`),
  "read the host name": () => Deno.hostname(),
  "read the host name with node": () => os.hostname(),
  "read the user": () => os.userInfo(),
  "read the load": () => Deno.loadavg(),
  "read the network cards": () => Deno.networkInterfaces(),
  "ask for more rights": () => {
    const { state } = Deno.permissions.requestSync({ name: "net" });
    if (state !== "granted") throw new Deno.errors.NotCapable(`the answer is ${state}`);
  },
  "open a room with more rights": () => {
    new Worker("data:text/javascript,", {
      type: "module",
      deno: { permissions: { net: true } },
    } as WorkerOptions);
  },
};

export const EVERY_TRY: readonly string[] = Object.keys(TRIES);

/** Tries one thing in the thread that calls. */
export async function attempt(what: string, place: Place): Promise<Outcome> {
  try {
    return { done: String(await TRIES[what](place)) };
  } catch (error) {
    const text = `${(error as Error).name}: ${(error as Error).message}`;
    const withheld = error instanceof Deno.errors.NotCapable ||
      /Requires import access/.test(text);
    return withheld ? { refused: text } : { failed: text };
  }
}

const BEHAVIOURS: Record<string, Method> = {
  echo: (args) => args,
  refuse: () => {
    throw new ToolError("destination_exists", "it is there", {
      detail: { path: "/a" },
      changedAnything: true,
    });
  },
  bug: () => {
    throw new TypeError("a bug of the probe");
  },
  unclonable: () => () => {},
  crash: async () => {
    setTimeout(() => {
      throw new Error("the probe crashed");
    });
    await new Promise((resolve) => setTimeout(resolve, 60_000));
  },
  leave: () => {
    self.close();
    for (;;);
  },
  exit: () => Deno.exit(0),
  "leave while waiting": async () => {
    setTimeout(() => self.close());
    await new Promise((resolve) => setTimeout(resolve, 60_000));
  },
  spin(_args, { signal, progress }) {
    progress({ done: 1, unit: "files", label: "spinning" });
    const end = performance.now() + 5000;
    while (!signal.cancelled && performance.now() < end);
    return signal.cancelled ? "stopped" : "never stopped";
  },
  async ask(args, { ask }) {
    try {
      return { answer: await ask("approve", args) };
    } catch (error) {
      return { refused: (error as ToolError).code, message: (error as Error).message };
    }
  },
  async overlap(args, { ask }) {
    await ask("begin", args);
    await new Promise((resolve) => setTimeout(resolve, 30));
    await ask("end", args);
  },
  print: () => {
    console.log("one", { two: 2 }, new Error("three").message);
    console.info("info");
    console.table([{ four: 4 }]);
    console.dir({ five: 5 });
    console.group("six");
    console.assert(false, "seven");
    console.count();
    console.time();
    console.timeEnd();
    console.error("eight");
  },
};

if (typeof WorkerGlobalScope !== "undefined" && self instanceof WorkerGlobalScope) {
  serveRoom((_init, ports) => ({
    ...BEHAVIOURS,
    try: (args) => {
      const { what, place } = args as { what: string; place: Place };
      return attempt(what, place);
    },
    symlink: (args) => {
      const { target, name } = args as { target: string; name: string };
      try {
        linkThrough(ports.links)(target, name);
        return "made";
      } catch (error) {
        return (error as { code?: string }).code;
      }
    },
  }));
}
