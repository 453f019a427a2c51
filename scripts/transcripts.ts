// The transcripts in README are real: every block marked `console` is run again, in order, in a fresh
// messy home, and must come out as it is printed. Dates, times, batch names, tokens and ids differ from run
// to run, and space on disk from disk to disk: these are compared by their form only. The folder is shown as
// /home/sam. Where a server is started it serves on a port that is free, shown as the one that it would take
// by itself; from then on the clipboard (`wl-paste`) holds a connection that its owner copied.

import { plantHome } from "./home.ts";
import { furnish, HostedVault } from "./hosted.ts";
import { shieldfive, type Surroundings } from "./program.ts";

/** How the temporary folder is shown. */
const SHOWN = "/home/sam";
/** How the address of the server is shown. */
const SHOWN_ORIGIN = "http://127.0.0.1:8443";

/** One command of a block with the output below it. */
interface Entry {
  command: string;
  output: string;
}

const BLOCK = /^```console\n([\s\S]*?)^```$/gm;

/** The commands of one block. Everything up to the next line that starts with `$ ` is output. */
export function entriesOf(block: string): Entry[] {
  return block.split(/^\$ /m).slice(1).map((text) => {
    const end = text.indexOf("\n");
    return { command: text.slice(0, end), output: text.slice(end + 1).trimEnd() };
  });
}

/** Text with what differs from run to run replaced by its form. */
export function formOf(text: string): string {
  return text
    .replace(/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z-\d+-\d+/g, "BATCH")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replace(/#setup=[\w-]{43}/g, "#setup=TOKEN")
    .replace(/\bconnection [0-9a-f]{8}\b/g, "connection ID")
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "ID")
    .replace(/"sf-[0-9a-f]{32}/g, '"sf-MARK')
    .replace(/[\d.]+ [KMG]?B on disk/g, "SIZE on disk")
    .replace(/\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d)?)?/g, "DATE");
}

/** What a command line asks for. */
interface Parsed {
  args: string[];
  /** Where the output goes in place of the screen. */
  into?: string;
  /** Whether the clipboard is what it reads. */
  pasted: boolean;
}

const PASTED = "wl-paste | ";

/** Words of a command line; quotes are single ones, a redirection is `> FILE` at the end. */
function parse(command: string): Parsed {
  const pasted = command.startsWith(PASTED);
  const line = pasted ? command.slice(PASTED.length) : command;
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2]);
  if (words[0] !== "shieldfive") throw new Error(`a transcript cannot run ${words[0]}`);
  const arrow = words.indexOf(">");
  if (arrow < 0) return { args: words.slice(1), pasted };
  return { args: words.slice(1, arrow), into: words[arrow + 1], pasted };
}

/** The home in which a page's commands run one after the other. */
class Telling implements AsyncDisposable {
  readonly #folder: string;
  readonly #surroundings: Surroundings;
  #hosted?: HostedVault;
  #clipboard?: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#surroundings = { cwd: `${folder}/sam`, settings: `${folder}/settings` };
    plantHome(`${folder}/sam`, `${folder}/outside`, Date.now());
  }

  /** Runs a command line and gives what it prints, as it is shown. */
  async replay(command: string): Promise<string> {
    const { args, into, pasted } = parse(command);
    const text = args[0] === "serve" ? await this.#serve(args) : await this.#run(args, pasted);
    if (into === undefined) return this.#shown(text);
    Deno.writeTextFileSync(`${this.#surroundings.cwd}/${into}`, text);
    return "";
  }

  async #serve(args: string[]): Promise<string> {
    this.#hosted = await HostedVault.serve(this.#surroundings, [...args.slice(1), "--port", "0"]);
    const { owner, connectionString } = await furnish(this.#hosted);
    await owner.lock();
    this.#clipboard = connectionString;
    return this.#hosted.announcement;
  }

  async #run(args: string[], pasted: boolean): Promise<string> {
    const { origin } = this.#hosted ?? {};
    const real = args.map((word) =>
      origin === undefined ? word : word.replace(SHOWN_ORIGIN, origin)
    );
    const input = pasted ? this.#clipboard : undefined;
    const { code, stdout, stderr } = await shieldfive(real, this.#surroundings, input);
    if (code !== 0) throw new Error(`${args.join(" ")}: exit code ${code}\n${stderr}`);
    return stdout + stderr;
  }

  #shown(text: string): string {
    const { cwd, settings } = this.#surroundings;
    const places = narrowed(text, cwd).replaceAll(cwd, SHOWN).replaceAll(settings, SHOWN);
    const { origin } = this.#hosted ?? {};
    return (origin === undefined ? places : places.replaceAll(origin, SHOWN_ORIGIN))
      .replaceAll(/[ ]+$/gm, "").trimEnd();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#hosted?.[Symbol.asyncDispose]();
    Deno.removeSync(this.#folder, { recursive: true });
  }
}

/** Text in which the heads of tables are as much narrower as the paths in a column below them will be. */
function narrowed(text: string, home: string): string {
  const excess = home.length - SHOWN.length;
  const lines = text.split("\n");
  return lines.map((line, i) => {
    const [, behind = ""] = lines[i + 1]?.split(home) ?? [];
    const heads = behind.includes("  ") && !line.includes(home);
    return heads ? line.replace(" ".repeat(excess + 2), "  ") : line;
  }).join("\n");
}

/**
 * The page with every transcript run again. An output that agrees in form is left as it is, so that
 * a page that is true comes back unchanged.
 */
export async function retell(page: string): Promise<string> {
  const folder = Deno.makeTempDirSync({ prefix: "shieldfive-readme-" });
  await using telling = new Telling(Deno.realPathSync(folder));
  let told = "";
  let at = 0;
  for (const match of page.matchAll(BLOCK)) {
    const lines: string[] = [];
    for (const { command, output } of entriesOf(match[1])) {
      const real = await telling.replay(command);
      const shown = formOf(real) === formOf(output) ? output : real;
      lines.push(`$ ${command}`, ...(shown === "" ? [] : [shown]));
    }
    told += page.slice(at, match.index) + "```console\n" + lines.join("\n") + "\n```";
    at = match.index + match[0].length;
  }
  return told + page.slice(at);
}
