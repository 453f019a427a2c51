// What the man page says in its own words. The tables are complete by their types: a new variable
// or exit code without a line here does not compile.

import type { VARIABLES } from "../../cli/environment.ts";
import type { EXIT } from "../../cli/messages.ts";

export const DESCRIPTION = [
  "`shieldfive` finds what is really the same on a disk, says what takes the space, and " +
  "moves, renames and trashes files without losing any. Its commands work at a terminal, and " +
  "`shieldfive mcp` serves the same tools to an assistant over the Model Context Protocol.",
  "It deletes nothing: what is taken away goes to a trash folder on its own volume, and " +
  "`shieldfive restore` puts it back. It stays inside the folders that it is given, and it " +
  "makes no network connection.",
  "A change is planned first. At a terminal the plan is shown and a question asked; `--yes` " +
  "goes ahead without it and `--dry-run` stops after the plan. Where there is nobody to ask, " +
  "the plan is printed and the exit status is 3.",
  "A command that looks works in the folders that are named, or else in the current one. A " +
  "command that changes something works in the current folder and in those of its operands. " +
  "`--root` and `SHIELDFIVE_MCP_ROOTS` limit both.",
  "Sizes are given as `100MB` or `1.5GiB`, ages as `30d`, `6w` or `2y`. An operand that " +
  "starts with a dash is written after `--`.",
];

export const EXIT_STATUS: Record<keyof typeof EXIT, string> = {
  done: "Done.",
  failed: "Refused or failed. Nothing was changed, unless the message says otherwise.",
  usage: "The command line could not be understood.",
  needsConfirmation: "A change needs a yes and there was nobody to ask. Nothing was changed.",
  partly: "Done in part. The message says what was done.",
  closedPipe: "Whoever read the output went away.",
};

/** Exit codes of a program that a signal stopped. */
export const SIGNALS: [code: string, meaning: string][] = [
  ["129", "Stopped by a hang-up, at a point where stopping is safe."],
  ["130", "The same by the keyboard."],
  ["143", "The same by a request to terminate."],
];

export const ENVIRONMENT: Record<typeof VARIABLES[number], string> = {
  HOME: "The home folder, below which the places under FILES are. Not used on Windows.",
  USERPROFILE: "The same on Windows.",
  APPDATA: "Where the configuration is on Windows.",
  LOCALAPPDATA: "Where state, cache and the data of a hosted vault are on Windows.",
  XDG_CONFIG_HOME: "Where the configuration is on Linux, in place of `~/.config`.",
  XDG_STATE_HOME: "Where the state is on Linux, in place of `~/.local/state`.",
  XDG_CACHE_HOME: "Where the cache is on Linux, in place of `~/.cache`.",
  XDG_DATA_HOME: "Where a hosted vault keeps its data on Linux, in place of `~/.local/share`.",
  NO_COLOR: "When set to anything, nothing is coloured.",
  TERM: "When it is `dumb`, nothing is coloured.",
  COLUMNS: "The width of the terminal, in place of what the terminal says.",
  PATH: "Where a command that is named without a folder is looked for.",
  SHIELDFIVE_MCP_ROOTS:
    "Folders to work in, separated as in `PATH`. `shieldfive mcp` adds them to its operands; " +
    "at a terminal they are a limit like `--root`.",
  SHIELDFIVE_MCP_CONFIG_DIR: "The configuration folder, in place of the usual one.",
  SHIELDFIVE_GRANT:
    "A connection string, which is then used in place of the one that `shieldfive login` stored; or `none` " +
    "for no vault at all. Whoever can read the environment of the program has the connection.",
  SHIELDFIVE_API_URL:
    "The address of the vault's server, in place of the one that is remembered for the connection: " +
    "`https://…`, or `http://` for this machine.",
  SHIELDFIVE_EXECUTABLE:
    "Set by the self-extracting executable for itself: the path of its own file.",
  CLAUDE_CONFIG_DIR: "Where Claude Code keeps its configuration, when not in the usual place.",
  CODEX_HOME: "The same for Codex.",
  COPILOT_HOME: "The same for GitHub Copilot.",
};

export const TRASH =
  "The trash of a volume: a folder for each batch, with a `manifest.json` that says where " +
  "everything was. Space comes back when a batch is deleted by hand; no command does that.";

export const SECURITY = [
  "Every path is resolved, links included, before it is used, and what comes out must lie in " +
  "a granted folder. Links are never followed on a walk. Behind these checks stands the " +
  "runtime: files are touched by workers that have the rights to the granted folders and " +
  "nothing else (one that only makes symbolic links excepted), and the main thread gives its " +
  "own rights up before the first of them works. `--show-permissions` prints the rights of a " +
  "command, `shieldfive doctor` all of them.",
  "What the tools return over MCP goes to the assistant, and from a cloud assistant to its " +
  "provider: paths, names, sizes, dates and digests.",
  "Another program of the same user that writes into a granted folder at the same moment is " +
  "not defended against. SECURITY.md says what is covered and what is not.",
  "Report a vulnerability to security@shieldfive.com.",
];
