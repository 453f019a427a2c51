import assert from "node:assert/strict";
import { ClosedPipe, StreamInput, StreamOutput, WriteFailed } from "../../cli/terminal/streams.ts";

/** A stream that does what it is told, one step a write. */
function sink(...steps: (number | string)[]) {
  const taken: number[] = [];
  return {
    taken,
    isTerminal: () => false,
    writeSync(bytes: Uint8Array): number {
      const step = steps.shift() ?? bytes.length;
      if (typeof step === "string") throw Object.assign(new Error(step), { code: step });
      const n = Math.min(step, bytes.length);
      taken.push(...bytes.subarray(0, n));
      return n;
    },
  };
}

Deno.test("all of the text is written, however little the stream takes at a time", () => {
  const stream = sink(1, 2, "EAGAIN", 1, "EAGAIN", "EAGAIN");
  new StreamOutput(stream).write("naïve 文件");
  assert.equal(new TextDecoder().decode(new Uint8Array(stream.taken)), "naïve 文件");
});

Deno.test("long output goes in pieces that end with a line, so that a full pipe leaves no doubt", () => {
  const sizes: number[] = [];
  const ends: number[] = [];
  let text = "";
  const stream = {
    isTerminal: () => false,
    writeSync(bytes: Uint8Array): number {
      sizes.push(bytes.length);
      ends.push(bytes.at(-1)!);
      text += new TextDecoder().decode(bytes);
      return bytes.length;
    },
  };
  const lines = Array.from({ length: 500 }, (_, i) => "文".repeat(i % 90) + i);
  lines[250] = "x".repeat(10_000);
  const whole = lines.join("\n") + "\n";
  new StreamOutput(stream).write(whole);
  assert.equal(text, whole);
  assert.deepEqual([...new Set(ends)], [0x0a]);
  assert.ok(sizes.every((size) => size <= 4096 || size === 10_001), sizes.join(" "));
});

Deno.test("a reader that went away, or a terminal that was hung up, is a closed pipe", () => {
  for (const code of ["EPIPE", "EIO"]) {
    assert.throws(() => new StreamOutput(sink(3, code)).write("some text"), ClosedPipe);
  }
});

Deno.test("a full disk is a failure to write, and says so", () => {
  assert.throws(() => new StreamOutput(sink("ENOSPC")).write("x"), (error: unknown) => {
    assert.ok(error instanceof WriteFailed);
    assert.match(error.message, /ENOSPC/);
    return true;
  });
});

Deno.test("input is read to its end and never beyond the limit", () => {
  const source = (size: number) => {
    let left = size;
    return {
      isTerminal: () => false,
      readSync(into: Uint8Array): number | null {
        if (left === 0) return null;
        const n = Math.min(left, into.length, 1000);
        into.fill(7, 0, n);
        left -= n;
        return n;
      },
    };
  };
  const all = new StreamInput(source(100_500)).readAll(200_000);
  assert.equal(all.length, 100_500);
  assert.ok(all.every((byte) => byte === 7));
  assert.throws(() => new StreamInput(source(100_500)).readAll(100_000), RangeError);
});
