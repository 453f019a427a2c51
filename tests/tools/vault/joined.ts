// A vault and local folders together, in one process: the real service behind the client, the real side of the
// folders behind a port. Tools are run as the product does: arguments checked by the schema, a plan, then the
// same plan carried out, and every result held to the published schema.

import assert from "node:assert/strict";
import { z } from "zod";
import { type Disk, openRoots, realDisk } from "../../../containment/mod.ts";
import { checkInput } from "../../../tools/input.ts";
import { requireSamePlan } from "../../../tools/plan.ts";
import type { ChangeTool, Plan } from "../../../tools/tool.ts";
import type { VaultContext } from "../../../tools/vault/context.ts";
import { serveDisk } from "../../../tools/vault/disk/side.ts";
import { diskThrough } from "../../../tools/vault/disk_gateway.ts";
import { findVaultTool } from "../../../tools/vault/tools.ts";
import type { ClientOptions } from "../../../vault/client/mod.ts";
import type { Progress } from "../../../vault/client/types.ts";
import { inTempDir } from "../../support.ts";
import { Wire } from "../../vault/client/wire.ts";
import { type Connected, type GrantOptions, World } from "../../vault/client/world.ts";

/** What the tests look at; every tool gives a part of it. */
// deno-lint-ignore no-explicit-any -- a test asserts on the fields that it names
export type Output = Record<string, any> & { summary: string };

export interface Joined {
  world: World;
  connected: Connected;
  wire: Wire;
  context: VaultContext;
  /** Aborts the context's signal. */
  stop: AbortController;
  /** The local folder that was granted. */
  dir: string;
  /** Id of the vault's folder `/A`. */
  folder: string;
  /** What was told of the progress. */
  told: Progress[];
  /** The disk that the folders' side works on, whose operations a test may replace. */
  disk: Disk;
}

export interface JoinedOptions extends GrantOptions {
  over?: Partial<ClientOptions>;
  /** Absent: all of the temporary folder. */
  granted?: (dir: string) => string[];
  protectedPaths?: (dir: string) => string[];
}

/** Runs the body with an empty folder `/A` in a vault, and an empty local folder. */
export async function joined(
  body: (joined: Joined) => Promise<void>,
  { over = {}, granted = (dir) => [dir], protectedPaths = () => [], ...grant }: JoinedOptions = {},
): Promise<void> {
  await inTempDir(async (dir) => {
    using world = new World();
    const folder = await world.addFolder(null, "A");
    const connected = await world.connect(grant);
    const wire = new Wire(world);
    const stop = new AbortController();
    const told: Progress[] = [];
    const disk = { ...realDisk };
    const { port1, port2 } = new MessageChannel();
    serveDisk(port1, {
      place: {
        roots: openRoots(granted(dir)).roots,
        disk,
        uid: Deno.uid() ?? undefined,
        protectedPaths: protectedPaths(dir),
        version: "0.0.0-test",
      },
      inTurn: async (work) => await work(),
    });
    const context: VaultContext = {
      client: world.client(connected, { fetch: wire.fetch, ...over }),
      signal: stop.signal,
      progress: (progress) => void told.push(progress),
      disk: diskThrough(port2)({ signal: stop.signal }),
    };
    try {
      await body({ world, connected, wire, context, stop, dir, folder, told, disk });
    } finally {
      port1.close();
      port2.close();
    }
  });
}

/** A preview, and the way to carry it out. */
export interface Preview {
  shown: Output;
  binding: Plan["binding"];
  /** Plans again, compares, and carries that plan out, as a confirmed call does. */
  confirm(): Promise<Output>;
}

function checked(tool: ChangeTool, output: Record<string, unknown>): Output {
  assert.deepEqual(output, tool.output(z).parse(output), "a field that the schema does not name");
  const summary = tool.summary(output);
  assert.doesNotMatch(summary, /[\n\r\x1b\u202e]/, "a summary is one plain line");
  for (const warning of output.warnings as string[] ?? []) assert.ok(summary.includes(warning));
  if (output.performed === false) assert.match(summary, /Planned \(nothing changed\)/);
  return { ...output, summary };
}

/** The plan of a change. */
export async function preview(
  name: string,
  { context }: Pick<Joined, "context">,
  args: Record<string, unknown>,
): Promise<Preview> {
  const tool = findVaultTool(name) as unknown as ChangeTool<never, never, Plan, VaultContext>;
  const asIs = tool as unknown as ChangeTool;
  const input = checkInput(asIs, z, args) as never;
  const plan = await tool.plan(context, input);
  return {
    shown: checked(asIs, plan.output),
    binding: plan.binding,
    async confirm() {
      const fresh = await tool.plan(context, input);
      requireSamePlan(plan.binding, fresh.binding, fresh.output);
      return checked(asIs, await tool.apply(context, input, fresh));
    },
  };
}

/** Plans a change and makes it. */
export async function perform(
  name: string,
  joined: Pick<Joined, "context">,
  args: Record<string, unknown>,
): Promise<Output> {
  return await (await preview(name, joined, args)).confirm();
}
