// A vault with a connection to it, and its reading tools run as the product does: arguments checked and filled
// in by the schema, the result held to the published one, so that no test sees a field that clients are not
// told of. The requests that were made are kept.

import assert from "node:assert/strict";
import { z } from "zod";
import { ToolError } from "../../../containment/mod.ts";
import { checkInput } from "../../../tools/input.ts";
import type { ReadTool } from "../../../tools/tool.ts";
import type { VaultContext } from "../../../tools/vault/context.ts";
import { findVaultTool } from "../../../tools/vault/tools.ts";
import type { ClientOptions } from "../../../vault/client/mod.ts";
import type { Progress } from "../../../vault/client/types.ts";
import { type Answerer, Wire } from "../../vault/client/wire.ts";
import { type Connected, type GrantOptions, World } from "../../vault/client/world.ts";
import type { Output } from "./joined.ts";

export interface Calling {
  world: World;
  connected: Connected;
  wire: Wire;
  context: VaultContext;
  /** Aborts the context's signal. */
  stop: AbortController;
  /** What was told of the progress. */
  told: Progress[];
}

export interface CallingOptions extends GrantOptions {
  over?: Partial<ClientOptions>;
  answer?: Answerer;
}

/**
 * Runs the body with a vault that `furnish` made and a connection to it.
 *
 * @param furnish gives what the body is to know of the vault: ids, mostly.
 */
export async function inVault<T>(
  furnish: (world: World) => Promise<T>,
  body: (calling: Calling, made: T) => Promise<void>,
  options: CallingOptions | ((made: T) => CallingOptions) = {},
): Promise<void> {
  using world = new World();
  const made = await furnish(world);
  const { over = {}, answer, ...grant } = typeof options === "function" ? options(made) : options;
  const connected = await world.connect(grant);
  const wire = new Wire(world, answer);
  const stop = new AbortController();
  const told: Progress[] = [];
  const context: VaultContext = {
    client: world.client(connected, { fetch: wire.fetch, ...over }),
    signal: stop.signal,
    progress: (progress) => void told.push(progress),
  };
  await body({ world, connected, wire, context, stop, told }, made);
}

/** The result of a reading tool. */
export async function read(
  name: string,
  { context }: Pick<Calling, "context">,
  args: Record<string, unknown> = {},
): Promise<Output> {
  const tool = findVaultTool(name) as unknown as ReadTool<never, never, VaultContext>;
  const asIs = tool as unknown as ReadTool;
  const output = await tool.run(context, checkInput(asIs, z, args) as never);
  assert.deepEqual(output, asIs.output(z).parse(output), "a field that the schema does not name");
  const summary = asIs.summary(output);
  assert.doesNotMatch(summary, /[\n\r\x1b\u202e]/, "a summary is one plain line");
  for (const warning of (output as Output).warnings ?? []) assert.ok(summary.includes(warning));
  return { ...output as Record<string, unknown>, summary };
}

/** The refusal that a call ends in. */
export async function refusal(call: Promise<unknown>): Promise<ToolError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof ToolError) return error;
    throw error;
  }
  throw new Error("it was not refused");
}

/** Requests that were made, as `GET /files`. */
export function requests({ wire }: Calling): string[] {
  return wire.lines;
}

/** Requests that would change something. */
export function acts(calling: Calling): string[] {
  return requests(calling).filter((line) => !/^GET |^POST \/files\/:id\/download$/.test(line));
}
