// `shieldfive login`: connects this machine to a vault, by way of the browser or with a connection string
// that was copied there. Whether the connection can be kept is found out before anybody is asked for
// anything, and it is kept only when the server accepts it (vault spec, 12).

import "../../containment/native_path.ts";
import { ToolError } from "../../containment/mod.ts";
import type { GrantQuestion } from "../../vault/client/check.ts";
import { orAborted } from "../../vault/client/timing.ts";
import { type Connected, Connector, Handoff } from "../../vault/connect/mod.ts";
import { serverFor } from "../../vault/credential/mod.ts";
import { browserRoom, serverRoom, storeRooms } from "../connection/granted.ts";
import { findOpener } from "../connection/opener.ts";
import { credentialPlaces, makeFolders } from "../connection/places.ts";
import { openStore } from "../connection/rooms.ts";
import { ServerRoom, serverSaid } from "../connection/server.ts";
import type { Environment } from "../environment.ts";
import { Interrupts } from "../interrupt.ts";
import { EXIT, reportFailure, say } from "../messages.ts";
import { grantedLines } from "../permissions.ts";
import { giveUpRights } from "../rights.ts";
import { openTerminal } from "../terminal/prompt.ts";
import { UsageError } from "../usage.ts";
import { connectInBrowser } from "./login/browser.ts";
import { readPasted } from "./login/paste.ts";
import { requireStore, warnOfVariable } from "./login/prepare.ts";
import { type LoginRequest, readRequest } from "./login/request.ts";
import { showConnected } from "./login/show.ts";
import { storeAgain } from "./login/store_again.ts";

/**
 * Connects, and gives the exit code.
 *
 * @throws UsageError when the arguments cannot be understood; nothing was done.
 */
export async function login(args: string[], environment: Environment): Promise<number> {
  const request = readRequest(args);
  using interrupts = new Interrupts(() =>
    say(environment, "stopping; the same again ends the program at once")
  );
  const { signal } = interrupts;
  try {
    const said = serverSaid(environment, request.server);
    if (request.showPermissions) {
      const rooms = [
        ...storeRooms(environment),
        ...request.how === "browser" ? [browserRoom(environment, request.browser)] : [],
        serverRoom(environment, said),
      ];
      environment.stdout.write(grantedLines(rooms).join("\n") + "\n");
      return EXIT.done;
    }
    await connect(request, { environment, said, signal });
    return EXIT.done;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    // What was being waited for ends as cancelled.
    const stopped = signal.aborted && error instanceof ToolError && error.code === "cancelled";
    return reportFailure(stopped ? signal.reason : error, environment, request.json);
  }
}

interface Surroundings {
  environment: Environment;
  /** The server that was named for this call. */
  said?: string;
  signal: AbortSignal;
}

function openHandoff({ browser }: LoginRequest, environment: Environment): Handoff {
  const opener = browser ? findOpener(environment) : undefined;
  return new Handoff(opener, (line) => say(environment, line));
}

/** Everything that takes rights comes first; they are given up before anything comes in from outside. */
async function connect(
  request: LoginRequest,
  { environment, said, signal }: Surroundings,
): Promise<void> {
  const log = (line: string) => say(environment, line);
  const terminal = openTerminal(environment);
  const places = credentialPlaces(environment);
  using open = new DisposableStack();
  const rooms = open.adopt(await openStore(environment, places), (rooms) => rooms.close());
  const { store, files } = rooms;
  warnOfVariable(store, environment);
  await orAborted(requireStore(request.where, rooms, environment), signal);
  makeFolders(places);
  const given = request.how === "paste"
    ? await readPasted(environment, terminal, signal)
    : undefined;
  const servers = await files.servers();
  const origin = serverFor({ said, servers, grantId: given?.grantId, isNew: true });
  const server = open.adopt(new ServerRoom(origin, log), (room) => room.close());
  const handoff = given === undefined
    ? open.adopt(openHandoff(request, environment), (room) => room.close())
    : undefined;
  await Promise.all([server.ready, handoff?.ready]);
  giveUpRights();
  const check = (question: GrantQuestion) => server.check(question, signal);
  const connector = new Connector({ handoff, store, where: request.where, check });
  const made: Connected = given === undefined
    ? await connectInBrowser(request, { connector, origin, environment, signal })
    : await connector.accept(given.text, origin);
  const again = { connector, file: files.path, environment, terminal, signal };
  const connected = await storeAgain(made, again);
  showConnected(connected, { json: request.json, file: files.path, environment });
}
