// Where the connection is kept, and in which order it is looked for: the variable, the system's keychain, a
// file (vault spec, 12). What cannot be read is told apart from what is not there, and nothing is removed
// from one place before it is safely in another. No message has any part of a connection string in it.

import { ToolError } from "../../containment/error.ts";
import {
  type GrantCredential,
  parseConnectionString,
  VaultCryptoError,
} from "@shieldfive/crypto/vault";
import type { CredentialFiles } from "./files.ts";
import type { Keychain } from "./keychain.ts";
import { type Trouble, troubleOf } from "./trouble.ts";

export type Source = "env" | "keychain" | "file";

/** A connection that was found. */
export interface Kept {
  text: string;
  credential: GrantCredential;
  source: Source;
  /** Of the file. */
  path?: string;
}

/** What was found. */
export type Found =
  & {
    /** Sentences for whoever uses it. */
    warnings: string[];
    /** Why the keychain, which comes before the file, could not be asked. */
    trouble?: Trouble;
  }
  & (
    | { state: "connected"; kept: Kept }
    | { state: "none" }
    /** The variable says that there is to be no vault; nothing else was looked at. */
    | { state: "off" }
  );

/** What became of storing or removing. */
export interface Changed<T> {
  done: T;
  warnings: string[];
}

export interface StoreOptions {
  /** The value of SHIELDFIVE_GRANT, where it is set. */
  variable?: string;
  keychain: Pick<Keychain, "read" | "write" | "remove" | "tryOut">;
  files: Pick<CredentialFiles, "read" | "write" | "remove" | "remember" | "forget" | "path">;
}

/** What the variable says when there is to be no vault. */
const OFF = "none";

const NAMES: Record<Source, string> = {
  env: "SHIELDFIVE_GRANT",
  keychain: "the keychain's entry",
  file: "the connection file",
};

/** What to do about a malformed connection, by where it is. */
const WAYS_OUT: Record<Source, string> = {
  env: "set it to the whole string, to `none`, or not at all",
  keychain: "run `shieldfive login` to replace it, or `shieldfive logout` to remove it",
  file: "run `shieldfive login` to replace it, or `shieldfive logout` to remove it",
};

export class CredentialStore {
  readonly #variable: string | undefined;
  readonly #keychain: StoreOptions["keychain"];
  readonly #files: StoreOptions["files"];

  constructor({ variable, keychain, files }: StoreOptions) {
    this.#variable = variable?.trim();
    this.#keychain = keychain;
    this.#files = files;
  }

  /** What the variable does to a connection that is stored: it wins, or turns it off. */
  get variable(): "unset" | "off" | "set" {
    if (this.#variable === undefined || this.#variable === "") return "unset";
    return this.#variable === OFF ? "off" : "set";
  }

  /**
   * Looks for the connection.
   *
   * @throws ToolError `invalid_connection_string` for one that is malformed where it is found;
   * `keychain_locked`, `keychain_not_answering`, `keychain_failed` where that keeps it from being known
   * whether there is one; `not_a_file`, `io_error` for a file that cannot be read.
   */
  async find(): Promise<Found> {
    if (this.variable === "off") return { state: "off", warnings: [] };
    if (this.variable === "set") {
      const kept = keptIn("env", this.#variable!);
      return { state: "connected", kept, warnings: [] };
    }
    return await this.#findStored();
  }

  async #findStored(): Promise<Found> {
    const { value, error } = await asked(() => this.#keychain.read());
    if (value !== undefined) {
      return { state: "connected", kept: keptIn("keychain", value), warnings: [] };
    }
    const { text, warnings } = await this.#files.read();
    const trouble = error && troubleOf(error);
    const about = { warnings, ...(trouble === undefined ? {} : { trouble }) };
    if (text !== undefined) {
      const kept = { ...keptIn("file", text), path: this.#files.path };
      return { state: "connected", kept, ...about };
    }
    if (error !== undefined && trouble !== "absent") throw error;
    return { state: "none", ...about };
  }

  /** Makes sure that the keychain would take a connection now. @throws ToolError `keychain_…` */
  async tryKeychain(): Promise<void> {
    await this.#keychain.tryOut();
  }

  /**
   * Stores a connection in one place, and takes care that no other place has one that would be found
   * before it, or for it.
   *
   * @returns the place, and what could not be removed elsewhere.
   * @throws ToolError `keychain_…`, `not_a_file`, `io_error`: nothing was stored, and nothing removed.
   */
  async store(text: string, where: "keychain" | "file"): Promise<Changed<"keychain" | "file">> {
    if (where === "keychain") {
      await this.#keychain.write(text);
      const { error } = await asked(() => this.#files.remove());
      const warning = "the connection file could not be removed, and is not used any more";
      return { done: where, warnings: error === undefined ? [] : [`${warning}: ${error.message}`] };
    }
    await this.#files.write(text);
    const { error } = await asked(() => this.#keychain.remove());
    if (error === undefined || troubleOf(error) === "absent") return { done: where, warnings: [] };
    const warning = "a connection that is still in the keychain would be used before the file";
    return { done: where, warnings: [`${warning}: ${error.message}`] };
  }

  /**
   * Removes the connection from every place but the variable, and forgets its server.
   *
   * @returns where there was one, and why it may be left in a place that could not be looked at.
   */
  async remove(): Promise<{ removed: Source[]; failures: ToolError[]; warnings: string[] }> {
    const texts = [await asked(() => this.#keychain.read()), await asked(() => this.#files.read())];
    const inKeychain = await asked(() => this.#keychain.remove());
    const inFile = await asked(() => this.#files.remove());
    const ids = texts.map(({ value }) => grantIdIn(typeof value === "object" ? value.text : value));
    const forgotten = await asked(async () => {
      for (const id of new Set(ids)) if (id !== undefined) await this.#files.forget(id);
    });
    return {
      removed: [
        ...(inKeychain.value ? ["keychain" as const] : []),
        ...(inFile.value ? ["file" as const] : []),
      ],
      failures: [inKeychain.error, inFile.error].filter((error) =>
        error !== undefined && troubleOf(error) !== "absent"
      ) as ToolError[],
      warnings: forgotten.error === undefined
        ? []
        : [`which server it was for could not be forgotten: ${forgotten.error.message}`],
    };
  }

  /** Remembers which server a connection is for. @throws ToolError `io_error` */
  async remember(grantId: string, origin: string): Promise<void> {
    await this.#files.remember({ grantId, origin });
  }
}

function keptIn(source: Source, text: string): Kept {
  try {
    return { text, credential: parseConnectionString(text), source };
  } catch (error) {
    if (!(error instanceof VaultCryptoError)) throw error;
    throw new ToolError(
      "invalid_connection_string",
      `${NAMES[source]} does not hold a connection string; ${WAYS_OUT[source]}`,
      { detail: { source } },
    );
  }
}

/** The grant's id in a connection string; undefined where it is none. */
function grantIdIn(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : parseConnectionString(text).grantId;
  } catch (error) {
    if (!(error instanceof VaultCryptoError)) throw error;
    return undefined;
  }
}

/** What a place answers, or why it does not. */
async function asked<T>(
  question: () => Promise<T>,
): Promise<{ value?: T; error?: ToolError }> {
  try {
    return { value: await question() };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { error };
  }
}
