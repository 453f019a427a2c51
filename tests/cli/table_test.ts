import assert from "node:assert/strict";
import { cellText, localDate, tableLines } from "../../cli/terminal/table.ts";
import { styleFor } from "../../cli/terminal/style.ts";
import { widthOf } from "../../cli/terminal/width.ts";
import type { Table } from "../../tools/tool.ts";
import { testEnvironment } from "./environment.ts";

const environment = testEnvironment();
const style = styleFor(environment.stdout, environment);
const LONG = "/home/me/" + "folder/".repeat(20) + "report.pdf";

function table(...rows: Table["rows"]): Table {
  return {
    columns: [
      { title: "Size", kind: "size" },
      { title: "Modified", kind: "date" },
      { title: "Path", kind: "path" },
    ],
    rows,
  };
}

Deno.test("a table lines its columns up, numbers to the right", () => {
  const lines = tableLines(
    table([1500, "2024-05-01T12:00:00Z", "/a"], [20, undefined, "/b"]),
    { style },
  );
  assert.deepEqual(lines.map((line) => line.replace(/\d{4}-\d\d-\d\d/, "<----date>")), [
    "  Size  Modified    Path",
    "1.5 KB  <----date>  /a",
    "  20 B              /b",
  ]);
});

Deno.test("on a terminal every line fits, and off one nothing is cut", () => {
  const wide = table([1, "2024-05-01T12:00:00Z", LONG], [2, undefined, "/文件".repeat(30)]);
  for (const line of tableLines(wide, { style, columns: 60 })) assert.ok(widthOf(line) <= 60, line);
  assert.ok(tableLines(wide, { style })[1].endsWith(LONG));
});

Deno.test("of two paths the longer one is cut first", () => {
  const moves: Table = {
    columns: [{ title: "From", kind: "path" }, { title: "To", kind: "path" }],
    rows: [[LONG, "/short/name.txt"]],
  };
  const [, line] = tableLines(moves, { style, columns: 60 });
  assert.ok(widthOf(line) <= 60);
  assert.ok(line.endsWith("/short/name.txt"));
});

Deno.test("a name cannot forge a row or drive the terminal", () => {
  const names = ["a\nTrashed 0 files", "b\x1b]0;x\x07", "c\rOK   ", "d\u202etxt.exe", "e\ud800"];
  const lines = tableLines(table(...names.map((name) => [1, undefined, `/${name}`])), { style });
  assert.equal(lines.length, names.length + 1);
  // deno-lint-ignore no-control-regex
  for (const line of lines) assert.doesNotMatch(line, /[\x00-\x1f\x7f-\x9f\u202e\ud800]/);
  assert.ok(lines[1].endsWith("/a\\nTrashed 0 files"));
});

Deno.test("titles are made visible too, and an empty table is its title", () => {
  const empty = { title: "batch\x1b[2J", columns: table().columns, rows: [] };
  assert.deepEqual(tableLines(empty, { style }), ["batch\\e[2J"]);
});

Deno.test("counts have their thousands marked, sizes their units, and nothing is an empty cell", () => {
  assert.equal(cellText(1_234_567, "count"), "1,234,567");
  assert.equal(cellText(999_999, "size"), "1.0 MB");
  assert.equal(cellText(undefined, "date"), "");
});

Deno.test("a date is the one of the person's own day", () => {
  const instant = new Date(2024, 0, 31, 23, 59);
  assert.equal(localDate(instant.toISOString()), "2024-01-31");
  assert.equal(localDate("2024-13-45"), "2024-13-45");
});

Deno.test("colours are for terminals that want them", () => {
  const painted = (environment: ReturnType<typeof testEnvironment>) =>
    styleFor(environment.stdout, environment).red("x");
  assert.equal(painted(testEnvironment({ terminal: true })), "\x1b[31mx\x1b[39m");
  assert.equal(painted(testEnvironment()), "x");
  assert.equal(painted(testEnvironment({ terminal: true, variables: { NO_COLOR: "1" } })), "x");
  assert.equal(painted(testEnvironment({ terminal: true, variables: { TERM: "dumb" } })), "x");
});
