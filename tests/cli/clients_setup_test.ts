// The whole of a setup on real files: the entry goes in and comes out, and the file is, byte for byte and
// bit for bit of its mode, what it was.

import assert from "node:assert/strict";
import {
  type Client,
  commandIn,
  EVERY_CLIENT,
  readConfig,
  withEntry,
} from "../../cli/clients/mod.ts";
import { type Disk, realDisk } from "../../containment/mod.ts";
import { inTempDir, refusal } from "../support.ts";
import { systemError } from "../tools/changing.ts";
import { benchIn, clientCalled, ENTRY, ordersOn, planOn, readCommented, runOn } from "./clients.ts";

/** Texts of a JSON client; `KEY` stands for the name of its container. */
const JSON_TEXTS: Record<string, string> = {
  "empty": "",
  "a line break alone": "\n",
  "a comment alone": "// nothing yet",
  "an empty object": "{}",
  "an empty object with a line break": "{\n}\n",
  "null": "null",
  "null in place of the container": '{"KEY": null}\n',
  "no container": '{\n  "theme": "dark"\n}\n',
  "an empty container": '{\n  "KEY": {}\n}',
  "one server": '{\n  "KEY": {\n    "a": {"command": "x", "env": {"K": "s"}}\n  }\n}\n',
  "many servers, four spaces":
    '{\n    "z": 1,\n    "KEY": {\n        "b": {},\n        "a": {},\n        "c": {}\n    },\n    "y": [1,\n  2]\n}\n',
  "tabs and comments":
    '// top\n{\n\t/* about */\n\t"KEY": { // servers\n\t\t"a": {}, // a\n\t\t// nothing below\n\t},\n}\n// end\n',
  "line breaks of Windows": '{\r\n  "KEY": {\r\n    "a": {}\r\n  }\r\n}\r\n',
  "both kinds of line breaks": '{\n  "KEY": {\r\n    "a": {}\n  }\r\n}',
  "one line": '{"KEY":{"a":{"command":"x"}},"big":[1,2,3]}',
  "closing commas": '{"KEY": {"a": {},},}',
  "a doubled server": '{"KEY": {"a": 1, "a": 2}}',
  "odd keys": '{"__proto__": {"x": 1}, "": null, "KEY": {"__proto__": {}, "constructor": {}}}',
  "numbers that no program can hold": '{"n": 123456789012345678901234567890.10, "KEY": {}}',
};

const TOML_TEXTS: Record<string, string> = {
  "empty": "",
  "comments and tables": '# top\nmodel = "o3" # c\n\n[mcp_servers.a] # a\ncommand = "x"\n\n[tui]\n',
  "line breaks of Windows": 'a = 1\r\n[mcp_servers]\r\nb.command = "x"\r\n',
  "no final line break": "[[list]]\nx = 1\n[[list]]\nx = { y = 1 }",
  "an inline table": "mcp_servers = { a = { command = 'x' } }\n",
  "dotted and quoted keys": "mcp_servers.\"a.b\".command = 'x'\n[t.'q q']\nz = 1\n",
};

/** One client of each form that an entry can have; what the others differ in is only their file. */
const FORMS: Client[] = [
  ...new Map(EVERY_CLIENT.map((client) => {
    const { format, container, extra } = client;
    return [JSON.stringify([format, container, extra]), client];
  })).values(),
];

function textsOf({ format, container }: Client): [string, string][] {
  if (format === "toml") return Object.entries(TOML_TEXTS);
  return Object.entries(JSON_TEXTS).map((
    [what, text],
  ) => [what, text.replaceAll("KEY", container)]);
}

/** The real disk without waiting for it, for what is about bytes alone. */
const HASTY: Disk = { ...realDisk, sync: () => {}, syncDir: () => {} };

function modeOf(path: string): number {
  return Deno.lstatSync(path).mode! & 0o7777;
}

Deno.test("in every form, with every text, the entry goes in, and taken out again all is as before", () =>
  inTempDir((dir) => {
    let at = 0;
    assert.ok(FORMS.length === 6, String(FORMS.length));
    for (const client of FORMS) {
      for (const [what, text] of textsOf(client)) {
        for (const mark of client.format === "json" ? ["", "\ufeff"] : [""]) {
          const where = `${client.id}: ${what}${mark && ", with a mark"}`;
          const bench = benchIn(dir, client, `config-${++at}`);
          const { file } = bench.location;
          Deno.writeTextFileSync(file, mark + text);
          const mode = [0o600, 0o644, 0o660][at % 3];
          Deno.chmodSync(file, mode);
          const first = runOn(bench, ENTRY, HASTY);
          assert.deepEqual(first.outcome, { notKept: [] }, where);
          const written = Deno.readTextFileSync(file);
          assert.deepEqual(commandIn(readConfig(bench.location, realDisk).parsed, client), ENTRY);
          if (client.format === "json") {
            const read = readCommented(written) as Record<string, Record<string, unknown>>;
            assert.ok("shieldfive" in read[client.container], where);
          }
          assert.ok(written.startsWith(mark), where);
          const backup = `${file}.shieldfive-backup`;
          assert.equal(Deno.readTextFileSync(backup), mark + text, where);
          assert.deepEqual([modeOf(file), modeOf(backup)], [mode, mode], where);

          const second = runOn(bench, ENTRY, HASTY);
          assert.deepEqual([second.plan.action, second.plan.step], ["none", undefined], where);
          const changed = { ...ENTRY, args: ["mcp", "/other"] };
          assert.equal(runOn(bench, changed, HASTY).plan.action, "change", where);
          assert.equal(Deno.readTextFileSync(backup), mark + text, "the backup is made once");

          assert.equal(runOn(bench, undefined, HASTY).plan.action, "remove", where);
          assert.equal(Deno.readTextFileSync(file), mark + text, where);
          assert.equal(modeOf(file), mode, where);
          assert.equal(runOn(bench, undefined, HASTY).plan.action, "none", where);
        }
      }
    }
    assert.ok(at > 150, String(at));
    assert.deepEqual(
      JSON.parse(Deno.readTextFileSync(`${dir}/state/setup-journal.json`)).files,
      {},
    );
    const left = [...Deno.readDirSync(dir)].filter(({ name }) => name.endsWith("-new"));
    assert.deepEqual(left, []);
  }));

Deno.test("what others changed since stays, and only our entry is taken out", () =>
  inTempDir((dir) => {
    let at = 0;
    for (const client of FORMS.filter(({ format }) => format === "json")) {
      for (const [what, text] of textsOf(client)) {
        const bench = benchIn(dir, client, `config-${++at}`);
        const { file } = bench.location;
        Deno.writeTextFileSync(file, text);
        runOn(bench, ENTRY, HASTY);
        // Somebody reads all of it, adds a server and a setting, and writes it in a way of their own.
        const value = JSON.parse(JSON.stringify(readCommented(Deno.readTextFileSync(file))));
        value[client.container].later = { command: "y" };
        value.later = true;
        Deno.writeTextFileSync(file, JSON.stringify(value, null, 3));
        delete value[client.container].shieldfive;
        runOn(bench, undefined, HASTY);
        assert.deepEqual(
          readCommented(Deno.readTextFileSync(file)),
          value,
          `${client.id}: ${what}`,
        );
        assert.equal(Deno.readTextFileSync(`${file}.shieldfive-backup`), text);
      }
    }
  }));

Deno.test("an edit elsewhere in the file leaves just that edit behind", () =>
  inTempDir((dir) => {
    const client = clientCalled("zed");
    const text = '// a\n{\n  "context_servers": {}, // none\n  "x": 1\n}\n';
    const bench = benchIn(dir, client);
    const { file } = bench.location;
    Deno.writeTextFileSync(file, text);
    runOn(bench, ENTRY);
    Deno.writeTextFileSync(
      file,
      "// before\n" + Deno.readTextFileSync(file).replace('"x": 1', '"x": 2'),
    );
    runOn(bench, undefined);
    assert.equal(Deno.readTextFileSync(file), "// before\n" + text.replace('"x": 1', '"x": 2'));
  }));

Deno.test("a file that was not there is made for its owner alone, and set aside when the entry goes", () =>
  inTempDir((dir) => {
    for (const client of EVERY_CLIENT) {
      const bench = benchIn(dir, client, client.id);
      const { file } = bench.location;
      assert.deepEqual(runOn(bench, ENTRY).outcome, { notKept: [] });
      assert.equal(modeOf(file), 0o600);
      assert.deepEqual(commandIn(readConfig(bench.location, realDisk).parsed, client), ENTRY);
      const written = Deno.readTextFileSync(file);
      runOn(bench, undefined);
      assert.throws(() => Deno.lstatSync(file), Deno.errors.NotFound);
      assert.equal(
        Deno.readTextFileSync(`${file}.shieldfive-backup`),
        written,
        "nothing is deleted",
      );
    }
  }));

Deno.test("a file that was made for the entry stays when others wrote into it", () =>
  inTempDir((dir) => {
    const bench = benchIn(dir, clientCalled("cursor"));
    const { file } = bench.location;
    runOn(bench, ENTRY);
    const value = JSON.parse(Deno.readTextFileSync(file));
    value.mcpServers.other = {};
    Deno.writeTextFileSync(file, JSON.stringify(value));
    runOn(bench, { ...ENTRY, args: [] }); // known again, byte for byte
    runOn(bench, undefined);
    assert.deepEqual(JSON.parse(Deno.readTextFileSync(file)), { mcpServers: { other: {} } });
  }));

Deno.test("an entry that a person made by hand is changed in place, and comes back when ours goes", () =>
  inTempDir((dir) => {
    const text = '{"mcpServers": {"shieldfive": {"command": "mine", "env": {"A": "1"}}}}';
    const bench = benchIn(dir, clientCalled("cursor"));
    const { file } = bench.location;
    Deno.writeTextFileSync(file, text);
    const { plan } = runOn(bench, ENTRY);
    assert.deepEqual([plan.action, plan.gone.length, plan.come.length], ["change", 1, 1]);
    const { mcpServers } = JSON.parse(Deno.readTextFileSync(file));
    assert.deepEqual(mcpServers.shieldfive, { ...ENTRY, env: { A: "1" } });
    assert.match(
      runOn(bench, undefined).plan.notes.join(),
      /the entry that was there before comes/,
    );
    assert.equal(Deno.readTextFileSync(file), text);
    // Nothing is known of it any more, so that it is taken out for good, after a copy.
    runOn(bench, undefined);
    assert.deepEqual(JSON.parse(Deno.readTextFileSync(file)), { mcpServers: {} });
    assert.equal(Deno.readTextFileSync(`${file}.shieldfive-backup`), text);
  }));

Deno.test("a backup is never written over: one with other bytes gets a neighbour", () =>
  inTempDir((dir) => {
    const bench = benchIn(dir, clientCalled("cursor"));
    const { file } = bench.location;
    for (const text of ["{}", '{"a": 1}', "{}"]) {
      Deno.writeTextFileSync(file, text);
      runOn(bench, ENTRY);
      runOn(bench, undefined);
      assert.equal(Deno.readTextFileSync(file), text);
    }
    const backups = [...Deno.readDirSync(dir)].map(({ name }) => name)
      .filter((name) => name.endsWith("-backup")).sort();
    assert.deepEqual(backups, ["config.2.shieldfive-backup", "config.shieldfive-backup"]);
    assert.equal(Deno.readTextFileSync(`${file}.2.shieldfive-backup`), '{"a": 1}');
  }));

Deno.test("an entry that somebody else took out is put in again, after a new backup", () =>
  inTempDir((dir) => {
    const bench = benchIn(dir, clientCalled("cursor"));
    const { file } = bench.location;
    Deno.writeTextFileSync(file, '{"a": 1}');
    runOn(bench, ENTRY);
    Deno.writeTextFileSync(file, '{"a": 2}');
    assert.equal(runOn(bench, ENTRY).plan.action, "add");
    assert.equal(Deno.readTextFileSync(`${file}.2.shieldfive-backup`), '{"a": 2}');
    runOn(bench, undefined);
    assert.equal(Deno.readTextFileSync(file), '{"a": 2}');
  }));

Deno.test("of a link the file is changed that it leads to, and the link stays", () =>
  inTempDir((dir) => {
    Deno.mkdirSync(`${dir}/dotfiles`);
    Deno.writeTextFileSync(`${dir}/dotfiles/mcp.json`, "{}");
    Deno.symlinkSync("dotfiles/mcp.json", `${dir}/config`);
    const bench = benchIn(dir, clientCalled("cursor"));
    const { plan } = runOn(bench, ENTRY);
    assert.match(plan.notes.join(), /it is a link; the file that it leads to is changed/);
    assert.equal(Deno.readLinkSync(`${dir}/config`), "dotfiles/mcp.json");
    assert.match(Deno.readTextFileSync(`${dir}/dotfiles/mcp.json`), /shieldfive/);
    assert.deepEqual([...Deno.readDirSync(`${dir}/dotfiles`)].map(({ name }) => name), [
      "mcp.json",
    ]);
    runOn(bench, undefined);
    assert.equal(Deno.readTextFileSync(`${dir}/dotfiles/mcp.json`), "{}");
    Deno.removeSync(`${dir}/dotfiles/mcp.json`);
    assert.match(refusal(() => planOn(bench, ENTRY)).message, /leads by way of a link to nothing/);
  }));

Deno.test("other names of the file keep the old content, which is said before", () =>
  inTempDir((dir) => {
    const bench = benchIn(dir, clientCalled("cursor"));
    Deno.writeTextFileSync(`${dir}/config`, "{}");
    Deno.linkSync(`${dir}/config`, `${dir}/twin`);
    const { plan, outcome } = runOn(bench, ENTRY);
    assert.match(plan.notes.join(), /other names \(hard links\), which keep the old content/);
    assert.deepEqual(outcome, { notKept: ["hard links"] });
    assert.equal(Deno.readTextFileSync(`${dir}/twin`), "{}");
  }));

Deno.test("a write-protected file, another user's file and a missing folder are refused", () =>
  inTempDir((dir) => {
    const bench = benchIn(dir, clientCalled("cursor"));
    const { file } = bench.location;
    Deno.writeTextFileSync(file, "{}");
    Deno.chmodSync(file, 0o444);
    assert.match(refusal(() => planOn(bench, ENTRY)).message, /write-protected \(mode 0444\)/);
    Deno.chmodSync(file, 0o644);
    const foreign = {
      ...realDisk,
      lstat: (path: string) => ({ ...Deno.lstatSync(path), uid: 12345, isFile: true }),
    };
    assert.match(
      refusal(() => planOn(bench, ENTRY, foreign)).message,
      /belongs to another user \(number 12345\)/,
    );
    const nowhere = benchIn(dir, clientCalled("cursor"), "missing/config");
    assert.match(refusal(() => planOn(nowhere, ENTRY)).message, /there is no folder/);
    const folder = benchIn(dir, clientCalled("cursor"), "state");
    assert.match(refusal(() => planOn(folder, ENTRY)).message, /is not a regular file/);
    assert.equal(Deno.readTextFileSync(file), "{}");
  }));

Deno.test("a new file is not made in another user's folder", () =>
  inTempDir((dir) => {
    const bench = benchIn(dir, clientCalled("cursor"));
    const foreign: Disk = {
      ...realDisk,
      lstat(path) {
        const info = Deno.lstatSync(path);
        return path === dir ? { ...info, uid: 12345, isDirectory: true } : info;
      },
    };
    assert.match(
      refusal(() => planOn(bench, ENTRY, foreign)).message,
      /its folder belongs to another user \(number 12345\)/,
    );
  }));

Deno.test("a file that the system protects is refused before anything is made beside it", () =>
  inTempDir((dir) => {
    const bench = benchIn(dir, clientCalled("cursor"));
    const { file } = bench.location;
    Deno.writeTextFileSync(file, "{}");
    for (
      const [errno, message] of [["EROFS", /its disk can only be read/], ["EACCES", /this user/]]
    ) {
      const disk: Disk = {
        ...realDisk,
        probeFile: () => {
          throw systemError(String(errno));
        },
      };
      assert.match(refusal(() => planOn(bench, ENTRY, disk)).message, message as RegExp);
    }
    const chattr = (flag: string) => {
      try {
        return new Deno.Command("chattr", { args: [flag, file] }).outputSync().success;
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
        return false;
      }
    };
    if (!chattr("+i")) return console.log("skipped: no file can be made immutable here");
    try {
      assert.match(refusal(() => planOn(bench, ENTRY)).message, /protects it from being changed/);
    } finally {
      chattr("-i");
    }
    assert.deepEqual([...Deno.readDirSync(dir)].map(({ name }) => name).sort(), [
      "config",
      "state",
    ]);
  }));

Deno.test("to look whether a file may be written to changes nothing of it", () =>
  inTempDir((dir) => {
    const path = `${dir}/file`;
    Deno.writeTextFileSync(path, "text");
    Deno.utimeSync(path, 1, 1);
    realDisk.probeFile(path);
    assert.equal(Deno.readTextFileSync(path), "text");
    assert.equal(Deno.lstatSync(path).mtime!.getTime(), 1000);
    Deno.symlinkSync("file", `${dir}/link`);
    assert.throws(() => realDisk.probeFile(`${dir}/link`), { code: "ELOOP" });
  }));

Deno.test("a file that cannot be decoded is refused", () =>
  inTempDir((dir) => {
    const bench = benchIn(dir, clientCalled("cursor"));
    for (const bytes of [[0xff, 0xfe, 0x7b, 0], [0x7b, 0xe9, 0x7d]]) {
      Deno.writeFileSync(bench.location.file, new Uint8Array(bytes));
      assert.match(refusal(() => planOn(bench, ENTRY)).message, /it is not UTF-8 text/);
    }
  }));

Deno.test("a file that is changed between the plan and the yes is left as it is now", () =>
  inTempDir(async (dir) => {
    const { carryOut } = await import("../../cli/commands/setup/carry_out.ts");
    const { CancelFlag } = await import("../../containment/mod.ts");
    const ports = {
      disk: realDisk,
      signal: new CancelFlag(),
      locked: <T>(_path: string, body: () => T) => body(),
    };
    for (
      const [before, after] of [["{}", "[]"], ["{}", ""], [undefined, "{}"], ["{}", undefined]]
    ) {
      const bench = benchIn(dir, clientCalled("cursor"), `c-${before}-${after}`);
      const { file } = bench.location;
      if (before !== undefined) Deno.writeTextFileSync(file, before);
      const orders = ordersOn(bench, [planOn(bench, ENTRY)]);
      if (after === undefined) Deno.removeSync(file);
      else Deno.writeTextFileSync(file, after);
      if (before !== undefined && after !== undefined) Deno.utimeSync(file, 1, 1);
      const [outcome] = carryOut(orders, ports);
      const code = before === undefined ? "destination_exists" : "file_changed";
      assert.equal("error" in outcome && outcome.error.code, code);
      if (after !== undefined) assert.equal(Deno.readTextFileSync(file), after);
      else assert.throws(() => Deno.lstatSync(file), Deno.errors.NotFound);
    }
  }));

Deno.test("one file that cannot be written does not keep the others from theirs", () =>
  inTempDir(async (dir) => {
    const { carryOut } = await import("../../cli/commands/setup/carry_out.ts");
    const { CancelFlag } = await import("../../containment/mod.ts");
    const benches = ["a", "b", "c"].map((name) => benchIn(dir, clientCalled("cursor"), name));
    for (const { location: { file } } of benches) Deno.writeTextFileSync(file, "{}");
    const orders = ordersOn(benches[0], benches.map((bench) => planOn(bench, ENTRY)));
    const disk = {
      ...realDisk,
      rename(from: string, to: string) {
        if (to.endsWith("/b")) throw systemError("EPERM"); // what an immutable file says
        realDisk.rename(from, to);
      },
    };
    const outcomes = carryOut(orders, {
      disk,
      signal: new CancelFlag(),
      locked: (_path, body) => body(),
    });
    assert.deepEqual(outcomes.map((each) => "error" in each), [false, true, false]);
    const texts = benches.map(({ location }) => Deno.readTextFileSync(location.file));
    assert.deepEqual(texts.map((text) => text.includes("shieldfive")), [true, false, true]);
    runOn(benches[1], ENTRY);
    runOn(benches[1], undefined);
    assert.equal(Deno.readTextFileSync(`${dir}/b`), "{}");
  }));

Deno.test("a journal that cannot be read stops everything, and one of the future is kept", () =>
  inTempDir((dir) => {
    const bench = benchIn(dir, clientCalled("cursor"));
    Deno.writeTextFileSync(bench.location.file, "{}");
    const journal = `${dir}/state/setup-journal.json`;
    for (
      const text of ["", "[]", '{"format": 2, "files": {}}', '{"format": 1, "files": {"x": 5}}']
    ) {
      Deno.writeTextFileSync(journal, text);
      assert.equal(refusal(() => planOn(bench, ENTRY)).code, "journal_invalid", text);
    }
    Deno.writeTextFileSync(journal, '{"format": 1, "files": {}, "later": [1]}');
    runOn(bench, ENTRY);
    const kept = JSON.parse(Deno.readTextFileSync(journal));
    assert.deepEqual([kept.later, Object.keys(kept.files)], [[1], [bench.location.file]]);
    Deno.removeSync(journal);
    runOn(bench, undefined);
    assert.deepEqual(readCommented(Deno.readTextFileSync(bench.location.file)), { mcpServers: {} });
  }));

Deno.test("what is shown is our own lines and nothing of the neighbours", () =>
  inTempDir((dir) => {
    const client = clientCalled("cursor");
    for (
      const text of [
        '{"mcpServers":{"a":{"env":{"KEY":"secret"}}}}',
        '{\n  "mcpServers": { "a": {"env": {"KEY": "secret"}} }\n}',
        '{"KEY": "secret", "mcpServers": {"shieldfive": {"command": "x"}, "b": "secret"}}',
      ]
    ) {
      const bench = benchIn(dir, client);
      Deno.writeTextFileSync(bench.location.file, text);
      for (const plan of [planOn(bench, ENTRY), runOn(bench, ENTRY) && planOn(bench, undefined)]) {
        assert.doesNotMatch([...plan.gone, ...plan.come].join("\n"), /secret/);
        assert.match([...plan.gone, ...plan.come].join("\n"), /shieldfive/);
      }
    }
    const bench = benchIn(dir, client, "lines");
    Deno.writeTextFileSync(
      bench.location.file,
      '{\n  "x": 1,\n  "mcpServers": {\n    "a": {}\n  }\n}',
    );
    const plan = planOn(bench, { command: "c", args: ["d"] });
    assert.deepEqual([plan.line, plan.gone, plan.come], [4, [], [
      '    "shieldfive": {',
      '      "command": "c",',
      '      "args": ["d"]',
      "    }",
    ]]);
    runOn(bench, { command: "c", args: ["d"] });
    const update = planOn(bench, { command: "c", args: ["e"] });
    assert.deepEqual([update.line, update.gone, update.come], [6, ['      "args": ["d"]'], [
      '      "args": ["e"]',
    ]]);
    assert.equal(withEntry(plan.config.parsed, client, ENTRY).doubled.length, 0);
  }));
