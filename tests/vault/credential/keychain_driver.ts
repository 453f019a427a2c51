// Asks the keychain in a process of its own: the questions come as JSON, and so do the answers.

import { ToolError } from "../../../containment/mod.ts";
import { Keychain } from "../../../vault/credential/mod.ts";
import type { Ask, Told } from "./bus.ts";

const [asks, options] = Deno.args.map((text) => JSON.parse(text)) as [Ask[], object];
const keychain = new Keychain({ ...options, log: (line) => console.error(line) });
await keychain.ready;

/** Puts one question. */
async function put([name, text = ""]: Ask): Promise<unknown> {
  if (name === "write") return await keychain.write(text);
  return await keychain[name]();
}

const told: Told[] = [];
for (const ask of asks) {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 20);
  const began = performance.now();
  let outcome: Pick<Told, "value" | "code" | "reason">;
  try {
    outcome = { value: await put(ask) };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    outcome = { code: error.code, reason: String(error.detail?.reason) };
  }
  clearInterval(timer);
  told.push({ ...outcome, ms: performance.now() - began, ticks });
}
console.log(JSON.stringify(told));
Deno.exit(); // also in the middle of a call
