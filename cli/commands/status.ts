// `shieldfive status`: which connection is configured here, where it comes from, and what the server says it
// is good for (vault spec, 12). It changes nothing, but for closing a connection file to other users.

import "../../containment/native_path.ts";
import { quote, ToolError } from "../../containment/mod.ts";
import { orAborted } from "../../vault/client/timing.ts";
import type { GrantInfo } from "../../vault/client/types.ts";
import { type Found, type Kept, serverFor, type Source } from "../../vault/credential/mod.ts";
import { serverRoom, storeRooms } from "../connection/granted.ts";
import { credentialPlaces } from "../connection/places.ts";
import { openStore } from "../connection/rooms.ts";
import { ServerRoom, serverSaid } from "../connection/server.ts";
import { grantData, grantText, shortId } from "../connection/show.ts";
import type { Environment } from "../environment.ts";
import { Interrupts } from "../interrupt.ts";
import { EXIT, reportFailure, say, warn } from "../messages.ts";
import { RESULTS } from "../options.ts";
import { parseWords } from "../parse.ts";
import { grantedLines } from "../permissions.ts";
import { giveUpRights } from "../rights.ts";
import { UsageError } from "../usage.ts";

/**
 * Reports, and gives the exit code: 0 also when no connection is configured, 1 when one is refused or
 * cannot be looked at.
 *
 * @throws UsageError when the arguments cannot be understood.
 */
export async function status(args: string[], environment: Environment): Promise<number> {
  const { values, operands } = parseWords(args, RESULTS);
  if (operands.length > 0) throw new UsageError("status takes no operands");
  const json = values.get("json") === true;
  using interrupts = new Interrupts(() => say(environment, "stopping"));
  const { signal } = interrupts;
  try {
    const said = serverSaid(environment);
    if (values.get("show-permissions") === true) {
      const rooms = [...storeRooms(environment), serverRoom(environment, said)];
      environment.stdout.write(grantedLines(rooms).join("\n") + "\n");
      return EXIT.done;
    }
    const looked = await look(environment, said, signal);
    for (const warning of looked.found.warnings) warn(environment, warning);
    const text = json ? JSON.stringify(asData(looked), null, 2) : asText(looked).join("\n");
    environment.stdout.write(`${text}\n`);
    return EXIT.done;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    return reportFailure(signal.aborted ? signal.reason : error, environment, json);
  }
}

/** A connection, and what the server says of it. */
interface Looked {
  found: Found;
  known?: { kept: Kept; origin: string; grant: GrantInfo };
}

async function look(
  environment: Environment,
  said: string | undefined,
  signal: AbortSignal,
): Promise<Looked> {
  using open = new DisposableStack();
  const places = credentialPlaces(environment);
  const { store, files } = open.adopt(
    await openStore(environment, places),
    (rooms) => rooms.close(),
  );
  const found = await orAborted(store.find(), signal);
  if (found.state !== "connected") {
    giveUpRights();
    return { found };
  }
  const { kept } = found;
  const { grantId } = kept.credential;
  const origin = serverFor({ said, servers: await files.servers(), grantId, isNew: false });
  const log = (line: string) => say(environment, line);
  const server = open.adopt(new ServerRoom(origin, log), (room) => room.close());
  await server.ready;
  giveUpRights();
  const grant = await asked(server, { kept, origin }, signal);
  return { found, known: { kept, origin, grant } };
}

/** What the server says; a refusal names the connection that is refused. */
async function asked(
  server: ServerRoom,
  { kept, origin }: { kept: Kept; origin: string },
  signal: AbortSignal,
): Promise<GrantInfo> {
  try {
    return await server.check({ connection: kept.text, origin }, signal);
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== "grant_invalid") throw error;
    throw new ToolError(
      "grant_invalid",
      `connection ${shortId(kept.credential.grantId)} from ${placeOf(kept)} was revoked or has ` +
        `expired, says ${origin}; \`shieldfive login\` makes another one`,
      { detail: { id: shortId(kept.credential.grantId), source: kept.source, server: origin } },
    );
  }
}

const PLACES: Record<Source, string> = {
  env: "the variable SHIELDFIVE_GRANT",
  keychain: "the system keychain",
  file: "the connection file",
};

function placeOf({ source, path }: Kept): string {
  return path === undefined ? PLACES[source] : quote(path);
}

function asText({ found, known }: Looked): string[] {
  if (found.state === "off") {
    return ["The vault is turned off here: SHIELDFIVE_GRANT is `none`."];
  }
  if (known === undefined) {
    return ["No connection is configured; `shieldfive login` makes one.", ...troubleText(found)];
  }
  const { kept, origin, grant } = known;
  return [
    `Connected to ${origin}: connection ${shortId(grant.id)} ${grantText(grant)}.`,
    `It comes from ${placeOf(kept)}.`,
    ...troubleText(found),
  ];
}

const TROUBLES: Record<NonNullable<Found["trouble"]>, string> = {
  absent: "There is no system keychain here that can be used.",
  locked: "The system keychain is locked; a connection in it would be used first.",
  not_answering: "The system keychain does not answer; a connection in it would be used first.",
  failed: "The system keychain cannot be used; a connection in it would be used first.",
};

function troubleText({ trouble }: Found): string[] {
  return trouble === undefined ? [] : [TROUBLES[trouble]];
}

function asData({ found, known }: Looked): Record<string, unknown> {
  const keychain = found.trouble === undefined ? {} : { keychain: found.trouble };
  if (known === undefined) {
    return { connected: false, ...(found.state === "off" ? { off: true } : {}), ...keychain };
  }
  const { kept: { source, path }, origin, grant } = known;
  const place = path === undefined ? { source } : { source, path };
  return { connected: true, grant: grantData(grant), server: origin, ...place, ...keychain };
}
