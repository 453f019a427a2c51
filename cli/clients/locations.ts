// Where assistants keep the list of the servers that they start, on each system, and what an entry looks
// like there (mediation spec, 16.1). Pure, so that every system's table can be tested on any of them.

import { posix, win32 } from "node:path";
import type { Variables } from "../environment.ts";

type System = typeof Deno.build.os;

/** Anything that JSON can say. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** An assistant, or another program that starts servers. */
export interface Client {
  /** What a person types. */
  id: string;
  title: string;
  format: "json" | "toml";
  /** The key of the object or table that holds the servers by name. */
  container: string;
  /** What an entry has beside its command and arguments. */
  extra: { [key: string]: Json };
}

/** One file of a client. */
export interface Location {
  client: Client;
  file: string;
  /** The client is taken to be there when this folder is, even before it has such a file. */
  sign: string;
}

const STDIO = { type: "stdio" };

const CLIENTS = {
  claudeDesktop: client("claude-desktop", "Claude Desktop"),
  claudeCode: client("claude-code", "Claude Code", { extra: STDIO }),
  cursor: client("cursor", "Cursor"),
  vscode: client("vscode", "VS Code", { container: "servers", extra: STDIO }),
  windsurf: client("windsurf", "Windsurf"),
  gemini: client("gemini", "Gemini CLI"),
  codex: client("codex", "Codex CLI", { format: "toml", container: "mcp_servers" }),
  zed: client("zed", "Zed", { container: "context_servers" }),
  cline: client("cline", "Cline"),
  clineBefore4: client("cline-vscode", "Cline before 4, in VS Code"),
  roo: client("roo", "Roo Code"),
  // It ignores the tools of an entry that does not name any.
  copilot: client("copilot", "Copilot CLI", { extra: { type: "local", tools: ["*"] } }),
};

function client(id: string, title: string, over: Partial<Client> = {}): Client {
  return { id, title, format: "json", container: "mcpServers", extra: {}, ...over };
}

/** Every client that there is an entry form for. */
export const EVERY_CLIENT: readonly Client[] = Object.values(CLIENTS);

/** The form that most programs share which start servers. */
export const COMMON_FORM: Client = client("any", "any program that starts servers");

/** What decides where a user's files are. */
export interface Surroundings {
  variables: Variables;
  home?: string;
  os?: System;
}

/** The files that hold for all that a user does; none when no home folder is known. */
export function userLocations(
  { variables, home, os = Deno.build.os }: Surroundings,
): Location[] {
  if (home === undefined) return [];
  const { join, dirname, isAbsolute } = os === "windows" ? win32 : posix;
  const moved = (folder: string | undefined) =>
    folder !== undefined && isAbsolute(folder) ? folder : undefined;
  const support = applicationSupport(variables, home, os);
  const at = (client: Client, ...names: string[]): Location => {
    const file = join(...names);
    return { client, file, sign: dirname(file) };
  };
  const code = join(support, "Code", "User");
  const extension = (id: string) => join(code, "globalStorage", id, "settings");
  const claude = moved(variables.CLAUDE_CONFIG_DIR);
  return [
    at(CLIENTS.claudeDesktop, support, "Claude", "claude_desktop_config.json"),
    // Its file lies in the home folder, which says nothing about the program.
    claude === undefined
      ? { ...at(CLIENTS.claudeCode, home, ".claude.json"), sign: join(home, ".claude") }
      : at(CLIENTS.claudeCode, claude, ".claude.json"),
    at(CLIENTS.cursor, home, ".cursor", "mcp.json"),
    at(CLIENTS.vscode, code, "mcp.json"),
    at(CLIENTS.windsurf, home, ".codeium", "windsurf", "mcp_config.json"),
    at(CLIENTS.gemini, home, ".gemini", "settings.json"),
    at(CLIENTS.codex, moved(variables.CODEX_HOME) ?? join(home, ".codex"), "config.toml"),
    at(CLIENTS.zed, zedFolder(support, home, os), "settings.json"),
    at(CLIENTS.cline, home, ".cline", "data", "settings", "cline_mcp_settings.json"),
    at(CLIENTS.clineBefore4, extension("saoudrizwan.claude-dev"), "cline_mcp_settings.json"),
    at(CLIENTS.roo, extension("rooveterinaryinc.roo-cline"), "mcp_settings.json"),
    at(CLIENTS.copilot, moved(variables.COPILOT_HOME) ?? join(home, ".copilot"), "mcp-config.json"),
  ];
}

/** The folder in which a system wants the configuration of programs. */
function applicationSupport(variables: Variables, home: string, os: System): string {
  if (os === "windows") return variables.APPDATA ?? win32.join(home, "AppData", "Roaming");
  if (os === "darwin") return posix.join(home, "Library", "Application Support");
  // The base directory rules say that a relative value is to be ignored.
  const base = variables.XDG_CONFIG_HOME;
  return base !== undefined && posix.isAbsolute(base) ? base : posix.join(home, ".config");
}

function zedFolder(support: string, home: string, os: System): string {
  if (os === "windows") return win32.join(support, "Zed");
  return os === "darwin" ? posix.join(home, ".config", "zed") : posix.join(support, "zed");
}

/** The files that hold for one project. */
export function projectLocations(folder: string, os: System = Deno.build.os): Location[] {
  const { join, dirname } = os === "windows" ? win32 : posix;
  const at = (client: Client, ...names: string[]): Location => {
    const file = join(folder, ...names);
    return { client, file, sign: dirname(file) };
  };
  return [
    { ...at(CLIENTS.claudeCode, ".mcp.json"), sign: join(folder, ".claude") },
    at(CLIENTS.cursor, ".cursor", "mcp.json"),
    at(CLIENTS.vscode, ".vscode", "mcp.json"),
    at(CLIENTS.gemini, ".gemini", "settings.json"),
  ];
}
