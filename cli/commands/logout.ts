// `shieldfive logout`: forgets the connection on this machine, wherever it is kept. The connection itself
// goes on until its owner revokes it (vault spec, 12).

import "../../containment/native_path.ts";
import { ToolError } from "../../containment/mod.ts";
import type { CredentialStore, Source } from "../../vault/credential/mod.ts";
import { storeRooms } from "../connection/granted.ts";
import { credentialPlaces } from "../connection/places.ts";
import { openStore } from "../connection/rooms.ts";
import type { Environment } from "../environment.ts";
import { EXIT, hint, reportFailure, warn } from "../messages.ts";
import { RESULTS } from "../options.ts";
import { parseWords } from "../parse.ts";
import { grantedLines } from "../permissions.ts";
import { giveUpRights } from "../rights.ts";
import { UsageError } from "../usage.ts";

/**
 * Forgets the connection, and gives the exit code: 0 also when there was none, 1 when one may be left.
 *
 * @throws UsageError when the arguments cannot be understood; nothing was removed.
 */
export async function logout(args: string[], environment: Environment): Promise<number> {
  const { values, operands } = parseWords(args, RESULTS);
  if (operands.length > 0) throw new UsageError("logout takes no operands");
  const json = values.get("json") === true;
  try {
    if (values.get("show-permissions") === true) {
      environment.stdout.write(grantedLines(storeRooms(environment)).join("\n") + "\n");
      return EXIT.done;
    }
    using open = new DisposableStack();
    const places = credentialPlaces(environment);
    const { store } = open.adopt(await openStore(environment, places), (rooms) => rooms.close());
    giveUpRights();
    const { removed, failures, warnings } = await store.remove();
    for (const warning of warnings) warn(environment, warning);
    if (failures.length > 0) throw partly(removed, failures);
    show(removed, store, { json, environment });
    return EXIT.done;
  } catch (error) {
    return reportFailure(error, environment, json);
  }
}

const PLACES: Record<Source, string> = {
  env: "the environment",
  keychain: "the system keychain",
  file: "the connection file",
};

function listed(removed: readonly Source[]): string {
  return removed.map((source) => PLACES[source]).join(" and ");
}

/** One place failed: what was removed from another is said as well. */
function partly(removed: readonly Source[], failures: readonly ToolError[]): ToolError {
  const [first] = failures;
  const done = removed.length === 0
    ? "nothing was removed"
    : `the connection was removed from ${listed(removed)} alone`;
  return new ToolError(
    first.code,
    `${failures.map(({ message }) => message).join("; ")}; ${done}, and one may be left`,
    { changedAnything: removed.length > 0, detail: { removed } },
  );
}

function show(
  removed: readonly Source[],
  { variable }: CredentialStore,
  { json, environment }: { json: boolean; environment: Environment },
): void {
  if (variable === "set") {
    warn(environment, "SHIELDFIVE_GRANT still holds a connection; unset it where it is set");
  }
  const text = removed.length === 0
    ? "There was no connection to remove."
    : `The connection was removed from ${listed(removed)}.`;
  environment.stdout.write(json ? JSON.stringify({ removed }, null, 2) + "\n" : `${text}\n`);
  if (removed.length === 0) return;
  hint(
    environment,
    "whoever copied the connection can still use it: revoke it in ShieldFive, Settings, AI assistants",
  );
}
