// A vault with its owner, in process, for tests that care about what happens in it; and what of a request
// or an answer a test looks at or changes on its way.

import { KeyDerivationPool } from "@shieldfive/crypto/extra/kdf_pool.ts";
import { pooledNameKeys } from "@shieldfive/crypto/extra/pooled_name_keys.ts";
import { hkdf } from "../../../vault/crypto/primitives/hkdf.ts";
import { inTempDir } from "../../support.ts";
import { type InProcessServer, openInProcess } from "../server/in_process.ts";
import {
  type File,
  type Folder,
  type Item,
  type KdfBackend,
  type OwnerTransport,
  OwnerVault,
} from "../../../vault/owner/mod.ts";

export const PASSPHRASE = "correct horse battery staple";

/** A server with a vault, and its owner. */
export interface Owned {
  server: InProcessServer;
  vault: OwnerVault;
  recoveryKey: string;
  /** The data folder. */
  dir: string;
  /** The owner once more, as from another browser; locked when the test is over. */
  second(transport?: OwnerTransport): Promise<OwnerVault>;
}

/** Runs the body on a new server without a vault. */
export async function onServer(
  body: (server: InProcessServer, dir: string) => Promise<void>,
): Promise<void> {
  await inTempDir(async (dir) => {
    const server = openInProcess(`${dir}/data`);
    try {
      await body(server, `${dir}/data`);
    } finally {
      server.close();
    }
  });
}

/**
 * Derives in no time, and always the same, for tests that make many names and open them with the owner's
 * library alone. Everything else opens them by Argon2id, and finds that they do not.
 */
export const QUICK_KDF: KdfBackend = {
  concurrency: 2,
  derive: ({ password, salt, memoryKiB, passes, length = 32 }) => {
    const text = JSON.stringify([[...password], [...salt], memoryKiB, passes]);
    return Promise.resolve(hkdf(contentOf(text), null, "for tests", length));
  },
};

/** The same for the names of a client that is not the owner's. */
export const QUICK_NAME_KEYS = pooledNameKeys(new KeyDerivationPool({ backend: QUICK_KDF }));

/** How a vault is opened in a test. */
export interface VaultOptions {
  wrapped?(transport: OwnerTransport): OwnerTransport;
  /** Absent: as everywhere. */
  kdf?: KdfBackend;
}

/** Runs the body with a vault that was just made. */
export async function inVault(
  body: (owned: Owned) => Promise<void>,
  { wrapped = (transport) => transport, kdf }: VaultOptions = {},
): Promise<void> {
  await onServer(async (server, dir) => {
    const { origin, setupToken = "" } = server;
    const transport = wrapped(server.transport);
    const { vault, recoveryKey } = await OwnerVault.create({
      origin,
      setupToken,
      passphrase: PASSPHRASE,
      transport,
      kdf,
    });
    const opened = [vault];
    const second = async (over: OwnerTransport = server.transport) => {
      const passphrase = PASSPHRASE;
      const another = await OwnerVault.unlock({ origin, passphrase, transport: over, kdf });
      opened.push(another);
      await another.refresh();
      return another;
    };
    try {
      await vault.refresh();
      await body({ server, vault, recoveryKey, dir, second });
    } finally {
      for (const each of opened) await each.lock();
    }
  });
}

/** Bytes that can be told from others of their kind. */
export function contentOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** Uploads a text. */
export function uploadText(
  vault: OwnerVault,
  folderId: string | null,
  name: string,
  text: string,
): Promise<File> {
  const content = new Blob([contentOf(text)]);
  return vault.upload(folderId, { name, size: content.size, content });
}

/** The text of a file, downloaded. */
export async function readText(vault: OwnerVault, fileId: string): Promise<string> {
  const { content } = await vault.download(fileId);
  return await new Response(content).text();
}

/** The item of a tree by its path; fails when there is none. */
export function at(vault: OwnerVault, path: string): Item {
  const { tree } = vault;
  const found = [...tree.folders.values(), ...tree.files.values()]
    .find((item) => tree.path(item) === path);
  if (found === undefined) {
    throw new Error(`nothing at ${path}, but ${paths(vault).join(", ")}`);
  }
  return found;
}

export function folderAt(vault: OwnerVault, path: string): Folder {
  const item = at(vault, path);
  if (item.kind !== "folder") throw new Error(`${path} is a file`);
  return item;
}

/** All paths, folders with a slash behind them. */
export function paths(vault: OwnerVault): string[] {
  const { tree } = vault;
  return [
    ...[...tree.folders.values()].map((folder) => `${tree.path(folder)}/`),
    ...[...tree.files.values()].map((file) => tree.path(file)),
  ].sort();
}

/** What a refused call says; fails when it is not refused. */
export async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (typeof code === "string") return code;
    throw error;
  }
  throw new Error("it was not refused");
}

/** JSON that a test changes; it knows the shapes. */
// deno-lint-ignore no-explicit-any
export type Loose = any;

/** A transport whose JSON answers a test may change: what a lying server would do. */
export function lying(
  transport: OwnerTransport,
  change: (path: string, answer: Loose, method: string) => void,
): OwnerTransport {
  return {
    ...transport,
    async fetch(request) {
      const { method, url } = request;
      const response = await transport.fetch(request);
      if (!response.headers.get("content-type")?.startsWith("application/json")) return response;
      const answer = await response.json();
      change(new URL(url).pathname, answer, method);
      return Response.json(answer, { status: response.status });
    },
  };
}

/** Everything that was sent, as texts: addresses, headers and bodies; bytes as Latin-1. */
export function recorded(transport: OwnerTransport): { transport: OwnerTransport; sent: string[] } {
  const sent: string[] = [];
  const headersOf = (headers: Iterable<[string, string]>) =>
    [...headers].map(([name, value]) => `${name}: ${value}`).join("\n");
  return {
    sent,
    transport: {
      async fetch(request) {
        const body = await request.clone().text();
        sent.push(`${request.method} ${request.url}\n${headersOf(request.headers)}\n\n${body}`);
        return await transport.fetch(request);
      },
      async put(url, headers, body, size, onSent, signal) {
        const bytes = new Uint8Array(await new Response(body).arrayBuffer());
        const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
        sent.push(`PUT ${url}\n${headersOf(Object.entries(headers))}\n\n${text}`);
        return await transport.put(url, headers, new Blob([bytes]), size, onSent, signal);
      },
    },
  };
}
