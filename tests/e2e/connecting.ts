// A vault on a real server with its owner, and the real program that connects to it: in a home of its own,
// with a browser that only notes what it was to open, and an owner who answers in the browser's place.

import assert from "node:assert/strict";
import { OwnerVault } from "../../vault/owner/mod.ts";
import { type Finished, type RunOptions, shieldfive, start } from "../cli/program.ts";
import { plant } from "../support.ts";
import { startServing } from "../vault/server/serving.ts";
import { PASSPHRASE } from "../vault/owner/support.ts";

/** A vault that is served, with a folder in it. */
export interface Hosted {
  origin: string;
  vault: OwnerVault;
  /** Makes a connection to that folder. */
  grant(): Promise<{ id: string; connectionString: string }>;
}

/** Serves a vault, until it is disposed of. */
export async function host(): Promise<Hosted & AsyncDisposable> {
  const dir = Deno.makeTempDirSync({ prefix: "shieldfive-" });
  const serving = await startServing(`${dir}/data`);
  const { origin, setupToken = "" } = serving;
  const { vault } = await OwnerVault.create({ origin, setupToken, passphrase: PASSPHRASE });
  await vault.refresh();
  const folder = await vault.createFolder(null, "Papers");
  return {
    origin,
    vault,
    async grant() {
      const { grant, connectionString } = await vault.createGrant({
        label: "A test",
        clientHint: "other",
        scopes: ["read", "organize"],
        folderIds: [folder.id],
        expiresInMs: 3_600_000,
      });
      return { id: grant.id, connectionString };
    },
    async [Symbol.asyncDispose]() {
      await vault.lock();
      await serving.stop();
      Deno.removeSync(dir, { recursive: true });
    },
  };
}

/** A user's home, with a browser in it. */
export interface Home {
  dir: string;
  env: Record<string, string>;
  /** The connection file. */
  file: string;
  /** What remembers the servers. */
  servers: string;
  /** The addresses that the browser was given. */
  opened(): string[];
  run(args: string[], options?: RunOptions): Promise<Finished>;
}

/**
 * Makes a home below a folder.
 *
 * @param browser shell text that the browser runs; it notes the address first.
 */
export function homeIn(
  dir: string,
  { browser = "", env = {} }: { browser?: string; env?: Record<string, string> } = {},
): Home {
  plant(dir, { "home/": "", "bin/": "" });
  const script =
    `#!/bin/sh\nprintf '%s\\n' "$@" >> ${dir}/opened\nenv >> ${dir}/browser-env\n${browser}\n`;
  Deno.writeTextFileSync(`${dir}/bin/xdg-open`, script, { mode: 0o755 });
  const { PATH = "", DENO_DIR, HOME = "" } = Deno.env.toObject();
  const whole = {
    HOME: `${dir}/home`,
    XDG_CONFIG_HOME: "",
    XDG_STATE_HOME: "",
    XDG_CACHE_HOME: "",
    SHIELDFIVE_MCP_CONFIG_DIR: "",
    DENO_DIR: DENO_DIR ?? `${HOME}/.cache/deno`,
    PATH: `${dir}/bin:${PATH}`,
    ...env,
  };
  return {
    dir,
    env: whole,
    file: `${dir}/home/.config/shieldfive-mcp/connection`,
    servers: `${dir}/home/.local/state/shieldfive/vault.json`,
    opened: () => linesOf(`${dir}/opened`),
    run: (args, options = {}) =>
      shieldfive(args, { cwd: dir, ...options, env: { ...whole, ...options.env } }),
  };
}

function linesOf(file: string): string[] {
  try {
    return Deno.readTextFileSync(file).split("\n").filter((line) => line !== "");
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return [];
  }
}

/** A login that waits for the browser. */
export interface WaitingLogin {
  /** The address that it printed. */
  address: string;
  pid: number;
  /** Delivers as the page does. */
  deliver(fields: Record<string, string>, origin?: string): Promise<number>;
  finished: Promise<Finished>;
  interrupt(): void;
}

const ADDRESS = /^shieldfive: (https?:\/\/\S+\/files\?\S+)$/m;

/** Starts `login` and waits for the address that it prints. */
export async function startLogin(
  { env, dir }: Home,
  args: string[],
  options: { env?: Record<string, string> } = {},
): Promise<WaitingLogin> {
  const child = start(["login", ...args], { cwd: dir, env: { ...env, ...options.env } });
  await child.stdin.close();
  const told = Promise.withResolvers<string>();
  const stdout = new Response(child.stdout).text();
  const stderr = readUntil(child.stderr, (text) => {
    const [, address] = ADDRESS.exec(text) ?? [];
    if (address !== undefined) told.resolve(address);
  });
  stderr.then((text) => told.reject(new Error(text)));
  const finished = Promise.all([child.status, stdout, stderr])
    .then(([{ code }, stdout, stderr]) => ({ code, stdout, stderr }));
  const address = await told.promise;
  return {
    address,
    pid: child.pid,
    finished,
    interrupt: () => child.kill("SIGINT"),
    async deliver(fields, origin) {
      const { searchParams, origin: own } = new URL(address);
      const body = new URLSearchParams({ state: searchParams.get("connect")!, ...fields });
      const answer = await fetch(`http://127.0.0.1:${searchParams.get("port")}/callback`, {
        method: "POST",
        headers: { origin: origin ?? own },
        body,
      });
      await answer.body?.cancel();
      return answer.status;
    },
  };
}

async function readUntil(
  stream: ReadableStream<Uint8Array>,
  heard: (text: string) => void,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of stream) {
    text += decoder.decode(bytes, { stream: true });
    heard(text);
  }
  return text;
}

/** Fails when any secret part of a connection string is in a text. */
export function expectNoSecret(connectionString: string, ...texts: string[]): void {
  const [, token, secret] = connectionString.split(".");
  for (const text of texts) {
    for (const part of [token, secret]) assert.ok(!text.includes(part), "a secret was printed");
  }
}
