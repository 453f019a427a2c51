import assert from "node:assert/strict";
import { inTempDir } from "../support.ts";

/** Waits for signals and tells what it hears; ends after `count` of them have been handled. */
const LISTENER = `
const { Interrupts } = await import(Deno.args[0]);
{
  using interrupts = new Interrupts(() => console.log("first"));
  const timer = setInterval(() => {}, 1000);
  console.log("ready");
  if (Deno.args[1] === "dispose") {
    await new Promise((resolve) => interrupts.signal.addEventListener("abort", resolve));
    console.log(interrupts.exitCode);
    clearInterval(timer);
  } else {
    await new Promise(() => {});
  }
}
console.log("disposed");
await new Promise((resolve) => setTimeout(resolve, 60_000));
`;

async function listen(mode: string, signals: [Deno.Signal, string][]) {
  let result = { code: 0, signal: null as Deno.Signal | null, heard: "" };
  await inTempDir(async (dir) => {
    Deno.writeTextFileSync(`${dir}/listener.ts`, LISTENER);
    const interrupts = new URL("../../cli/interrupt.ts", import.meta.url).href;
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-config", "--no-lock", `${dir}/listener.ts`, interrupts, mode],
      stdout: "piped",
    }).spawn();
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    let heard = "";
    const hear = async (text: string) => {
      while (!heard.includes(text)) {
        const { value, done } = await reader.read();
        if (done) return;
        heard += value;
      }
    };
    await hear("ready");
    for (const [signal, answer] of signals) {
      child.kill(signal);
      await hear(answer);
    }
    const { code, signal } = await child.status;
    result = { code, signal, heard };
  });
  return result;
}

Deno.test("the first signal is heard, the second ends the program at once", async () => {
  const { code, heard } = await listen("stay", [["SIGINT", "first"], ["SIGINT", "never"]]);
  assert.equal(heard, "ready\nfirst\n");
  assert.equal(code, 130);
});

Deno.test("a second signal of another kind ends the program too", async () => {
  const { code } = await listen("stay", [["SIGINT", "first"], ["SIGTERM", "never"]]);
  assert.equal(code, 143);
});

Deno.test("when nobody listens any more, a signal ends the program as it ends any other", async () => {
  const { signal, heard } = await listen("dispose", [["SIGTERM", "disposed"], ["SIGINT", "never"]]);
  assert.equal(heard, "ready\nfirst\n143\ndisposed\n");
  assert.equal(signal, "SIGINT");
});
