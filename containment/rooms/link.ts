// The `link` room and the way to it. It can write anywhere, because the runtime makes symbolic links
// only for such a thread; so it does one thing only: it creates a link whose own place lies inside a
// granted folder, never over anything, and never looks at where the link leads.

import { realDisk } from "../disk.ts";
import { errnoOf, ToolError } from "../error.ts";
import { isInside, nativeRules } from "../paths.ts";
import { quote } from "../text.ts";

// Shared with the asking thread, which sleeps on the first word: 0 waiting, 1 done, 2 failed. An
// errno name of up to 28 bytes follows the length in the second word.
const WORDS = 9;

interface Request {
  target: string;
  name: string;
  reply: SharedArrayBuffer;
}

/**
 * Makes a symbolic link through the link room and waits for it, as if it were a plain call.
 *
 * @throws system errors as a plain call would; ToolError `io_error` when the room does not answer.
 */
export function linkThrough(port: MessagePort): (target: string, name: string) => void {
  return (target, name) => {
    const reply = new SharedArrayBuffer(WORDS * 4);
    const words = new Int32Array(reply);
    port.postMessage({ target, name, reply } satisfies Request);
    if (Atomics.wait(words, 0, 0, 10_000) === "timed-out") {
      throw new ToolError(
        "io_error",
        `the room for symbolic links did not answer; whether ${quote(name)} was made is not known`,
        { changedAnything: true, detail: { path: name } },
      );
    }
    if (Atomics.load(words, 0) === 1) return;
    const code = new TextDecoder().decode(new Uint8Array(reply, 8, words[1]).slice());
    throw Object.assign(new Error(`${code}: symlink '${name}'`), { code });
  };
}

function settle(reply: SharedArrayBuffer, code: string | undefined): void {
  const words = new Int32Array(reply);
  if (code !== undefined) {
    const bytes = new TextEncoder().encode(code).subarray(0, (WORDS - 2) * 4);
    words[1] = bytes.length;
    new Uint8Array(reply, 8).set(bytes);
  }
  Atomics.store(words, 0, code === undefined ? 1 : 2);
  Atomics.notify(words, 0);
}

/**
 * The errno with which a request is refused, or undefined when the link was made. The parent must
 * be a real folder inside a granted one, spelled without links.
 */
export function makeLink(
  request: { target: string; name: string },
  folders: readonly string[],
  disk = realDisk,
): string | undefined {
  try {
    const parent = nativeRules.dirname(request.name);
    const inside = folders.some((folder) => isInside(parent, folder));
    if (!inside || disk.realPath(parent) !== parent) return "EACCES";
    disk.symlink(request.target, request.name);
    return undefined;
  } catch (error) {
    return errnoOf(error) ?? "EIO";
  }
}

/** Serves link requests that come over the port. */
export function serveLinks(port: MessagePort, folders: readonly string[]): void {
  port.onmessage = ({ data }: MessageEvent<Request>) => {
    settle(data.reply, makeLink(data, folders));
  };
}
