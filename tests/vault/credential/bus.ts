// A session bus of a test's own, with a home of its own, and what is on it: a real keyring, one that is
// stopped, something that never comes up, or nothing. The keychain is asked by a process of its own, since
// the native code keeps to the first bus that it finds. Nothing of the user's own keychain is touched.

import { inTempDir } from "../../support.ts";

const DRIVER = new URL("./keychain_driver.ts", import.meta.url).pathname;
const CONFIG = new URL("../../../deno.json", import.meta.url).pathname;
const PROGRAMS = ["dbus-daemon", "dbus-send", "gnome-keyring-daemon"];

/** What is asked of the keychain. */
export type Ask = ["read" | "remove" | "tryOut"] | ["write", string];

/** What came of one. */
export interface Told {
  value?: unknown;
  /** Of the refusal. */
  code?: string;
  reason?: string;
  /** Milliseconds until it came, and how often the asking thread was free in them, of every 20. */
  ms: number;
  ticks: number;
}

/** Whether there is everything here that a test on a bus needs; says what is missing. */
export function canRun(): boolean {
  if (Deno.build.os !== "linux") {
    console.log("skipped: the Secret Service is for Linux");
    return false;
  }
  const missing = PROGRAMS.filter((program) => !isHere(program));
  if (missing.length > 0) console.log(`skipped: there is no ${missing.join(", no ")} here`);
  return missing.length === 0;
}

function isHere(program: string): boolean {
  const folders = (Deno.env.get("PATH") ?? "").split(":");
  return folders.some((folder) => {
    try {
      return Deno.statSync(`${folder}/${program}`).isFile;
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      return false;
    }
  });
}

const BUS = (dir: string) =>
  `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=${dir}/bus</listen>
  <servicedir>${dir}/services</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`;

export interface Daemon {
  stop(): void;
  goOn(): void;
  end(): Promise<void>;
}

export class Bus {
  readonly #dir: string;
  readonly env: Record<string, string>;
  readonly #children: Deno.ChildProcess[] = [];

  private constructor(dir: string) {
    this.#dir = dir;
    this.env = {
      PATH: Deno.env.get("PATH")!,
      HOME: `${dir}/home`,
      XDG_RUNTIME_DIR: `${dir}/run`,
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${dir}/bus`,
      NO_COLOR: "1",
    };
  }

  /** Runs the body with a bus that has nothing on it. */
  static async run(body: (bus: Bus) => Promise<void>): Promise<void> {
    await inTempDir(async (dir) => {
      for (const name of ["run", "services", "home/.cache", "home/.local/share/keyrings"]) {
        Deno.mkdirSync(`${dir}/${name}`, { recursive: true, mode: 0o700 });
      }
      Deno.writeTextFileSync(`${dir}/bus.conf`, BUS(dir));
      const bus = new Bus(dir);
      try {
        await bus.#start("dbus-daemon", ["--nofork", `--config-file=${dir}/bus.conf`]);
        await bus.#until(() => bus.#send("org.freedesktop.DBus.GetId"));
        await body(bus);
      } finally {
        await bus.#end();
      }
    });
  }

  /** Starts a keyring; with a password it is unlocked, and made where there is none. */
  async keyring(password?: string): Promise<Daemon> {
    const unlock = password === undefined ? [] : ["--unlock"];
    const args = ["--foreground", "--components=secrets", ...unlock];
    const child = await this.#start("gnome-keyring-daemon", args, password);
    const owned = "org.freedesktop.DBus.NameHasOwner";
    const asked = () => this.#send(owned, "string:org.freedesktop.secrets");
    await this.#until(async () => (await asked())?.includes("true") ? "there" : undefined);
    return {
      stop: () => child.kill("SIGSTOP"),
      goOn: () => child.kill("SIGCONT"),
      end: () => end(child),
    };
  }

  /** A service that is started when it is asked for, and never comes up. */
  neverComesUp(name: string): void {
    const text = `[D-BUS Service]\nName=${name}\nExec=/bin/sleep 10\n`;
    Deno.writeTextFileSync(`${this.#dir}/services/${name}.service`, text);
  }

  /** Asks the keychain, one after the other, and says what came of each. */
  async ask(asks: Ask[], options: { patience?: number } = {}): Promise<Told[]> {
    await this.#send("org.freedesktop.DBus.ReloadConfig");
    return await askKeychain(asks, { ...options, env: this.env });
  }

  async #start(program: string, args: string[], input?: string): Promise<Deno.ChildProcess> {
    const child = new Deno.Command(program, {
      args,
      clearEnv: true,
      env: this.env,
      stdin: input === undefined ? "null" : "piped",
      stdout: "null",
      stderr: "null",
    }).spawn();
    this.#children.push(child);
    if (input !== undefined) {
      const writer = child.stdin.getWriter();
      await writer.write(new TextEncoder().encode(input));
      await writer.close();
    }
    return child;
  }

  /** Asks the bus itself; undefined when it does not answer. */
  async #send(method: string, ...args: string[]): Promise<string | undefined> {
    const { success, stdout } = await new Deno.Command("dbus-send", {
      args: ["--session", "--print-reply", "--reply-timeout=2000"]
        .concat("--dest=org.freedesktop.DBus", "/org/freedesktop/DBus", method, args),
      clearEnv: true,
      env: this.env,
      stderr: "null",
    }).output();
    return success ? new TextDecoder().decode(stdout) : undefined;
  }

  async #until(there: () => Promise<string | undefined>): Promise<void> {
    for (let tries = 0; tries < 200; tries++) {
      if (await there() !== undefined) return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error("what the test needs did not come up");
  }

  async #end(): Promise<void> {
    for (const child of this.#children.reverse()) await end(child);
  }
}

async function end(child: Deno.ChildProcess): Promise<void> {
  try {
    child.kill("SIGKILL");
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // it has ended
  }
  await child.status;
}

/** Asks the keychain in a process of its own. */
export async function askKeychain(
  asks: Ask[],
  { env, patience, addon }: { env: Record<string, string>; patience?: number; addon?: string },
): Promise<Told[]> {
  const options = { ...(patience === undefined ? {} : { patience }), ...(addon ? { addon } : {}) };
  const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--config", CONFIG, DRIVER]
      .concat(JSON.stringify(asks), JSON.stringify(options)),
    clearEnv: true,
    env: { ...env, DENO_DIR: denoDir() },
  }).output();
  const text = new TextDecoder();
  if (!success) throw new Error(text.decode(stderr));
  return JSON.parse(text.decode(stdout));
}

/** Where this test's runtime keeps its packages; in another home it would look elsewhere. */
function denoDir(): string {
  const { stdout } = new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).outputSync();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}
