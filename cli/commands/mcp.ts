// `shieldfive mcp`: serves the tools to an assistant over standard input and output. The rooms are
// opened first; once they have loaded, this thread gives up every right that it has, and from then
// on only the rooms can touch the granted folders (architecture, "Rooms").

import "../../containment/native_path.ts";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { nativeRules, type OpenedRoots, openRoots, quote } from "../../containment/mod.ts";
import { catalogue, PlanStore } from "../../tools/mod.ts";
import { Session } from "../../tools/session.ts";
import type { Environment } from "../environment.ts";
import { Interrupts } from "../interrupt.ts";
import { Calls } from "../mcp/calls.ts";
import { end } from "../mcp/ending.ts";
import { Log } from "../mcp/log.ts";
import { Registration } from "../mcp/registration.ts";
import { serverFactory } from "../mcp/server.ts";
import { keepingSchema } from "../mcp/schemas.ts";
import { guardStdout } from "../mcp/stdout.ts";
import { MCP_OPTIONS, requireToolSets } from "../mcp/options.ts";
import type { VaultAccess } from "../mcp/vault_access.ts";
import { StdioWire } from "../mcp/wire.ts";
import { parseWords } from "../parse.ts";
import { protectedPaths } from "../places.ts";
import { giveUpRights } from "../rights.ts";
import { VERSION } from "../version.ts";

interface Arguments {
  candidates: string[];
  readOnly: boolean;
  clientRoots: "ignore" | "narrow";
}

/** @throws UsageError */
function readArguments(words: string[], { variables }: Environment): Arguments {
  const { values, operands } = parseWords(words, MCP_OPTIONS);
  requireToolSets((values.get("with") ?? []) as string[]);
  return {
    candidates: [
      ...operands,
      ...(variables.SHIELDFIVE_MCP_ROOTS ?? "").split(nativeRules.delimiter),
    ],
    readOnly: values.get("read-only") === true,
    clientRoots: values.get("client-roots") === "narrow" ? "narrow" : "ignore",
  };
}

/**
 * Serves until the client goes away or a signal asks to stop, and gives the exit code. The process is
 * to be ended then: a read of standard input may still be waiting.
 *
 * @throws UsageError when the arguments cannot be understood; nothing was served.
 */
export async function mcp(words: string[], environment: Environment): Promise<number> {
  const { candidates, readOnly, clientRoots } = readArguments(words, environment);
  const withVault = environment.variables.SHIELDFIVE_GRANT?.trim() !== "none";
  if (withVault) (await import("../connection/server.ts")).serverSaid(environment); // refused at once
  else giveUpRights(["read", "write", "env", "sys", "import"]);
  const write = guardStdout();
  const log = new Log((bytes) => Deno.stderr.write(bytes));
  logBugs(log);
  const opened = openRoots(candidates, { home: environment.home });
  announce(opened, withVault ? "the tools for folders" : "every tool", log);
  const session = new Session({
    roots: opened.roots,
    version: VERSION,
    protectedPaths: protectedPaths(environment),
    uid: Deno.uid() ?? undefined,
    log: log.line,
  });
  const wire = new StdioWire({ read: (into) => Deno.stdin.read(into), write, log: log.line });
  const tools = catalogue.map(keepingSchema);
  const hasRoots = opened.roots.length > 0;
  const vault = withVault ? await vaultAccess(environment, session, log) : undefined;
  const registration = new Registration({ tools, readOnly, hasRoots, vault });
  try {
    await serve({ session, wire, log, readOnly, clientRoots, registration, vault });
    return 0;
  } finally {
    session.close();
    vault?.close();
  }
}

/** The way to the vault; whoever wants none does not load it. */
async function vaultAccess(
  environment: Environment,
  session: Session,
  { line }: Log,
): Promise<VaultAccess> {
  const { VaultAccess } = await import("../mcp/vault_access.ts");
  return new VaultAccess({ environment, session, log: line });
}

interface Serving extends Pick<Arguments, "readOnly" | "clientRoots"> {
  session: Session;
  wire: StdioWire;
  log: Log;
  registration: Registration;
  vault?: VaultAccess;
}

async function serve(serving: Serving): Promise<void> {
  const { session, wire, log, readOnly, clientRoots, registration, vault } = serving;
  using interrupts = new Interrupts(() => {});
  const ready = openRooms(serving).then(() => log.line(readOnly ? "ready, read-only" : "ready"));
  const common = { schemas: z, log: log.line };
  const calls = new Calls({ ...common, session, ready, vault, plans: new PlanStore() });
  serveStdio(serverFactory({ ...common, version: VERSION, registration, calls, clientRoots }), {
    transport: wire,
    onerror: (error) => log.line(error.message),
  });
  const signal = Promise.withResolvers<"signal">();
  interrupts.signal.addEventListener("abort", () => signal.resolve("signal"));
  const failure = ready.then(() => new Promise<never>(() => {}));
  const why = await Promise.race([wire.ended, signal.promise, failure]);
  await end(why, { calls, wire, log });
}

/** Failures that nothing caught are told on stderr and do not end the server. */
function logBugs(log: Log): void {
  const tell = (what: unknown) =>
    log.line(`a bug in shieldfive: ${what instanceof Error ? what.stack ?? what.message : what}`);
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    tell(event.reason);
  });
  globalThis.addEventListener("error", (event) => {
    event.preventDefault();
    tell(event.error);
  });
}

/** Milliseconds that a client has for its first request before the rooms are opened. */
const FIRST_REQUEST = 100;

/**
 * Opens the rooms and then gives up this thread's rights. Opening a room holds up this thread, so a
 * client that speaks at once is answered first; a call waits for its room. A keychain may take seconds to
 * say whether there is a connection: calls for folders do not wait for that, and until it is known this
 * thread keeps what opening the rooms of the vault takes, and nothing else.
 */
async function openRooms({ session, registration, wire, vault }: Serving): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, FIRST_REQUEST);
  await Promise.race([wire.answered, late]);
  clearTimeout(timer);
  session.open(registration.callable, 2);
  if (vault === undefined) {
    await session.ready();
    return giveUpRights();
  }
  await Promise.all([session.ready(), vault.openStore()]);
  giveUpRights(["read", "net", "run", "ffi"]);
  void vault.open().then(() => giveUpRights());
}

/**
 * Says on stderr which folders are served and which are not, and why.
 *
 * @param refused what will not work without any folder.
 */
function announce({ roots, rejected, warnings }: OpenedRoots, refused: string, log: Log): void {
  for (const { candidate, reason } of rejected) {
    log.line(`the root ${quote(candidate)} is ignored: ${reason}`);
  }
  for (const warning of warnings) log.line(`warning: ${warning}`);
  if (roots.length > 0) {
    const paths = roots.map((root) => quote(root.path)).join(", ");
    return log.line(`serving ${roots.length} ${roots.length === 1 ? "root" : "roots"}: ${paths}`);
  }
  log.line(`NO ROOTS: no folder was granted, so ${refused} will refuse to work`);
  log.line(
    "to grant folders, name them as absolute paths after `shieldfive mcp`, or set " +
      `SHIELDFIVE_MCP_ROOTS (separated by ${quote(nativeRules.delimiter)}), and start again`,
  );
}
