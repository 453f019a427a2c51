// What the tools for the vault ask of the user's own folders: to look at a file, to read it, and to put it
// into the trash once it is in the vault. The room for changes of the disk answers, which knows no token and
// no key; this one knows no way to open a file.

import type { SharedFlag } from "../../containment/cancel.ts";
import { givingBack } from "../../containment/rooms/bodies/give_back.ts";
import { PortCalls } from "../../containment/rooms/port.ts";

/** A regular file inside the granted folders, as it was looked at. */
export interface Source {
  /** Where it is: no link on the way. */
  path: string;
  /** The last part of the path. */
  name: string;
  /** What it is bound by: `kind:dev:ino:mtimeMs:size`. */
  entry: string;
  bytes: number;
  /** The names that it has on its volume. */
  links: number;
  /** Where its trash is; of a file that is to be put there. */
  trashDirectory?: string;
}

/** What is asked about files. */
export interface Question {
  paths: readonly string[];
  /** The argument that has them, for refusals. */
  field: string;
  /** Whether they are to go into the trash in the end. */
  toTrash: boolean;
}

export interface Described {
  /** One for each file, in the order in which they were named. */
  sources: Source[];
  /** How often a path named a file that another one had named. */
  repeated: number;
}

/** The copy in the vault that was read back and found to be what the file is. */
export interface VerifiedCopy {
  fileId: string;
  path: string;
  /** Of the content, 64 lower-case hex digits. */
  sha256: string;
}

/** On whose word, and with what, an original goes. */
export interface TrashOrder {
  tool: string;
  /** SHA-256 of the token that approved the call, where a token did. */
  approval?: string;
  /** The batch that the call's first original made; absent for that one. */
  batch?: string;
}

/** An original in the trash. */
export interface Trashed {
  path: string;
  /** The batch's name, the same on every volume. */
  batch: string;
  /** What is not as it should be, in words. */
  warnings: string[];
}

export interface DiskGateway {
  /**
   * Looks at files.
   *
   * @throws ToolError `no_roots`, `outside_roots`, `not_found`, `not_a_file`, `protected_location`,
   * `already_trashed`, `trash_unsafe`, `trash_no_same_volume`.
   */
  describe(question: Question): Promise<Described>;
  /**
   * Opens a file. Its last bytes come only when it is still the file that was looked at. Whoever reads it is
   * done with a piece when they ask for the next: its memory is given back then.
   *
   * @throws ToolError `changed`, `unreadable`, at once or in the stream.
   */
  open(source: Source): Promise<ReadableStream<Uint8Array>>;
  /**
   * Puts a file into the trash of its volume, unless it is another one by now, or has another content than
   * its copy: its line in the manifest, with the copy, is on disk before it moves.
   *
   * @throws ToolError `changed`, `unreadable`, `cancelled`, and what keeps it from moving; it is where it
   * was then.
   */
  trash(source: Source, copy: VerifiedCopy, order: TrashOrder): Promise<Trashed>;
}

/** What one call of a tool brings along. */
export interface DiskCall {
  /** Folders to which the granted ones are narrowed for this call; absent: all of them. */
  within?: readonly string[];
  signal?: AbortSignal;
}

/** A request as it crosses. */
export type DiskRequest<T> = T & Pick<DiskCall, "within">;

/**
 * The way to the folders over the port of the room for changes.
 *
 * @param gone raised when that room is no more; absent where both are one thread.
 * @returns the gateway of one call.
 */
export function diskThrough(
  port: MessagePort,
  gone?: SharedFlag,
): (call: DiskCall) => DiskGateway {
  const calls = new PortCalls(port, gone, "the room for changes of the disk");
  return ({ within, signal }) => {
    const ask = (method: string, args: object) => {
      const request: DiskRequest<object> = { ...args, within };
      return calls.call(method, request, signal);
    };
    return {
      describe: async (question) => await ask("describe", { question }) as Described,
      open: async (source) =>
        givingBack(await ask("open", { source }) as ReadableStream<Uint8Array>),
      trash: async (source, copy, order) => await ask("trash", { source, copy, order }) as Trashed,
    };
  };
}
