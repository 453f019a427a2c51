// What a disk room runs: any tool of the catalogue, with only the rights of the room that it was
// opened in. A change is planned here and, once the main thread has agreed that the plan is the
// approved one, carried out here, with nothing in between.

import "../containment/native_path.ts";
import { linkThrough } from "../containment/rooms/link.ts";
import { type CallPorts, serveRoom } from "../containment/rooms/worker.ts";
import {
  type Disk,
  narrowRoots,
  preloadNode,
  realDisk,
  type Root,
  SharedFlag,
  ToolError,
} from "../containment/mod.ts";
import { findTool } from "./catalogue.ts";
import { servePeer } from "./local/duplicates/share.ts";
import type { ChangeTool, Plan, ToolContext } from "./tool.ts";

/** What the main thread tells a disk room at its start. */
export interface DiskRoomInit {
  roots: Root[];
  uid?: number;
  protectedPaths: string[];
  version: string;
  /** Of a room that shares its work: raised when the other one is no more. */
  peerGone?: SharedArrayBuffer;
}

/** One call of a tool. */
export interface ToolCall {
  tool: string;
  input: Record<string, unknown>;
  /** Folders to which the roots are narrowed for this call; absent: the roots as they are. */
  within?: readonly string[];
}

/** A plan as the main thread sees it. */
export type Preview = Pick<Plan, "output" | "binding" | "settled">;

serveRoom((start, ports) => {
  const { peerGone, ...init } = start as DiskRoomInit;
  const disk: Disk = ports.links === undefined
    ? realDisk
    : { ...realDisk, symlink: linkThrough(ports.links) };
  // The other room for reading hands over a share of its work here. There is going to be some, so
  // what it takes to read files is loaded while nobody waits for it.
  if (ports.peer !== undefined) {
    servePeer(ports.peer, disk);
    preloadNode();
  }
  const peer = ports.peer && { port: ports.peer, gone: new SharedFlag(peerGone) };
  const context = (args: unknown, call: CallPorts): ToolContext => ({
    ...init,
    roots: rootsWithin(init.roots, (args as ToolCall).within, disk),
    disk,
    peer,
    signal: call.signal,
    now: Date.now,
    progress: throttled(call.progress),
    log: (line) => console.log(line),
  });
  const tool = (args: unknown) => {
    const { tool: name, input } = args as ToolCall;
    const found = findTool(name);
    if (found === undefined) throw new Error(`no tool is called ${name}`);
    return { found, input };
  };
  const change = (args: unknown) => {
    const { found, input } = tool(args);
    if (found.effect !== "change") throw new Error(`${found.name} changes nothing`);
    return { found: found as ChangeTool, input };
  };
  return {
    run(args, call) {
      const { found, input } = tool(args);
      if (found.effect !== "read") throw new Error(`${found.name} is not a reading tool`);
      call.signal.throwIfCancelled();
      return found.run(context(args, call), input);
    },
    async preview(args, call): Promise<Preview> {
      const { found, input } = change(args);
      call.signal.throwIfCancelled();
      const { output, binding, settled } = await found.plan(context(args, call), input);
      return { output, binding, settled };
    },
    async perform(args, call) {
      const { found, input } = change(args);
      call.signal.throwIfCancelled();
      const ports = context(args, call);
      const plan = await found.plan(ports, input);
      if (plan.settled) return plan.output;
      call.signal.throwIfCancelled();
      await call.ask("approve", { binding: plan.binding, output: plan.output });
      return found.apply(ports, input, plan);
    },
  };
});

/**
 * The roots that a call may use.
 *
 * @throws ToolError `no_roots` when the narrowing leaves none.
 */
function rootsWithin(roots: Root[], within: readonly string[] | undefined, disk: Disk): Root[] {
  if (within === undefined) return roots;
  const narrowed = narrowRoots(roots, within, disk);
  if (narrowed.length > 0 || roots.length === 0) return narrowed;
  throw new ToolError(
    "no_roots",
    "none of the folders that the client works in overlaps a granted folder, so nothing is " +
      "allowed; nothing was changed. Open a granted folder in the client, or start the server " +
      "without --client-roots narrow",
  );
}

/** Lets a report through ten times a second: a message a file would cost more than the work. */
function throttled(report: ToolContext["progress"]): ToolContext["progress"] {
  let next = 0;
  return (progress) => {
    const now = performance.now();
    if (now < next) return;
    next = now + 100;
    report(progress);
  };
}
