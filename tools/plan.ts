// Plan, then act: the one piece of code that decides whether a change is the one that was approved.
// Over MCP the approval is a token, at the terminal a person's yes; both end in the same comparison
// of what was shown with what would be done now (local-tools spec, section 5).

import { ToolError } from "../containment/mod.ts";
import type { Bound } from "./tool.ts";

/** Milliseconds that a token lives. */
export const PLAN_LIFETIME = 10 * 60 * 1000;
/** Plans kept; the oldest goes first. */
export const MAX_PLANS = 64;
/** Differences listed in a refusal. */
const MAX_CHANGES = 20;

type Binding = { [field: string]: Bound };

/** One difference between the plan that was approved and the one made now. */
export interface Change {
  path?: string;
  field: string;
  before: Bound;
  after: Bound;
}

/** The one spelling of a value: keys sorted at every level, undefined as null. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part) => {
    if (part === undefined) return null;
    if (part === null || typeof part !== "object" || Array.isArray(part)) return part;
    return Object.fromEntries(
      Object.keys(part).sort().map((key) => [key, part[key] === undefined ? null : part[key]]),
    );
  });
}

/** Every difference between two bindings, in field order. */
export function changesBetween(before: Binding, after: Binding): Change[] {
  const changes: Change[] = [];
  const subject = [before.source, before.path, before.from].find((v) => typeof v === "string");
  for (const field of fieldsOf(before, after)) {
    const [left, right] = [before[field], after[field]];
    if (field === "items" && isRecord(left) && isRecord(right)) collectItems(left, right, changes);
    else collect(subject as string | undefined, field, left, right, changes);
  }
  return changes;
}

function isRecord(value: Bound): value is Binding {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fieldsOf(before: Binding, after: Binding): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
}

function collectItems(before: Binding, after: Binding, into: Change[]): void {
  for (const path of fieldsOf(before, after)) {
    collect(path, "items", before[path], after[path], into);
  }
}

function collect(
  path: string | undefined,
  field: string,
  before: Bound,
  after: Bound,
  into: Change[],
): void {
  if (isRecord(before) && isRecord(after)) {
    for (const name of fieldsOf(before, after)) {
      collect(path, `${field}.${name}`, before[name], after[name], into);
    }
  } else if (canonical(before) !== canonical(after)) {
    into.push({ ...(path === undefined ? {} : { path }), field, before, after });
  }
}

/**
 * Throws `plan_changed`, naming every top-level field that differs, unless the fresh plan is the
 * approved one. `output` is the fresh plan as it would be shown; it never comes with a token,
 * since a person has not seen it.
 */
export function requireSamePlan(approved: Binding, fresh: Binding, output: unknown): void {
  const changes = changesBetween(approved, fresh);
  if (changes.length === 0) return;
  const fields = [...new Set(changes.map((change) => change.field.split(".")[0]))];
  throw new ToolError(
    "plan_changed",
    `what would happen now is not what was approved: ${fields.join(", ")} differ${
      fields.length === 1 ? "s" : ""
    }; nothing was changed. Make a new plan, look at it, and approve that one`,
    {
      detail: {
        fields,
        changes: changes.slice(0, MAX_CHANGES),
        changes_omitted: Math.max(0, changes.length - MAX_CHANGES),
        plan: output,
      },
    },
  );
}

interface Issued {
  tool: string;
  call: string;
  binding: Binding;
  issuedAt: number;
}

/** Why a token is gone, remembered so that the refusal can say it. */
type Tombstone = "used" | "expired" | "evicted";

/** The tokens of one process. A restart forgets them all. */
export class PlanStore {
  readonly #now: () => number;
  readonly #plans = new Map<string, Issued>();
  readonly #gone = new Map<string, Tombstone>();

  /** @param now a steady clock in milliseconds, so that setting the wall clock changes no lifetime. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Remembers an approved-to-be plan under a fresh token, which performs it once. */
  issue(tool: string, input: unknown, binding: Binding): string {
    this.#sweep();
    for (const token of this.#plans.keys()) {
      if (this.#plans.size < MAX_PLANS) break;
      this.#bury(token, "evicted");
    }
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    const token = "plan_" + bytes.toHex();
    this.#plans.set(token, { tool, call: callKey(input), binding, issuedAt: this.#now() });
    return token;
  }

  /**
   * Spends a token on the plan made now, or throws why not. A token shown to another tool, or with
   * other arguments, is refused without being spent; a real change under the same call spends it.
   */
  redeem(
    presented: unknown,
    tool: string,
    input: unknown,
    fresh: { binding: Binding; output: unknown },
  ): void {
    const token = this.#find(presented);
    const plan = this.#plans.get(token)!;
    if (plan.tool !== tool || plan.call !== callKey(input)) {
      throw new ToolError(
        "plan_changed",
        "the plan_token belongs to another call: the tool or its arguments differ from the ones " +
          "that were previewed; nothing was changed and the token is still good for its own call",
        { detail: { reason: "different_call", tool: plan.tool } },
      );
    }
    this.#bury(token, "used");
    requireSamePlan(plan.binding, fresh.binding, fresh.output);
  }

  #find(presented: unknown): string {
    if (presented === undefined || presented === null || presented === "") {
      throw new ToolError(
        "plan_token_required",
        "confirm needs the plan_token of a preview: call once without confirm, show that plan to " +
          "the user, then confirm with its token; nothing was changed",
      );
    }
    // Models wrap tokens in quotes or end them with a full stop; that is not a different token.
    const token = String(presented).trim().replace(/^["'`\s]+|["'`.,\s]+$/g, "");
    const plan = this.#plans.get(token);
    if (plan !== undefined && this.#now() - plan.issuedAt < PLAN_LIFETIME) return token;
    if (plan !== undefined) this.#bury(token, "expired");
    throw refusal(this.#gone.get(token));
  }

  #sweep(): void {
    for (const [token, plan] of this.#plans) {
      if (this.#now() - plan.issuedAt >= PLAN_LIFETIME) this.#bury(token, "expired");
    }
  }

  #bury(token: string, why: Tombstone): void {
    this.#plans.delete(token);
    this.#gone.set(token, why);
    for (const oldest of this.#gone.keys()) {
      if (this.#gone.size <= 4 * MAX_PLANS) break;
      this.#gone.delete(oldest);
    }
  }
}

function refusal(why: Tombstone | undefined): ToolError {
  if (why === "expired") {
    return new ToolError(
      "plan_expired",
      "the plan_token is more than ten minutes old; nothing was changed. Make a new plan",
    );
  }
  const reason = {
    used: "was already used: one approval performs one change",
    evicted: `was dropped because more than ${MAX_PLANS} newer plans were made`,
    unknown: "was never issued by this process (a restart forgets all plans)",
  }[why ?? "unknown"];
  return new ToolError(
    "unknown_plan_token",
    `the plan_token ${reason}; nothing was changed. Make a new plan`,
  );
}

/** The arguments that a token is good for; the order of a list of paths does not matter. */
function callKey(input: unknown): string {
  const { confirm: _confirm, plan_token: _token, ...call } = input as Record<string, unknown>;
  for (const [name, value] of Object.entries(call)) {
    if (Array.isArray(value) && value.every((item) => typeof item === "string")) {
      call[name] = [...new Set(value)].sort();
    }
  }
  return canonical(call);
}
