// The comparison scripts: where they are, how one is run, and how its table is read. They start each
// command in turn and take ratios inside each round, so that a slow moment of the machine cancels out.

import { fileURLToPath } from "node:url";

/** The scripts beside the checkout, if that is where they are. */
const SCRIPTS = fileURLToPath(new URL("../../../shared/bench/", import.meta.url));

/** Why something was not measured. */
export class Skipped extends Error {}

/** One row of a printed table: the cells by their column's title. */
export type Row = Record<string, string>;

/** The path of a script. Throws {@link Skipped} where it is absent. */
export function script(name: string): string {
  const path = SCRIPTS + name;
  try {
    Deno.statSync(path);
    return path;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw new Skipped(`${path} is absent`);
    throw error;
  }
}

/** Whether a program is on PATH. */
export function installed(program: string): boolean {
  return (Deno.env.get("PATH") ?? "").split(":").some((folder) => {
    try {
      return Deno.statSync(`${folder}/${program}`).isFile;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return false;
      throw error;
    }
  });
}

/** Runs a script with its output on the screen and returns the rows of the tables that it printed. */
export async function table(
  name: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<Row[]> {
  if (!installed("python3")) throw new Skipped("python3 is not on PATH");
  const child = new Deno.Command(script(name), { args, env, stdin: "null", stderr: "inherit" });
  const { success, stdout } = await child.output();
  const text = new TextDecoder().decode(stdout);
  console.log(text.trimEnd() + "\n");
  if (!success) throw new Error(`${name} failed`);
  return parseTable(text);
}

/** The rows of a Markdown table; lines around it are passed over. */
export function parseTable(text: string): Row[] {
  const lines = text.split("\n").filter((line) => line.startsWith("| "))
    .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
  const [titles, _rule, ...rows] = lines;
  return rows.map((cells) => Object.fromEntries(titles.map((title, i) => [title, cells[i]])));
}

/** The median in a cell such as "0.35 (0.33-0.36)". Throws for a cell that holds no number. */
export function median(row: Row | undefined, column: string): number {
  const value = parseFloat(row?.[column] ?? "");
  if (Number.isNaN(value)) throw new Error(`no figure under "${column}"`);
  return value;
}
