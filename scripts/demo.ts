// `deno task demo`: a messy home in a temporary folder, the real program tidying it, and the proof
// that nothing was lost: every file is back where it was, byte for byte, or the demo fails. It
// touches nothing outside its own folder and removes that at the end; --keep leaves it.

import { differences, type Fingerprint, fingerprint, plantHome } from "./home.ts";
import { COMMAND, shellLine, shieldfive } from "./program.ts";

/** One command with the line that explains it. */
interface Step {
  says: string;
  args: string[];
  /** Where the output goes in place of the screen, relative to the home folder. */
  into?: string;
}

const LOOK: Step[] = [
  { says: "What is in here?", args: ["list"] },
  { says: "What takes the space?", args: ["summary"] },
  { says: "Which files are really the same? Contents are compared, never names.", args: ["dupes"] },
  {
    says: "The same answer as data, for the next step.",
    args: ["dupes", "--json"],
    into: "../report.json",
  },
  {
    says: "What would trashing the extra copies do? Nothing is changed yet.",
    args: ["trash", "--report", "../report.json", "--dry-run"],
  },
];

const TRASH: Step = {
  says: "Do it. Each item and its kept copy are read again first.",
  args: ["trash", "--report", "../report.json", "--yes"],
};

const BACK: Step[] = [
  { says: "What is in the trash?", args: ["trashed"] },
  { says: "Put it all back.", args: ["restore", "--yes"] },
];

async function run(step: Step, home: string): Promise<void> {
  const redirect = step.into === undefined ? "" : ` > ${step.into}`;
  console.log(`# ${step.says}\n$ ${shellLine(["shieldfive", ...step.args])}${redirect}`);
  const { code, stdout, stderr } = await shieldfive(step.args, home, `${home}/../settings`);
  if (step.into === undefined) console.log(stdout.trimEnd());
  else Deno.writeTextFileSync(`${home}/${step.into}`, stdout);
  if (stderr !== "") console.log(stderr.trimEnd());
  console.log();
  if (code !== 0) throw new Error(`the command ended with exit code ${code}`);
}

function showManifest(home: string): void {
  const trash = `${home}/.shieldfive-mcp-trash`;
  for (const batch of Deno.readDirSync(trash)) {
    const path = `.shieldfive-mcp-trash/${batch.name}/manifest.json`;
    if (!batch.isDirectory) continue;
    console.log("# The manifest beside the items, written before the first of them moved.");
    console.log(`$ cat ${path}\n${Deno.readTextFileSync(`${home}/${path}`).trimEnd()}\n`);
  }
}

/** Throws unless the two states are what the sentence says. */
function expect(holds: boolean, sentence: string, details: string[]): void {
  if (!holds) throw new Error([`not so: ${sentence}`, ...details].join("\n  "));
  console.log(`# ${sentence}`);
}

function contents(state: Map<string, Fingerprint>): Set<string> {
  return new Set([...state.values()].map((print) => `${print.kind} ${print.content}`));
}

async function tour(home: string, outside: string): Promise<void> {
  const [before, stranger] = [fingerprint(home), fingerprint(outside)];
  for (const step of LOOK) await run(step, home);
  const looked = differences(before, fingerprint(home));
  expect(looked.length === 0, "Checked: so far nothing has changed.\n", looked);

  await run(TRASH, home);
  showManifest(home);
  const trashed = fingerprint(home);
  const moved = differences(before, trashed);
  const lost = [...contents(before)].filter((content) => !contents(trashed).has(content));
  expect(moved.length > 0, `Checked: ${moved.length} of the extra copies left their places.`, []);
  expect(lost.length === 0, "Checked: of every content one copy is still in its place.\n", lost);

  for (const step of BACK) await run(step, home);
  const after = differences(before, fingerprint(home));
  const files = [...before.values()].filter((print) => print.kind === "file").length;
  expect(
    after.length === 0,
    `Checked: all ${files} files are back, with the same SHA-256, size, mode and time.`,
    after,
  );
  const touched = differences(stranger, fingerprint(outside));
  expect(
    touched.length === 0,
    "Checked: the file that the link leads to was not touched.",
    touched,
  );
}

async function main(args: string[]): Promise<number> {
  const unknown = args.find((arg) => arg !== "--keep");
  if (unknown !== undefined) {
    console.error(`demo: ${unknown} is not an option; there is one: --keep leaves the folder`);
    return 2;
  }
  const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "shieldfive-demo-" }));
  const [home, outside] = [`${folder}/home`, `${folder}/outside`];
  try {
    plantHome(home, outside, Date.now());
    console.log(
      `# A messy home folder, made for this demo. Each command can be typed as it stands.`,
    );
    console.log(`$ alias shieldfive=${shellLine([shellLine(COMMAND)])}`);
    console.log(`$ ${shellLine(["cd", home])}\n`);
    await tour(home, outside);
    return 0;
  } catch (error) {
    console.error(`demo: ${(error as Error).message}`);
    return 1;
  } finally {
    if (args.includes("--keep")) console.log(`\n# Left in place: ${folder}`);
    else Deno.removeSync(folder, { recursive: true });
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));
