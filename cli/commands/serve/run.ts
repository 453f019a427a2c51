// Serving: both rooms are opened, this thread gives up its rights, the address is printed, and then it only
// waits: for a signal, which lets answers finish, or for the loss of a room, which ends the server.

import type { Listening, ListenOrders } from "../../../vault/server/front_room.ts";
import type { OpenedStore, ServeOrders } from "../../../vault/server/store_room.ts";
import type { Environment } from "../../environment.ts";
import { Interrupts } from "../../interrupt.ts";
import { Log } from "../../mcp/log.ts";
import { EXIT } from "../../messages.ts";
import { giveUpRights } from "../../rights.ts";
import { VERSION } from "../../version.ts";
import { makeDataFolder } from "./data_folder.ts";
import { loadPage } from "./page.ts";
import { listenAddress, type ServeRequest } from "./request.ts";
import { openServingRooms, type ServingRooms } from "./rooms.ts";
import { readTls } from "./tls.ts";

/** Milliseconds for answers that have begun when the server is asked to stop. */
const GRACE = 10_000;
/** The same when the vault is lost: there is nothing left to answer but that. */
const LOST = 2_000;
/** Milliseconds for the last lines of the log. */
const UNREAD = 1_000;

/**
 * Serves until a signal asks it to stop, and gives the exit code.
 *
 * @throws ToolError when it cannot begin, and when a room is lost.
 */
export async function run(request: ServeRequest, environment: Environment): Promise<number> {
  const log = new Log((bytes) => Deno.stderr.write(bytes));
  using interrupts = new Interrupts(() =>
    log.line(
      "stopping when what is being answered is done; the same again ends the program at once",
    )
  );
  const tls = readTls(request.tlsFiles);
  const data = makeDataFolder(request.data);
  const page = await loadPage(environment);
  const rooms = openServingRooms(listenAddress(request), data, log.line);
  try {
    await Promise.all([rooms.front.ready, rooms.store.ready]);
    giveUpRights();
    const { host, port, publicUrl, limits } = request;
    const opened = await rooms.store.call("open", undefined) as OpenedStore;
    const orders: ListenOrders = { host, port, publicUrl, tls, page };
    const { origin } = await rooms.front.call("listen", orders) as Listening;
    const serving = rooms.store.call("serve", { origin, version: VERSION, limits } as ServeOrders);
    announce(`${origin}/`, opened, { request, environment, log });
    await untilTheEnd(rooms, serving, interrupts.signal);
    return EXIT.done;
  } finally {
    rooms.front.close();
    // The database is closed in order where that can still be done.
    if (!rooms.store.stopped) await rooms.store.call("close", undefined);
    rooms.store.close();
    await flushed(log);
  }
}

/** Waits for what was said to be written, but not for somebody who does not read it. */
async function flushed(log: Log): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, UNREAD);
  await Promise.race([log.flush(), late]);
  clearTimeout(timer);
}

/** Says where it serves: the address alone on stdout, everything else on stderr. */
function announce(
  origin: string,
  { setupToken }: OpenedStore,
  { request, environment, log }: { request: ServeRequest; environment: Environment; log: Log },
): void {
  const address = setupToken === undefined ? origin : `${origin}#setup=${setupToken}`;
  log.line(`serving the vault in ${request.data}`);
  if (setupToken !== undefined) {
    log.line("it has no owner yet: whoever opens the address first becomes its owner");
  }
  const text = request.json ? JSON.stringify({ address, ready: true, pid: Deno.pid }) : address;
  environment.stdout.write(`${text}\n`);
}

/** Waits for a signal and ends both rooms in order. @throws ToolError when one of them is lost. */
async function untilTheEnd(
  { front }: ServingRooms,
  serving: Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  const interrupted = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => interrupted.resolve());
  if (signal.aborted) interrupted.resolve();
  const answering = front.call("serve", undefined, { name: "answering requests" });
  try {
    await Promise.race([interrupted.promise, answering, serving]);
    await front.call("stop", GRACE);
  } catch (error) {
    if (!front.stopped) {
      await front.call("lose", undefined);
      await front.call("stop", LOST);
    }
    throw error;
  }
}
