// What a login came to.

import type { Connected } from "../../../vault/connect/mod.ts";
import { grantData, grantText, shortId } from "../../connection/show.ts";
import type { Environment } from "../../environment.ts";
import { warn } from "../../messages.ts";

/** Writes the result, as data or as sentences. */
export function showConnected(
  { grant, origin, stored, warnings }: Connected,
  { json, file, environment }: { json: boolean; file?: string; environment: Environment },
): void {
  for (const warning of warnings) warn(environment, warning);
  const { stdout } = environment;
  if (json) {
    const path = stored === "file" ? { path: file } : {};
    const data = { connected: true, grant: grantData(grant), server: origin, stored, ...path };
    return stdout.write(JSON.stringify(data, null, 2) + "\n");
  }
  const place = stored === "file" ? file : "the system keychain";
  stdout.write(
    `Connected to ${origin}: connection ${shortId(grant.id)} ${grantText(grant)}.\n` +
      `It is kept in ${place}.\n`,
  );
}
