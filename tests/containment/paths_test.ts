import assert from "node:assert/strict";
import { posix, win32 } from "node:path";
import fc from "fast-check";
import { ToolError } from "../../containment/mod.ts";
import {
  checkNewName,
  isInside,
  normalizeArgument,
  windowsNameProblem,
} from "../../containment/paths.ts";
import { refusal } from "../support.ts";

const SEED = { seed: 20_261_130, numRuns: 300 };
/** Names that make string comparison go wrong: prefixes of each other, dots, spaces. */
const name = fc.constantFrom("a", "ab", "a-b", "a b", "a.", "..a", "...", " ", "é", "e\u0301", "A");

Deno.test("a folder is inside itself, what is below it is inside, what is above it is not", () => {
  assert.ok(isInside("/data/root", "/data/root", posix));
  assert.ok(isInside("/data/root/a/b", "/data/root", posix));
  assert.ok(!isInside("/data", "/data/root", posix));
  assert.ok(!isInside("/", "/data/root", posix));
});

Deno.test("a sibling whose name starts like the root's is outside", () => {
  for (const sibling of ["/data/root-evil", "/data/rootevil", "/data/root.", "/data/root evil/x"]) {
    assert.ok(!isInside(sibling, "/data/root", posix), sibling);
  }
  assert.ok(!isInside("C:\\data\\root-evil", "C:\\data\\root", win32));
});

Deno.test("with the top of the file system as root every path is inside", () => {
  assert.ok(isInside("/", "/", posix));
  assert.ok(isInside("/etc/hostname", "/", posix));
  assert.ok(isInside("C:\\x", "C:\\", win32));
  assert.ok(!isInside("D:\\x", "C:\\", win32));
});

for (const [platform, rules, top] of [["posix", posix, "/"], ["win32", win32, "C:\\"]] as const) {
  Deno.test(`the boundary test agrees with a comparison of path components (${platform})`, () => {
    const path = fc.array(name, { maxLength: 4 });
    fc.assert(
      fc.property(path, path, (child, parent) => {
        const model = parent.every((part, i) => child[i] === part);
        const join = (parts: string[]) => top + parts.join(rules.sep);
        assert.equal(isInside(join(child), join(parent), rules), model);
      }),
      SEED,
    );
  });

  Deno.test(`a path argument is normalised like a stack of components (${platform})`, () => {
    const part = fc.oneof(name, fc.constantFrom(".", "..", ""));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), fc.boolean(), (parts, slash) => {
        const stack: string[] = [];
        for (const one of parts) {
          if (one === "..") stack.pop();
          else if (one !== "." && one !== "") stack.push(one);
        }
        const given = top + parts.join(rules.sep) + (slash ? rules.sep : "");
        const normal = normalizeArgument(given, "path", rules);
        assert.equal(normal, top + stack.join(rules.sep));
        assert.equal(normalizeArgument(normal, "path", rules), normal);
      }),
      SEED,
    );
  });
}

Deno.test("a path argument keeps its white space and loses its trailing slashes", () => {
  assert.equal(normalizeArgument("/a/report ", "path", posix), "/a/report ");
  assert.equal(normalizeArgument("/ a/", "path", posix), "/ a");
  assert.equal(normalizeArgument("/a/link///", "path", posix), "/a/link");
  assert.equal(normalizeArgument("/a/link/../x", "path", posix), "/a/x");
  assert.equal(normalizeArgument("//a//b", "path", posix), "/a/b");
  assert.equal(normalizeArgument("/..", "path", posix), "/");
});

Deno.test("what cannot name a place is refused as invalid_path", () => {
  const bad = [undefined, null, 7, {}, ["/a"], "", "a/b", "./a", "~/a", "/a\0b", "/a\ud800b"];
  for (const value of bad) {
    assert.equal(refusal(() => normalizeArgument(value, "path", posix)).code, "invalid_path");
  }
});

Deno.test("a path of 4,096 characters is taken and one of 4,097 refused", () => {
  assert.equal(normalizeArgument("/" + "a".repeat(4095), "path", posix).length, 4096);
  const error = refusal(() => normalizeArgument("/" + "a".repeat(4096), "path", posix));
  assert.equal(error.code, "invalid_path");
  assert.match(error.message, /4097 characters/);
});

Deno.test("no path or name makes a refusal of more than 1,000 characters", () => {
  const hostile = fc.oneof(
    fc.string({ unit: "binary", maxLength: 6000 }),
    fc.constantFrom("\u202e", "\x1b", '"', "\\", "\ud800", "\u{e0041}", "x").map((c) =>
      c.repeat(5000)
    ),
  );
  fc.assert(
    fc.property(hostile, fc.constantFrom(posix, win32), (text, rules) => {
      for (const run of [() => normalizeArgument(text, "path", rules), () => checkNewName(text)]) {
        try {
          run();
        } catch (error) {
          assert.ok(error instanceof ToolError);
          assert.ok(error.message.length <= 1000, `${error.message.length}`);
        }
      }
    }),
    SEED,
  );
});

Deno.test("Windows: the case of a drive letter does not matter, and long-path forms are plain", () => {
  const normal = (path: string) => normalizeArgument(path, "path", win32);
  assert.equal(normal("c:\\Temp\\x"), "C:\\Temp\\x");
  assert.equal(normal("c:/Temp//x/"), "C:\\Temp\\x");
  assert.equal(normal("\\\\?\\c:\\Temp\\x"), "C:\\Temp\\x");
  assert.equal(normal("\\\\?\\UNC\\server\\share\\x"), "\\\\server\\share\\x");
  assert.equal(normal("\\\\server\\share\\x\\..\\y"), "\\\\server\\share\\y");
  assert.equal(normal("C:\\..\\.."), "C:\\");
});

Deno.test("Windows: devices, streams and paths without a drive are refused", () => {
  const bad = [
    "\\\\.\\PhysicalDrive0",
    "\\\\.\\pipe\\x",
    "\\\\?\\GLOBALROOT\\Device\\x",
    "//./NUL",
    "\\Temp\\x",
    "/Temp/x",
    "C:Temp",
    "C:\\Temp\\README.md:hidden",
    "C:\\Temp\\x::$DATA",
  ];
  for (const path of bad) {
    assert.equal(refusal(() => normalizeArgument(path, "path", win32)).code, "invalid_path", path);
  }
});

Deno.test("a new name is one name, byte for byte", () => {
  for (const fine of ["b.txt ", " a", "-rf", "…", "ü".repeat(127), "a\nb"]) {
    assert.equal(checkNewName(fine, posix), fine);
  }
  for (const bad of ["", ".", "..", "a/b", "/", "a\0", "a\udc00", "ü".repeat(128), 3, null]) {
    assert.equal(refusal(() => checkNewName(bad, posix)).code, "invalid_name", String(bad));
  }
  assert.equal(refusal(() => checkNewName("x".repeat(100_000), posix)).code, "invalid_name");
});

Deno.test("Windows: device names, trailing dots and forbidden characters are told", () => {
  for (const bad of ["NUL", "aux.txt", "CON .txt", "com1", "a.", "b ", "x:hidden", "a<b", "a\tb"]) {
    assert.notEqual(windowsNameProblem(bad), undefined, bad);
    assert.equal(refusal(() => checkNewName(bad, win32)).code, "invalid_name");
  }
  for (const fine of ["null", "console.txt", "a.b", ".hidden", "com10"]) {
    assert.equal(windowsNameProblem(fine), undefined, fine);
  }
});
