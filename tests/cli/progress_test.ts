import assert from "node:assert/strict";
import { ProgressLine, progressText } from "../../cli/terminal/progress.ts";
import { ClosedPipe } from "../../cli/terminal/streams.ts";
import { Written } from "./environment.ts";

Deno.test("progress tells what is known: a count, a rate, and how long it will take", () => {
  const scanning = { done: 12_345, unit: "files" as const, label: "scanning" };
  assert.equal(progressText(scanning, 0), "scanning: 12,345 files");
  assert.equal(progressText(scanning, 4000), "scanning: 12,345 files, 4,000 files/s");
  const hashing = { done: 1e9, total: 3e9, unit: "bytes" as const, label: "comparing" };
  assert.equal(progressText(hashing, 5e8), "comparing: 1.0 GB of 3.0 GB, 500 MB/s, 4 s left");
  assert.equal(
    progressText(hashing, 1e7),
    "comparing: 1.0 GB of 3.0 GB, 10.0 MB/s, 3 min 20 s left",
  );
  assert.equal(
    progressText(hashing, 1e5),
    "comparing: 1.0 GB of 3.0 GB, 100 KB/s, 5 h 33 min left",
  );
});

Deno.test("the line appears only when work lasts, and is taken away", () => {
  let now = 0;
  const screen = new Written(true);
  const line = new ProgressLine(screen, 40, () => now);
  line.update({ done: 1, unit: "files", label: "scanning" });
  line.erase();
  assert.equal(screen.text, "");
  now = 400;
  line.update({ done: 10, unit: "files", label: "scanning" });
  assert.match(screen.text, /^\rscanning: 10 files/);
  line.erase();
  assert.ok(screen.text.endsWith("\r\x1b[K"));
});

Deno.test("the line is never longer than the terminal is wide", () => {
  let now = 0;
  const screen = new Written(true);
  const line = new ProgressLine(screen, 20, () => now);
  now = 400;
  line.update({ done: 123_456_789, total: 987_654_321, unit: "files", label: "scanning" });
  assert.equal(screen.text, "\rscanning: 123,456,…\x1b[K");
});

Deno.test("there is no line where there is no terminal", () => {
  let now = 0;
  const pipe = new Written(false);
  const line = new ProgressLine(pipe, 80, () => now);
  now = 1000;
  line.update({ done: 1, unit: "files", label: "scanning" });
  line.erase();
  assert.equal(pipe.text, "");
});

Deno.test("a terminal that goes away in the middle does not stop the work", () => {
  let now = 0;
  let writes = 0;
  const screen = {
    isTerminal: true,
    write() {
      writes++;
      throw new ClosedPipe();
    },
  };
  const line = new ProgressLine(screen, 80, () => now);
  for (now = 400; now < 1000; now += 100) {
    line.update({ done: now, unit: "files", label: "scanning" });
  }
  assert.equal(writes, 1);
});
