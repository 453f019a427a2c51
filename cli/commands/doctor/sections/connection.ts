// The connection to a vault: where it comes from, whether it can be read, and whether one could be kept.
// Whether it still holds only its server knows, and no server is asked here.

import { ToolError } from "../../../../containment/mod.ts";
import { type Found, type Trouble, troubleOf } from "../../../../vault/credential/mod.ts";
import { shortId } from "../../../connection/show.ts";
import type { ConnectionState } from "../connection_state.ts";
import { type Finding, note, ok, problem } from "../finding.ts";
import type { Section } from "../section.ts";

export const connection: Section = {
  name: "connection",
  title: "Connection to a vault",
  look: ({ connection }) => [
    ...found(connection),
    ...server(connection),
    ...keychain(connection),
    ...file(connection),
  ],
};

const PLACES = { env: "SHIELDFIVE_GRANT", keychain: "the system keychain", file: "its file" };

function found({ found, file }: ConnectionState): Finding[] {
  if (found instanceof ToolError) {
    // The keychain has a finding of its own.
    if (troubleOf(found) !== undefined) return [];
    const { code, message, detail } = found;
    if (code !== "invalid_connection_string") {
      return [problem("connection", message, `look at ${file?.path}`, { data: { code } })];
    }
    const [text] = message.split(";");
    const fix = detail?.source === "env"
      ? "set it to the whole string, to `none`, or not at all"
      : "`shieldfive login` replaces it, `shieldfive logout` removes it";
    return [problem("connection", text, fix, { data: { code, source: detail?.source } })];
  }
  if (found.state === "off") {
    return [ok("connection", "turned off: SHIELDFIVE_GRANT is `none`", { data: { state: "off" } })];
  }
  if (found.state === "none") {
    const text = "none is configured; `shieldfive login` makes one";
    return [ok("connection", text, { data: { state: "none" } })];
  }
  const { source, path, credential } = found.kept;
  const id = shortId(credential.grantId);
  const data = { state: "connected", id, source, ...(path === undefined ? {} : { path }) };
  return [ok("connection", `connection ${id}, from ${path ?? PLACES[source]}`, { data })];
}

function server({ server }: ConnectionState): Finding[] {
  if (server === undefined) return [];
  if (server instanceof ToolError) {
    const { code, message } = server;
    if (code !== "invalid_origin") {
      const fix = "mend or remove the file that remembers the servers of connections";
      return [problem("connection.server", message, fix, { data: { code } })];
    }
    const text = "SHIELDFIVE_API_URL is no address that a connection may be sent to";
    const fix = "set it to https://…, or to http:// for this machine alone; or unset it";
    return [problem("connection.server", text, fix, { data: { code } })];
  }
  return [
    ok("connection.server", `its server is ${server}; it was not asked`, { data: { server } }),
  ];
}

/** What the keychain says, and what can be done where it is of no use. */
const TROUBLES: Record<Trouble, [text: string, fix: string]> = {
  absent: ["there is no system keychain that can be used", "`shieldfive login --store file`"],
  locked: [
    "the system keychain is locked; whether a connection is in it is not known",
    "unlock it",
  ],
  not_answering: [
    "the system keychain does not answer; whether a connection is in it is not known",
    "unlock it if it asks for that in a window of its own, or start it again",
  ],
  failed: ["the system keychain cannot be used", "use `shieldfive login --store file`"],
};

function keychain({ found, askedKeychain }: ConnectionState): Finding[] {
  const check = "connection.keychain";
  if (!askedKeychain) {
    return [ok(check, "the system keychain was not asked, since SHIELDFIVE_GRANT is set")];
  }
  const trouble = troubleIn(found);
  if (trouble === undefined) {
    return [ok(check, "the system keychain answers", { data: { keychain: "ok" } })];
  }
  const [text, fix] = TROUBLES[trouble];
  const reason = found instanceof ToolError ? found.detail?.reason : undefined;
  const data = { keychain: trouble, ...(reason === undefined ? {} : { reason }) };
  // A machine can do without one.
  if (trouble === "absent") return [ok(check, `${text}; ${fix} does without`, { data })];
  return [note(check, text, { fix, data })];
}

function troubleIn(found: Found | ToolError): Trouble | undefined {
  return found instanceof ToolError ? troubleOf(found) : found.trouble;
}

function file({ file }: ConnectionState): Finding[] {
  if (file?.mode === undefined || (file.mode & 0o077) === 0) return [];
  const mode = file.mode.toString(8);
  const text = `${file.path} can be read or written by other users (mode ${mode})`;
  const fix =
    "`shieldfive status` closes it; revoke the connection where somebody may have read it";
  return [note("connection.file", text, { fix, data: { path: file.path, mode } })];
}
