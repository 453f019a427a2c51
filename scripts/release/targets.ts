// The systems that a release is made for, as the formats of a release and people call them.

import { type Target as Triple, TARGETS as TRIPLES } from "../compile/contents.ts";

interface System {
  /** As Node.js, and so bundles, call it. */
  platform: "linux" | "darwin" | "win32";
  /** For people. */
  title: string;
}

export interface Target extends System {
  /** As compilers call it. */
  triple: Triple;
}

const SYSTEMS: Record<Triple, System> = {
  "x86_64-unknown-linux-gnu": { platform: "linux", title: "Linux on Intel or AMD" },
  "aarch64-unknown-linux-gnu": { platform: "linux", title: "Linux on ARM" },
  "x86_64-apple-darwin": { platform: "darwin", title: "macOS on Intel" },
  "aarch64-apple-darwin": { platform: "darwin", title: "macOS on Apple silicon" },
  "x86_64-pc-windows-msvc": { platform: "win32", title: "Windows on Intel or AMD" },
};

export const TARGETS: readonly Target[] = TRIPLES.map((triple) => ({ triple, ...SYSTEMS[triple] }));

/** What the executable is called on the system. */
export function programName({ platform }: Target): string {
  return platform === "win32" ? "shieldfive.exe" : "shieldfive";
}
