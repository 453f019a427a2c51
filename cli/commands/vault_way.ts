// How a command for the vault comes to be carried out: the connection is looked for, the rooms for its server
// are opened, this thread gives up its rights, and only then is anything asked of the server. What a person
// typed for items of the vault, paths or ids, becomes ids before the call.

import { type RoomKind, ToolError } from "../../containment/mod.ts";
import { checkInput } from "../../tools/input.ts";
import { Session } from "../../tools/session.ts";
import { type Tool, usesFolders } from "../../tools/tool.ts";
import { kdfRoomGrant } from "../../tools/vault_rooms.ts";
import { type Found, type Kept, serverFor } from "../../vault/credential/mod.ts";
import { serverRoom, storeRooms } from "../connection/granted.ts";
import { credentialPlaces } from "../connection/places.ts";
import { openStore } from "../connection/rooms.ts";
import { serverSaid } from "../connection/server.ts";
import type { Environment } from "../environment.ts";
import { warn } from "../messages.ts";
import type { Parsed } from "../parse.ts";
import { protectedPaths } from "../places.ts";
import { giveUpRights } from "../rights.ts";
import type { Reach } from "../roots.ts";
import { VERSION } from "../version.ts";
import { type Call, callFor, inputFor } from "./call.ts";
import { inOptionTerms, type Opening, type Ready } from "./rooms.ts";
import type { Way } from "./tool_command.ts";

type Input = Record<string, unknown>;

/** The reach of a tool that takes no local file. */
const NO_FOLDERS: Reach = { roots: [], notices: [] };
/** The rooms for a tool that does. */
const DISK_ROOMS: readonly RoomKind[] = ["disk-write", "link"];

/** @throws UsageError */
export function vaultWay(tool: Tool<never>, parsed: Parsed, environment: Environment): Way {
  const call = usesFolders(tool)
    ? callFor(tool, parsed, environment)
    : { input: inputFor(tool, parsed), reach: NO_FOLDERS };
  const { notices, roots } = call.reach;
  const granted = roots.map(({ path }) => path);
  return {
    notices,
    rooms: () => [
      ...storeRooms(environment),
      serverRoom(environment, serverSaid(environment)),
      kdfRoomGrant(),
      ...(roots.length === 0 ? [] : DISK_ROOMS.map((kind) => ({ kind, granted }))),
    ],
    open: (opening) => open(tool, call, environment, opening),
  };
}

async function open(
  tool: Tool<never>,
  { input, reach }: Call,
  environment: Environment,
  opening: Opening,
): Promise<Ready> {
  const { z } = await import("zod");
  const checked = inOptionTerms(tool, () => checkInput(tool, z, withStandIns(tool, input)));
  const { kept, origin } = await connectionOf(environment);
  const session = new Session({
    roots: reach.roots,
    version: VERSION,
    protectedPaths: protectedPaths(environment),
    uid: Deno.uid() ?? undefined,
    log: opening.log,
  });
  try {
    session.open([tool]);
    session.openVault(origin);
    await session.ready();
    giveUpRights();
    const vault = await session.vault();
    await vault.adopt(kept.text);
    const typed = typedItems(tool, input);
    const ids = Object.keys(typed).length === 0 ? {} : await vault.resolve(typed, opening);
    return { session, input: { ...checked, ...ids } };
  } catch (error) {
    session.close();
    throw error;
  }
}

/** The connection and the server that it is for. @throws ToolError `not_connected`, and as the store. */
async function connectionOf(environment: Environment): Promise<{ kept: Kept; origin: string }> {
  const said = serverSaid(environment);
  const { store, files, close } = await openStore(environment, credentialPlaces(environment));
  try {
    const found = await store.find();
    for (const warning of found.warnings) warn(environment, warning);
    if (found.state !== "connected") throw notConnected(found);
    const { kept } = found;
    const { grantId } = kept.credential;
    const servers = await files.servers();
    return { kept, origin: serverFor({ said, servers, grantId, isNew: false }) };
  } finally {
    close();
  }
}

function notConnected({ state }: Found): ToolError {
  return new ToolError(
    "not_connected",
    state === "off"
      ? "the vault is turned off here: SHIELDFIVE_GRANT is `none`"
      : "there is no connection to a vault; `shieldfive login` makes one",
  );
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** For the check of everything else, in place of what has yet to become an id. */
const STAND_IN = "00000000-0000-7000-8000-000000000000";

/** The input with an id wherever a path was typed. */
function withStandIns({ terminal: { vaultItems = [] } }: Tool<never>, input: Input): Input {
  const stand = (value: unknown) => ID.test(String(value)) ? value : STAND_IN;
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      !vaultItems.includes(name) ? value : Array.isArray(value) ? value.map(stand) : stand(value),
    ]),
  );
}

/** What was typed for items of the vault, where not all of it is ids. */
function typedItems(
  { terminal: { vaultItems = [] } }: Tool<never>,
  input: Input,
): Record<string, string | string[]> {
  const given = vaultItems.flatMap((name) =>
    input[name] === undefined ? [] : [[name, input[name]]]
  );
  const paths = given.filter(([, value]) => ![value].flat().every((text) => ID.test(String(text))));
  return Object.fromEntries(paths);
}
