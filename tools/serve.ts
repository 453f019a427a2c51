// How a room carries out the tools that it has: a reading tool is run; a change is planned and, once the
// main thread has agreed that the plan is the approved one, carried out with nothing in between.

import type { CallPorts, Method } from "../containment/rooms/worker.ts";
import type { Plan, Tool } from "./tool.ts";

/** One call of a tool. */
export interface ToolCall {
  tool: string;
  input: Record<string, unknown>;
  /** Folders to which the roots are narrowed for this call; absent: the roots as they are. */
  within?: readonly string[];
}

/** A plan as the main thread sees it. */
export type Preview = Pick<Plan, "output" | "binding" | "settled">;

/** What a room's tools stand on. `C` is what they may use. */
export interface Serving<C> {
  /** The tool that answers to a name. */
  find(name: string): Tool<C> | undefined;
  /** What the tool may use in this call. */
  context(call: ToolCall, ports: CallPorts): C | Promise<C>;
}

/** The methods of a room that runs tools. */
export function toolMethods<C>({ find, context }: Serving<C>) {
  const found = ({ tool: name }: ToolCall): Tool<C> => {
    const tool = find(name);
    if (tool === undefined) throw new Error(`no tool is called ${name}`);
    return tool;
  };
  const change = (call: ToolCall) => {
    const tool = found(call);
    if (tool.effect !== "change") throw new Error(`${tool.name} changes nothing`);
    return tool;
  };
  return {
    async run(args, ports) {
      const call = args as ToolCall;
      const tool = found(call);
      if (tool.effect !== "read") throw new Error(`${tool.name} is not a reading tool`);
      ports.signal.throwIfCancelled();
      return tool.run(await context(call, ports), call.input);
    },
    async preview(args, ports): Promise<Preview> {
      const call = args as ToolCall;
      const tool = change(call);
      ports.signal.throwIfCancelled();
      const plan = await tool.plan(await context(call, ports), call.input);
      return { output: plan.output, binding: plan.binding, settled: plan.settled };
    },
    async perform(args, ports) {
      const call = args as ToolCall;
      const tool = change(call);
      ports.signal.throwIfCancelled();
      const given = await context(call, ports);
      const plan = await tool.plan(given, call.input);
      if (plan.settled) return plan.output;
      ports.signal.throwIfCancelled();
      await ports.ask("approve", { binding: plan.binding, output: plan.output });
      return tool.apply(given, call.input, plan);
    },
  } satisfies Record<string, Method>;
}

/** Lets a report through ten times a second: a message a file would cost more than the work. */
export function throttled(report: CallPorts["progress"]): CallPorts["progress"] {
  let next = 0;
  return (progress) => {
    const now = performance.now();
    if (now < next) return;
    next = now + 100;
    report(progress);
  };
}
