// Runs a changing tool as the product does: arguments checked by its schema, a plan, then the same
// plan carried out. Every preview is held to what a preview promises (nothing on disk differs
// afterwards, and the same plan comes out again), and every result to its published schema.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { z } from "zod";
import { kindOf, realDisk, ToolError } from "../../containment/mod.ts";
import { findTool } from "../../tools/catalogue.ts";
import { checkInput } from "../../tools/input.ts";
import { changesBetween } from "../../tools/plan.ts";
import type { ChangeTool, Plan, ToolContext } from "../../tools/tool.ts";
import { contextFor } from "../support.ts";

/** What the tests look at; every tool gives a part of it. */
// deno-lint-ignore no-explicit-any -- a test asserts on the fields that it names
export type Output = Record<string, any> & { summary: string };

type Where = string | string[] | ToolContext;

/** A preview, and the way to carry it out. */
export interface Preview {
  shown: Output;
  binding: Plan["binding"];
  settled: boolean;
  apply(): Promise<Output>;
}

function contextOf(where: Where): ToolContext {
  return typeof where === "object" && !Array.isArray(where) ? where : contextFor([where].flat());
}

function checked(tool: ChangeTool, output: Record<string, unknown>): Output {
  assert.deepEqual(output, tool.output(z).parse(output), "a field that the schema does not name");
  const summary = tool.summary(output);
  assert.doesNotMatch(summary, /[\n\r\x1b\u202e]/, "a summary is one plain line");
  for (const warning of output.warnings as string[] ?? []) assert.ok(summary.includes(warning));
  if (output.performed === false && output.already_existed !== true) {
    assert.match(summary, /Planned \(nothing changed\)/);
  }
  return { ...output, summary };
}

/** The plan of a change. */
export async function preview(
  name: string,
  where: Where,
  args: Record<string, unknown>,
): Promise<Preview> {
  const tool = findTool(name) as ChangeTool;
  const context = contextOf(where);
  const input = checkInput(tool, z, args);
  const plan = await tool.plan(context, input);
  assert.equal(plan.output.performed, false);
  return {
    shown: checked(tool, plan.output),
    binding: plan.binding,
    settled: plan.settled ?? false,
    apply: async () => checked(tool, await tool.apply(context, input, plan)),
  };
}

/** Plans a change, makes sure that this changed nothing and binds to the same again, and makes it. */
export async function perform(
  name: string,
  where: Where,
  args: Record<string, unknown>,
): Promise<Output> {
  const context = contextOf(where);
  const before = context.roots.map((root) => pictureOf(root.path));
  const first = await preview(name, context, args);
  assert.deepEqual(
    context.roots.map((root) => pictureOf(root.path)),
    before,
    "a plan changes nothing",
  );
  const second = await preview(name, context, args);
  assert.deepEqual(changesBetween(first.binding, second.binding), [], "the same plan again");
  return second.settled ? second.shown : await second.apply();
}

/** The refusal that a call ends in, whether in its plan or in carrying it out. */
export async function refused(
  name: string,
  where: Where,
  args: Record<string, unknown>,
): Promise<ToolError> {
  return await refusalOf(async () => {
    const { settled, apply } = await preview(name, where, args);
    if (!settled) await apply();
  });
}

/** The refusal that an asynchronous call ends in; fails when there is none or it is a bug. */
export async function refusalOf(call: () => Promise<unknown>): Promise<ToolError> {
  try {
    await call();
  } catch (error) {
    if (error instanceof ToolError) {
      // What was done in part is told item by item.
      const inPart = error.code.endsWith("_partially_applied");
      assert.ok(inPart || error.message.length <= 1000, "a refusal is short");
      return error;
    }
    throw error;
  }
  throw new Error("the call was not refused");
}

/** Fields of the plan's binding that differ after something changed in between. */
export async function fieldsThatChange(
  name: string,
  where: Where,
  args: Record<string, unknown>,
  change: () => void,
): Promise<string[]> {
  const before = await preview(name, where, args);
  change();
  const after = await preview(name, where, args);
  return changesBetween(before.binding, after.binding).map(({ field }) => field);
}

/** SHA-256 of a text or of a file's content. */
export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/**
 * Everything below a folder by relative path, in words that differ when the entry does: kind, mode,
 * time and content of files, text of links. Folders' times are left out, since a change inside a
 * folder touches them; so is `skip`.
 */
export function pictureOf(folder: string, skip: (name: string) => boolean = () => false) {
  const picture: Record<string, string> = {};
  const look = (path: string, name: string) => {
    const info = Deno.lstatSync(path);
    const mode = (info.mode! & 0o7777).toString(8);
    const kind = kindOf(info);
    if (kind === "symlink") {
      picture[name] = `link to ${Deno.readLinkSync(path)} ${info.mtime!.getTime()}`;
    } else if (kind === "file") {
      picture[name] = `file ${mode} ${info.mtime!.getTime()} ${sha256(Deno.readFileSync(path))}`;
    } else picture[name] = `${kind} ${mode}`;
    if (kind !== "directory") return;
    for (const entry of realDisk.readDir(path)) {
      if (!skip(entry.name)) look(`${path}/${entry.name}`, `${name}/${entry.name}`);
    }
  };
  for (const entry of realDisk.readDir(folder)) {
    if (!skip(entry.name)) look(`${folder}/${entry.name}`, entry.name);
  }
  return picture;
}

/** Relative paths of everything below a folder, sorted. */
export function namesIn(folder: string): string[] {
  return Object.keys(pictureOf(folder)).sort();
}

/** What a file holds. */
export function textOf(path: string): string {
  return Deno.readTextFileSync(path);
}

/** A system error as the runtime throws it. */
export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: injected`), { code });
}

/** Makes a pipe that nobody writes to. */
export function makeFifo(path: string): void {
  const { success } = new Deno.Command("mkfifo", { args: [path] }).outputSync();
  assert.ok(success, "mkfifo works here");
}

/** Whether there is a second volume for tests; says so when there is none. */
export function hasOtherVolume(): boolean {
  const probe = Deno.makeTempDirSync();
  try {
    if (Deno.statSync("/dev/shm").dev !== Deno.statSync(probe).dev) return true;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  } finally {
    Deno.removeSync(probe);
  }
  console.log("skipped: /dev/shm is not another volume than the temporary folder here");
  return false;
}
