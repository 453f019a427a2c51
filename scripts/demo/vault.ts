// The second part of the demo: a vault that is hosted here, a connection to one folder of it, two files
// that move in, and the proof: what the owner gets is what was moved, the server's disk tells nothing, and
// an original comes back.

import { createHash } from "node:crypto";
import type { OwnerVault } from "../../vault/owner/mod.ts";
import { differences, type Fingerprint, fingerprint, NOTE } from "../home.ts";
import { furnish, type HostedVault, PRIVATE, SHARED } from "../hosted.ts";
import { shellLine, type Surroundings } from "../program.ts";
import { expect, show } from "./stage.ts";

/** Where the server keeps the vault, relative to the home folder. */
const DATA = "../vault";
/** What the server is started with. */
export const SERVE = ["--data", DATA, "--port", "0"];

const MOVED = ["Documents/insurance.pdf", `Documents/${NOTE.name}`];

/** Shows the vault. @throws Error when something is not as it should be */
export async function vault(hosted: HostedVault, surroundings: Surroundings): Promise<void> {
  console.log("# Now a vault. Whoever hosts it keeps what they cannot read; here it is this demo.");
  console.log(`$ ${shellLine(["shieldfive", "serve", ...SERVE])} &\n${hosted.announcement}`);
  const { owner, grantId, connectionString } = await furnish(hosted);
  console.log(
    `# The owner, who is a person in the page and a script here, made the folders ${SHARED.folder}\n` +
      `# and ${PRIVATE.folder}, and a connection to ${SHARED.folder} alone: to read, organise and add files.\n`,
  );
  Deno.writeTextFileSync(`${surroundings.cwd}/../connection`, connectionString, { mode: 0o600 });
  try {
    await connect(hosted.origin, surroundings);
    await moveIn(owner, surroundings);
    await owner.revokeGrant(grantId);
    await show({
      says: "The owner has revoked the connection.",
      args: ["status"],
      ends: 1,
    }, surroundings);
  } finally {
    await owner.lock();
  }
}

async function connect(origin: string, surroundings: Surroundings): Promise<void> {
  await show({
    says: "The connection, copied from the page. Mostly it comes by itself, through the browser.",
    args: ["login", "--paste", "--server", origin, "--store", "file"],
    from: "../connection",
  }, surroundings);
  await show({
    says: `What does it reach? ${SHARED.folder}, and no more. Names are opened on this computer.`,
    args: ["vault", "list"],
  }, surroundings);
}

async function moveIn(owner: OwnerVault, surroundings: Surroundings): Promise<void> {
  const home = surroundings.cwd;
  const before = fingerprint(home);
  await show({
    says: "Two files move in. Each is read back and compared before its original leaves its place.",
    args: ["move-in", ...MOVED, "--to", `/${SHARED.folder}`, "--yes"],
  }, surroundings);
  const gone = "both originals left their places, and nothing else in the home has changed.";
  expectGone(MOVED, { before, home, sentence: gone });
  await expectSame(owner, before);
  expectNothingInTheClear(`${home}/${DATA}`);
  await show({
    says: "What is there now?",
    args: ["vault", "list"],
  }, surroundings);
  await show({
    says: "Print one of them.",
    args: ["vault", "read", `/${SHARED.folder}/${NOTE.name}`],
  }, surroundings);
  await show({
    says: "Put an original back. Its copy stays in the vault.",
    args: ["restore", MOVED[0], "--yes"],
  }, surroundings);
  const back = `${MOVED[0]} is back as it was, SHA-256, size, mode and time.\n`;
  expectGone(MOVED.slice(1), { before, home, sentence: back });
}

/** That these files and no others are gone, and everything else is as it was. */
function expectGone(
  paths: string[],
  { before, home, sentence }: {
    before: Map<string, Fingerprint>;
    home: string;
    sentence: string;
  },
): void {
  const found = differences(before, fingerprint(home));
  const wanted = paths.map((path) => `${path} is gone`).sort();
  expect(JSON.stringify(found) === JSON.stringify(wanted), sentence, found);
}

/** That the owner gets from the server what was moved in. */
async function expectSame(owner: OwnerVault, before: Map<string, Fingerprint>): Promise<void> {
  const { files } = await owner.refresh();
  const wrong: string[] = [];
  for (const path of MOVED) {
    const file = [...files.values()].find(({ name }) => name === nameOf(path));
    const digest = createHash("sha256");
    if (file !== undefined) {
      for await (const bytes of (await owner.download(file.id)).content) digest.update(bytes);
    }
    if (digest.digest("hex") !== before.get(path)?.content) wrong.push(path);
  }
  expect(wrong.length === 0, "the owner gets both from the server, with the same SHA-256.", wrong);
}

/** That whoever takes the server's disk finds no name and no content on it. */
function expectNothingInTheClear(data: string): void {
  const names = [
    ...MOVED.map(nameOf),
    ...[SHARED, PRIVATE].flatMap(({ folder, file }) => [folder, file]),
  ];
  const texts = [...names, NOTE.text, SHARED.text, PRIVATE.text];
  const found = filesBelow(data).flatMap((path) => {
    const held = new TextDecoder("latin1").decode(Deno.readFileSync(path));
    return texts.filter((text) => held.includes(text)).map((text) => `"${text}" is in ${path}`);
  });
  expect(found.length === 0, "none of the names and texts is on the server's disk.\n", found);
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function filesBelow(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) =>
    isDirectory ? filesBelow(`${folder}/${name}`) : [`${folder}/${name}`]
  );
}
