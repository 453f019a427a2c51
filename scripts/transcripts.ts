// The transcripts in README are real: every block marked `console` is run again, in order, in a fresh
// messy home, and must come out as it is printed. Dates, times and batch names differ from run to run,
// and space on disk from disk to disk: these are compared by their form only. The folder is shown as
// /home/sam.

import { plantHome } from "./home.ts";
import { shieldfive } from "./program.ts";

/** How the temporary folder is shown. */
const SHOWN = "/home/sam";

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
    .replace(/[\d.]+ [KMG]?B on disk/g, "SIZE on disk")
    .replace(/\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d)?)?/g, "DATE");
}

/** Words of a command line; quotes are single ones, a redirection is `> FILE` at the end. */
function parse(command: string): { args: string[]; into?: string } {
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2]);
  if (words[0] !== "shieldfive") throw new Error(`a transcript cannot run ${words[0]}`);
  const arrow = words.indexOf(">");
  if (arrow < 0) return { args: words.slice(1) };
  return { args: words.slice(1, arrow), into: words[arrow + 1] };
}

async function replay(command: string, folder: string): Promise<string> {
  const { args, into } = parse(command);
  const home = `${folder}/sam`;
  const { code, stdout, stderr } = await shieldfive(args, home, `${folder}/settings`);
  if (code !== 0) throw new Error(`${command}: exit code ${code}\n${stderr}`);
  if (into !== undefined) Deno.writeTextFileSync(`${home}/${into}`, stdout);
  const text = (into === undefined ? stdout : "") + stderr;
  return text.replaceAll(home, SHOWN).replaceAll(/[ ]+$/gm, "").trimEnd();
}

/**
 * The page with every transcript run again. An output that agrees in form is left as it is, so that
 * a page that is true comes back unchanged.
 */
export async function retell(page: string): Promise<string> {
  const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "shieldfive-readme-" }));
  try {
    plantHome(`${folder}/sam`, `${folder}/outside`, Date.now());
    let told = "";
    let at = 0;
    for (const match of page.matchAll(BLOCK)) {
      const lines: string[] = [];
      for (const { command, output } of entriesOf(match[1])) {
        const real = await replay(command, folder);
        const shown = formOf(real) === formOf(output) ? output : real;
        lines.push(`$ ${command}`, ...(shown === "" ? [] : [shown]));
      }
      told += page.slice(at, match.index) + "```console\n" + lines.join("\n") + "\n```";
      at = match.index + match[0].length;
    }
    return told + page.slice(at);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}
