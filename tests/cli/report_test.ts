import assert from "node:assert/strict";
import { parseReport, reportedCopies } from "../../cli/commands/report.ts";
import { inTempDir, refusal } from "../support.ts";
import { testEnvironment } from "./environment.ts";

const SHA = "ab".repeat(32);

function report(over: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    scanned: ["/t/root"],
    omitted_by_limit: 0,
    groups: [{
      sha256: SHA,
      size: 5,
      oldest_copy: { path: "/t/root/keep" },
      other_copies: [{ path: "/t/root/b" }, { path: "/t/root/c" }],
      other_copies_omitted: 0,
    }],
    ...over,
  };
}

function bytes(value: unknown): Uint8Array {
  return new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));
}

Deno.test("every extra copy of a report is expected to be what it was, with its keeper in place", () => {
  assert.deepEqual(parseReport(bytes(report()), "r"), {
    scanned: ["/t/root"],
    copies: [
      { path: "/t/root/b", sha256: SHA, size: 5, keep: "/t/root/keep" },
      { path: "/t/root/c", sha256: SHA, size: 5, keep: "/t/root/keep" },
    ],
    omitted: 0,
  });
});

Deno.test("what a report only counts is counted", () => {
  const group = (report().groups as Record<string, unknown>[])[0];
  const cut = report({ omitted_by_limit: 2, groups: [{ ...group, other_copies_omitted: 3 }] });
  assert.equal(parseReport(bytes(cut), "r").omitted, 5);
});

Deno.test("empty files are never part of a bulk trash, and it is told that they stay", () => {
  const [group] = report().groups as Record<string, unknown>[];
  const read = parseReport(bytes(report({ groups: [group, { ...group, size: 0 }] })), "r");
  assert.deepEqual(read.copies.map(({ size }) => size), [5, 5]);
  assert.equal(read.omitted, 2);
});

Deno.test("what is no report is refused with the place that is wrong", () => {
  const group = (report().groups as Record<string, unknown>[])[0];
  const wrong: [unknown, RegExp][] = [
    ["", /it is empty/],
    ["{", /it is not JSON/],
    ["\xff", /it is not JSON|not an object/],
    [[], /the report is not an object/],
    [{ error: { code: "no_roots" } }, /it tells of a failure/],
    [report({ scanned: [] }), /scanned is empty/],
    [report({ scanned: ["root"] }), /scanned\[0\] is not a plain absolute path/],
    [report({ groups: {} }), /groups is not a list/],
    [report({ groups: [{ ...group, sha256: SHA.toUpperCase() }] }), /groups\[0\]\.sha256/],
    [report({ groups: [{ ...group, size: -1 }] }), /groups\[0\]\.size is not a count/],
    [report({ groups: [{ ...group, oldest_copy: undefined }] }), /oldest_copy is not an object/],
    [report({ groups: [{ ...group, other_copies: [{ path: 5 }] }] }), /other_copies\[0\]\.path/],
    [
      report({ groups: [{ ...group, other_copies: [{ path: "/t/root/../x" }] }] }),
      /is not a plain absolute path/,
    ],
    [
      report({ groups: [{ ...group, other_copies: [{ path: "/t/root-evil/x" }] }] }),
      /"\/t\/root-evil\/x" is in none of the folders scanned/,
    ],
  ];
  for (const [value, why] of wrong) {
    const error = refusal(() => parseReport(bytes(value), "r"));
    assert.equal(error.code, "invalid_argument");
    assert.match(error.message, why);
  }
});

function call(cwd: string, stdin: unknown, given: string[] = []) {
  const environment = testEnvironment({ cwd, stdin: JSON.stringify(stdin) });
  return reportedCopies("-", {}, { environment, given, findTrash: false });
}

Deno.test("the folders that were scanned are worked in, unless roots are given", () =>
  inTempDir((dir) => {
    Deno.mkdirSync(`${dir}/scan`);
    Deno.mkdirSync(`${dir}/other`);
    const text = JSON.stringify(report()).replaceAll("/t/root", `${dir}/scan`);
    const found = call("/", JSON.parse(text));
    assert.deepEqual(found.reach.roots.map(({ path }) => path), [`${dir}/scan`]);
    assert.deepEqual(found.input.paths, [`${dir}/scan/b`, `${dir}/scan/c`]);
    const given = call("/", JSON.parse(text), [`${dir}/other`]);
    assert.deepEqual(given.reach.roots.map(({ path }) => path), [`${dir}/other`]);
  }));

Deno.test("a report with no copies, or with more than one call takes, is refused", () => {
  assert.equal(refusal(() => call("/", report({ groups: [] }))).code, "invalid_path");
  const [group] = report().groups as Record<string, unknown>[];
  const copies = Array.from({ length: 1001 }, (_, i) => ({ path: `/t/root/${i}` }));
  const error = refusal(() => call("/", report({ groups: [{ ...group, other_copies: copies }] })));
  assert.match(error.message, /lists 1001 copies, and one call takes 1000: look for duplicates/);
});

Deno.test("a report that cannot be read is refused", () => {
  const source = { environment: testEnvironment({ cwd: "/" }), given: [], findTrash: false };
  assert.equal(refusal(() => reportedCopies("no/such/file", {}, source)).code, "unreadable");
});
