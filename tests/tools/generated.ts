// Generated trees for property tests: small, with odd names, equal contents, and links of every sort.

import fc from "fast-check";

/** Names that have broken programs, and some that a trash uses itself. */
export const NAMES = [
  ...["a", "b", "A", "d", "manifest.json", "items", "README.txt", ".hidden", "-rf", " ", "a.txt "],
  ...["caf\u00e9", "cafe\u0301", "x\ny", "\u202etxt", "名前", "*", "1", "(restored)"],
];
const CONTENTS = ["", "one", "two", "one", "x".repeat(5000)];
const TARGETS = ["a", "../b", "nowhere", "/etc/hostname", ".", "d/a", "OUTSIDE"];

/** One generated entry and where it goes. */
export type Planted =
  & { at: string[] }
  & (
    | { kind: "file"; content: string; mode: number; age: number }
    | { kind: "folder" }
    | { kind: "link"; target: string }
  );

const place = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 });
const planted: fc.Arbitrary<Planted> = fc.oneof(
  fc.record({
    kind: fc.constant("file" as const),
    at: place,
    content: fc.constantFrom(...CONTENTS),
    mode: fc.constantFrom(0o644, 0o600, 0o755, 0o4755),
    age: fc.integer({ min: 0, max: 2_000_000_000 }),
  }),
  fc.record({ kind: fc.constant("folder" as const), at: place }),
  fc.record({ kind: fc.constant("link" as const), at: place, target: fc.constantFrom(...TARGETS) }),
);
/** Small trees of files, folders and links. */
export const tree = fc.array(planted, { minLength: 1, maxLength: 10, size: "max" });

/** Puts what was generated into a folder; what does not fit beside the rest is left out. */
export function plantTree(dir: string, entries: Planted[], outside: string): void {
  for (const entry of entries) {
    const path = `${dir}/${entry.at.join("/")}`;
    try {
      Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
      if (entry.kind === "folder") Deno.mkdirSync(path);
      else if (entry.kind === "link") {
        Deno.symlinkSync(entry.target.replace("OUTSIDE", outside), path);
      } else {
        Deno.writeTextFileSync(path, entry.content, { createNew: true });
        Deno.chmodSync(path, entry.mode);
        Deno.utimeSync(path, entry.age, entry.age);
      }
    } catch (error) {
      if (!(error instanceof Error) || !("code" in error)) throw error;
    }
  }
}
