// The schema's history: what each version did to the one before. An entry is never changed once it was
// released; a new need is a new entry.

import { firstSchema } from "./001_first.ts";

/** The SQL of each step; the first leads from nothing to version 1. */
export const MIGRATIONS: readonly string[] = [firstSchema];
