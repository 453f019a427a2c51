// What a connection may do, for how long and how much: what is offered, and how it is said.

import type { Grant, Scope } from "../../vault/owner/mod.ts";
import type { Choice } from "../components/mod.ts";
import { sizeText } from "../text/format.ts";

/** What a connection may do, each including the one before. */
export type Access = "read" | "organize" | "write";

const SCOPES: Record<Access, Scope[]> = {
  read: ["read"],
  organize: ["read", "organize"],
  write: ["read", "organize", "write"],
};

/** The levels of access, as they are chosen. */
export const ACCESS_CHOICES: readonly Choice<Access>[] = [
  {
    value: "read",
    label: "Read only",
    hint: "Lists, searches and reads. It changes nothing.",
  },
  {
    value: "organize",
    label: "Read and organize",
    hint:
      "Also renames, moves, creates folders, and moves things to the Bin. You can undo each of these.",
  },
  {
    value: "write",
    label: "Read, organize and add files",
    hint: "Also adds new files, up to an allowance. It never overwrites one.",
  },
];

/** The scopes of a level of access. */
export function scopesOf(access: Access): Scope[] {
  return SCOPES[access];
}

/** What a connection may do, in words. */
export function accessText({ scopes }: Pick<Grant, "scopes">): string {
  const access: Access = scopes.includes("write")
    ? "write"
    : scopes.includes("organize")
    ? "organize"
    : "read";
  return ACCESS_CHOICES.find(({ value }) => value === access)!.label;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const LIFETIMES = {
  "1h": { label: "1 hour", ms: HOUR_MS },
  "8h": { label: "8 hours", ms: 8 * HOUR_MS },
  "1d": { label: "1 day", ms: DAY_MS },
  "7d": { label: "7 days", ms: 7 * DAY_MS },
  "30d": { label: "30 days", ms: 30 * DAY_MS },
  "90d": { label: "90 days", ms: 90 * DAY_MS },
} as const;

export type Lifetime = keyof typeof LIFETIMES;

/** How long a connection can last, as it is chosen: from 1 hour to 90 days. */
export const LIFETIME_CHOICES: readonly Choice<Lifetime>[] = (Object.keys(LIFETIMES) as Lifetime[])
  .map((value) => ({ value, label: LIFETIMES[value].label }));

/** A lifetime in milliseconds. */
export function lifetimeMs(lifetime: Lifetime): number {
  return LIFETIMES[lifetime].ms;
}

const MEGABYTE = 1_000_000;

const ALLOWANCES = {
  "100mb": 100 * MEGABYTE,
  "1gb": 1_000 * MEGABYTE,
  "10gb": 10_000 * MEGABYTE,
  "100gb": 100_000 * MEGABYTE,
  unlimited: null,
} as const;

export type Allowance = keyof typeof ALLOWANCES;

/** How much a connection can add, as it is chosen. */
export const ALLOWANCE_CHOICES: readonly Choice<Allowance>[] =
  (Object.entries(ALLOWANCES) as [Allowance, number | null][]).map(([value, bytes]) => ({
    value,
    label: bytes === null ? "No limit" : sizeText(bytes),
  }));

/** An allowance in bytes; null for no limit. */
export function allowanceBytes(allowance: Allowance): number | null {
  return ALLOWANCES[allowance];
}
