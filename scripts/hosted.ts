// A vault for the demo and for the transcripts in README: `shieldfive serve` as a process of its own, and an
// owner who does by program what a person does in the page. Of two folders a connection gets one.

import { OwnerVault } from "../vault/owner/mod.ts";
import { start, type Surroundings } from "./program.ts";

/** The folder that the connection reaches, and what lies in it. */
export const SHARED = {
  folder: "Papers",
  file: "packing list.txt",
  text: "passport\ntickets\ncharger\na book for the train\n",
};
/** The folder that stays the owner's, and what lies in it. */
export const PRIVATE = { folder: "Private", file: "diary.txt", text: "Nobody is to read this.\n" };

const DAY = 86_400_000;

/** What the process prints at its start: the address, then two lines for a vault without an owner. */
const ADDRESS = /^(http:\S+)\/#setup=(\S+)$/m;
const NOTICES = 2;

export class HostedVault implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #printed: Promise<void>[] = [];

  /** Where it serves, and what makes the first visitor its owner. */
  origin = "";
  setupToken = "";
  /** All that was printed until it served. */
  announcement = "";

  private constructor(child: Deno.ChildProcess) {
    this.#child = child;
  }

  /**
   * Starts a server that has no owner yet, and waits until it serves.
   *
   * @throws Error with what it said when it ends before.
   */
  static async serve(surroundings: Surroundings, words: string[]): Promise<HostedVault> {
    const hosted = new HostedVault(start(["serve", ...words], surroundings));
    try {
      await hosted.#announced();
      return hosted;
    } catch (error) {
      await hosted[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Reads what it prints to its end, and settles when it has said that it serves. */
  #announced(): Promise<void> {
    const told = Promise.withResolvers<void>();
    let [stdout, stderr] = ["", ""];
    const look = () => {
      const [, origin, token] = ADDRESS.exec(stdout) ?? [];
      if (this.origin !== "" || token === undefined) return;
      if (stderr.split("\n").length <= NOTICES) return;
      [this.origin, this.setupToken, this.announcement] = [origin, token, stdout + stderr];
      told.resolve();
    };
    this.#printed.push(
      read(this.#child.stdout, (text) => (stdout += text, look())),
      read(this.#child.stderr, (text) => (stderr += text, look())),
    );
    Promise.all(this.#printed).then(
      () => told.reject(new Error(`the server ended: ${stderr.trimEnd()}`)),
      told.reject,
    );
    return told.promise;
  }

  /** Asks it to stop, and waits for its end. */
  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#child.kill("SIGTERM");
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // it has ended by itself
    }
    await this.#child.status;
    await Promise.allSettled(this.#printed);
  }
}

/** What the owner has at hand when the vault is made. */
export interface Furnished {
  owner: OwnerVault;
  /** Of the connection to the shared folder, which may do everything there. */
  grantId: string;
  connectionString: string;
}

/** Makes the vault of a server that has none, puts something into it, and makes a connection. */
export async function furnish(
  { origin, setupToken }: { origin: string; setupToken: string },
): Promise<Furnished> {
  const { vault: owner } = await OwnerVault.create({
    origin,
    setupToken,
    passphrase: `a passphrase ${crypto.randomUUID()}`,
  });
  await owner.refresh();
  const shared = await owner.createFolder(null, SHARED.folder);
  const own = await owner.createFolder(null, PRIVATE.folder);
  await put(owner, shared.id, SHARED);
  await put(owner, own.id, PRIVATE);
  const { grant, connectionString } = await owner.createGrant({
    label: "My laptop",
    clientHint: "other",
    scopes: ["read", "organize", "write"],
    folderIds: [shared.id],
    expiresInMs: 30 * DAY,
    writeBudgetBytes: 100_000_000,
  });
  return { owner, grantId: grant.id, connectionString };
}

async function put(
  owner: OwnerVault,
  folderId: string,
  { file, text }: typeof SHARED,
): Promise<void> {
  const content = new Blob([text]);
  await owner.upload(folderId, { name: file, size: content.size, content });
}

async function read(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  heard: (text: string) => void,
): Promise<void> {
  for await (const text of stream.pipeThrough(new TextDecoderStream())) heard(text);
}
