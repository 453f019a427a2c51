// `login`, `status` and `logout` from outside: the real program, a vault on a real server, an owner who makes
// the connection, and the delivery that a browser makes. Only on Linux, where the keychain is a test's own.

import assert from "node:assert/strict";
import { COMMAND, type Finished, onTerminal } from "../cli/program.ts";
import { exists, inTempDir } from "../support.ts";
import { Bus, canRun } from "../vault/credential/bus.ts";
import { expectNoSecret, type Home, homeIn, host, type Hosted, startLogin } from "./connecting.ts";

const LINUX = { ignore: Deno.build.os !== "linux" };

/** One vault for all of these: each makes connections of its own to it. */
let vault: Hosted & AsyncDisposable | undefined;

Deno.test.afterAll(async () => await vault?.[Symbol.asyncDispose]());

/** Runs the body with the served vault and a new home. */
function connecting(
  body: (hosted: Hosted, home: Home) => Promise<void>,
  options: Parameters<typeof homeIn>[1] = {},
): Promise<void> {
  return inTempDir(async (dir) => await body(vault ??= await host(), homeIn(dir, options)));
}

function data({ stdout, stderr }: Finished): Record<string, unknown> {
  assert.match(stdout, /^\{[^]*\}\n$/, stderr);
  return JSON.parse(stdout);
}

async function loginInFile(hosted: Hosted, home: Home) {
  const made = await hosted.grant();
  const args = ["login", "--paste", "--store", "file", "--server", hosted.origin, "--json"];
  const finished = await home.run(args, { stdin: `${made.connectionString}\n` });
  assert.equal(finished.code, 0, finished.stderr);
  return { ...made, finished };
}

Deno.test(
  "through the browser: the address is printed and opened, the answer is kept, and the wait is over",
  LINUX,
  () =>
    connecting(async (hosted, home) => {
      const args = [
        "--store",
        "file",
        "--server",
        hosted.origin,
        "--label",
        "My  laptop",
        "--json",
      ];
      const login = await startLogin(home, args, {
        env: { SHIELDFIVE_GRANT: "sf-grant-v1:environment" },
      });
      const { origin, pathname, searchParams } = new URL(login.address);
      assert.deepEqual([origin, pathname], [hosted.origin, "/files"]);
      assert.match(searchParams.get("connect")!, /^[\w-]{43}$/);
      assert.equal(searchParams.get("client"), "other");
      assert.equal(searchParams.get("label"), "My laptop");
      const seconds = Number(searchParams.get("exp")) - Date.now() / 1000;
      assert.ok(seconds > 540 && seconds <= 600, `${seconds}`);

      const { id, connectionString } = await hosted.grant();
      const good = { connection_string: connectionString };
      assert.equal(await login.deliver(good, "https://evil.test"), 403);
      assert.equal(await login.deliver({ ...good, state: "wrong" }), 403);
      assert.equal(await login.deliver({ connection_string: "nonsense" }), 400);
      const words = Deno.readTextFileSync(`/proc/${login.pid}/cmdline`);
      assert.equal(await login.deliver(good), 200);
      const { code, stdout, stderr } = await login.finished;
      assert.equal(code, 0, stderr);
      await assert.rejects(login.deliver(good), TypeError, "nobody listens any more");

      const told = data({ code, stdout, stderr });
      const { grant, ...rest } = told as { grant: Record<string, unknown> };
      assert.deepEqual(rest, {
        connected: true,
        server: hosted.origin,
        stored: "file",
        path: home.file,
      });
      assert.match(String(grant.expires), /^\d{4}-\d\d-\d\dT/);
      assert.deepEqual({ ...grant, expires: "" }, {
        id: id.slice(0, 8),
        scopes: ["read", "organize"],
        whole_vault: false,
        folders: 1,
        expires: "",
      });
      assert.equal(Deno.readTextFileSync(home.file), `${connectionString}\n`);
      assert.equal(Deno.lstatSync(home.file).mode! & 0o777, 0o600);
      assert.equal(Deno.lstatSync(`${home.dir}/home/.config/shieldfive-mcp`).mode! & 0o777, 0o700);
      const servers = Deno.readTextFileSync(home.servers);
      assert.deepEqual(JSON.parse(servers), {
        last: hosted.origin,
        connections: { [id]: hosted.origin },
      });
      assert.match(stderr, /SHIELDFIVE_GRANT is set and will be used in place of what is stored/);
      // The browser got the address as its one word, and none of the program's own secrets.
      assert.deepEqual(home.opened(), [login.address]);
      const browser = Deno.readTextFileSync(`${home.dir}/browser-env`);
      assert.doesNotMatch(browser, /SHIELDFIVE_GRANT/);
      expectNoSecret(connectionString, stdout, stderr, servers, words, browser, login.address);
    }),
);

Deno.test(
  "a denial in the browser, and Ctrl-C, end the wait and keep nothing",
  LINUX,
  () =>
    connecting(async (hosted, home) => {
      const args = ["--store", "file", "--server", hosted.origin];
      const denied = await startLogin(home, args);
      assert.equal(await denied.deliver({ error: "denied" }), 200);
      const { code, stdout, stderr } = await denied.finished;
      assert.deepEqual([code, stdout], [1, ""]);
      assert.match(stderr, /error: the request was denied in the browser; .* \[cancelled\]$/m);

      const stopped = await startLogin(home, [...args, "--json"]);
      stopped.interrupt();
      const ended = await stopped.finished;
      assert.equal(ended.code, 130, ended.stderr);
      assert.equal((data(ended).error as { code: string }).code, "cancelled");
      await assert.rejects(stopped.deliver({ error: "denied" }), TypeError);
      assert.ok(!exists(home.file));
      assert.ok(!exists(home.servers));
    }),
);

Deno.test("without a browser that opens, the address is enough", LINUX, async () => {
  await connecting(async (hosted, home) => {
    const args = ["--store", "file", "--server", hosted.origin];
    const failing = await startLogin(home, args);
    const { connectionString } = await hosted.grant();
    const missing = await startLogin(home, args, { env: { PATH: "/nowhere" } });
    const unwanted = await startLogin(home, [...args, "--no-browser"]);
    for (const login of [failing, missing, unwanted]) {
      assert.equal(await login.deliver({ connection_string: connectionString }), 200);
      const { code, stdout, stderr } = await login.finished;
      assert.equal(code, 0, stderr);
      assert.match(
        stdout,
        /^Connected to http:\/\/127\.0\.0\.1:\d+: connection [0-9a-f]{8} may read and organize 1 folder until \d{4}-\d\d-\d\d \d\d:\d\d\.\nIt is kept in \/.*\/connection\.\n$/,
      );
      assert.doesNotMatch(stdout + stderr, /from the browser/);
    }
    const [first, second, third] = await Promise.all(
      [failing, missing, unwanted].map(async ({ finished }) => (await finished).stderr),
    );
    assert.match(first, /no browser was opened \(.*xdg-open ended with exit code 3\); open the/);
    assert.match(second, /no browser was opened \(nothing here opens a browser\)/);
    assert.doesNotMatch(third, /no browser was opened/);
    assert.deepEqual(home.opened(), [failing.address]);
  }, { browser: "echo from the browser; echo from the browser >&2; exit 3" });
});

Deno.test(
  "without a keychain that can be used, that is said before anything is asked, with the choices",
  LINUX,
  () =>
    inTempDir(async (dir) => {
      const home = homeIn(dir);
      for (const args of [["login"], ["login", "--paste"]]) {
        const { code, stdout, stderr } = await home.run(args, { stdin: "" });
        assert.deepEqual([code, stdout], [1, ""]);
        assert.match(stderr, /error: there is no system keychain here .* \[keychain_absent\]$/m);
        assert.match(
          stderr,
          /hint: `shieldfive login --store file` keeps .* SHIELDFIVE_GRANT can hold/,
        );
      }
      assert.deepEqual(home.opened(), []);
      assert.deepEqual([...Deno.readDirSync(`${dir}/home`)], []);
    }),
);

Deno.test(
  "a pasted string is taken when the server accepts it, and is in no output",
  LINUX,
  () =>
    connecting(async (hosted, home) => {
      const args = ["login", "--paste", "--store", "file", "--server", hosted.origin];
      const { id, connectionString } = await hosted.grant();
      const wrong = `${connectionString.slice(0, -1)}x`;
      const refused = await home.run(args, { stdin: wrong });
      assert.deepEqual([refused.code, refused.stdout], [1, ""]);
      assert.match(
        refused.stderr,
        /that is no connection string: .* \[invalid_connection_string\]$/m,
      );
      expectNoSecret(connectionString, refused.stderr);
      const operand = await home.run(["login", connectionString]);
      assert.equal(operand.code, 2);
      expectNoSecret(connectionString, operand.stderr);
      assert.ok(!exists(home.file));

      const { stderr, stdout } = (await loginInFile(hosted, home)).finished;
      expectNoSecret(Deno.readTextFileSync(home.file), stdout, stderr);
      await hosted.vault.revokeGrant(id);
      const before = Deno.readTextFileSync(home.file);
      const revoked = await home.run([...args, "--json"], { stdin: connectionString });
      assert.equal(revoked.code, 1);
      assert.equal((data(revoked).error as { code: string }).code, "grant_invalid");
      assert.equal(Deno.readTextFileSync(home.file), before, "the connection before stays");
      // The server is the one that was used last, without being named again.
      const again = await hosted.grant();
      const next = await home.run(args.slice(0, 4), { stdin: again.connectionString });
      assert.equal(next.code, 0, next.stderr);
      assert.match(next.stdout, new RegExp(`Connected to ${hosted.origin}: connection`));
    }),
);

Deno.test(
  "at a terminal a pasted string is typed unseen",
  LINUX,
  () =>
    connecting(async (hosted, home) => {
      const { connectionString } = await hosted.grant();
      const command = [
        ...COMMAND,
        "login",
        "--paste",
        "--store",
        "file",
        "--server",
        hosted.origin,
      ];
      const typed = `${connectionString}oops\x7f\x7f\x7f\x7f\r`;
      const run = await onTerminal(command, [["is not shown): ", typed]], { env: home.env });
      if (run === undefined) return;
      assert.equal(run.code, 0, run.screen);
      assert.match(run.screen, /Connected to http/);
      assert.ok(!run.screen.includes("sf-grant"), run.screen);
      expectNoSecret(connectionString, run.screen);
      assert.equal(Deno.readTextFileSync(home.file), `${connectionString}\n`);
      const stop = await onTerminal(command, [["is not shown): ", "\x03"]], { env: home.env });
      assert.equal(stop!.code, 130, stop!.screen);
    }),
);

Deno.test(
  "status says what is configured, from where, and whether it still holds",
  LINUX,
  () =>
    connecting(async (hosted, home) => {
      const none = await home.run(["status"]);
      assert.equal(none.code, 0, none.stderr);
      assert.match(
        none.stdout,
        /^No connection is configured; `shieldfive login` makes one\.\nThere is no /,
      );
      assert.deepEqual(data(await home.run(["status", "--json"])), {
        connected: false,
        keychain: "absent",
      });

      const { id } = await loginInFile(hosted, home);
      const good = await home.run(["status"]);
      assert.equal(good.code, 0, good.stderr);
      assert.match(good.stdout, /^Connected to http.* may read and organize 1 folder until /);
      assert.ok(good.stdout.includes(`It comes from "${home.file}".\n`), good.stdout);
      Deno.chmodSync(home.file, 0o644);
      const report = data(await home.run(["doctor", "--json"])) as {
        sections: {
          section: string;
          findings: { check: string; state: string; data: unknown }[];
        }[];
      };
      const { findings } = report.sections.find(({ section }) => section === "connection")!;
      assert.deepEqual(findings.map(({ check, state, data }) => [check, state, data]), [
        ["connection", "ok", {
          state: "connected",
          id: id.slice(0, 8),
          source: "file",
          path: home.file,
        }],
        ["connection.server", "ok", { server: hosted.origin }],
        ["connection.keychain", "ok", { keychain: "absent" }],
        ["connection.file", "note", { path: home.file, mode: "644" }],
      ]);
      assert.equal(Deno.lstatSync(home.file).mode! & 0o777, 0o644, "doctor changes nothing");
      const loose = await home.run(["status", "--json"]);
      assert.match(loose.stderr, /warning: ".*connection" was open to other users \(mode 644\)/);
      assert.equal(Deno.lstatSync(home.file).mode! & 0o777, 0o600);
      const { connected, source, path, server } = data(loose);
      assert.deepEqual([connected, source, path, server], [true, "file", home.file, hosted.origin]);

      // The variable wins, and `none` turns everything off.
      const other = await hosted.grant();
      const env = { SHIELDFIVE_GRANT: other.connectionString, SHIELDFIVE_API_URL: hosted.origin };
      const fromEnv = data(await home.run(["status", "--json"], { env }));
      assert.equal(fromEnv.source, "env");
      assert.equal((fromEnv.grant as { id: string }).id, other.id.slice(0, 8));
      const off = await home.run(["status"], { env: { SHIELDFIVE_GRANT: "none" } });
      assert.deepEqual([off.code, off.stdout], [
        0,
        "The vault is turned off here: SHIELDFIVE_GRANT is `none`.\n",
      ]);
      const malformed = await home.run(["status"], {
        env: { SHIELDFIVE_GRANT: `${other.connectionString}.x` },
      });
      assert.equal(malformed.code, 1);
      assert.match(
        malformed.stderr,
        /SHIELDFIVE_GRANT does not hold a connection string; set it to/,
      );
      expectNoSecret(other.connectionString, malformed.stderr, malformed.stdout);

      const insecure = await home.run(["status"], {
        env: { SHIELDFIVE_API_URL: "http://vault.example" },
      });
      assert.equal(insecure.code, 1);
      assert.match(insecure.stderr, /correct SHIELDFIVE_API_URL .* \[invalid_origin\]$/m);

      await hosted.vault.revokeGrant(id);
      const revoked = await home.run(["status"]);
      assert.deepEqual([revoked.code, revoked.stdout], [1, ""]);
      assert.match(
        revoked.stderr,
        /connection [0-9a-f]{8} from ".*" was revoked or has expired, says/,
      );
    }),
);

Deno.test("a server that cannot be reached is told as that", LINUX, () =>
  inTempDir(async (dir) => {
    const home = homeIn(dir);
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr;
    listener.close();
    const connection = "sf-grant-v1:01890a5d-ac96-774b-bcce-b302099a8057." +
      `${"A".repeat(43)}.${"A".repeat(43)}.${"0".repeat(64)}`;
    const env = {
      SHIELDFIVE_GRANT: connection,
      SHIELDFIVE_API_URL: `http://127.0.0.1:${port}`,
    };
    const { code, stderr } = await home.run(["status"], { env });
    assert.equal(code, 1);
    assert.match(stderr, /\[network_error\]$/m);
    expectNoSecret(connection, stderr);
  }));

Deno.test(
  "logout forgets the connection and its server, and reminds of what it does not do",
  LINUX,
  () =>
    connecting(async (hosted, home) => {
      await loginInFile(hosted, home);
      const { code, stdout, stderr } = await home.run(["logout"]);
      assert.deepEqual([code, stdout], [
        0,
        "The connection was removed from the connection file.\n",
      ]);
      assert.match(
        stderr,
        /hint: whoever copied the connection can still use it: revoke it in ShieldFive/,
      );
      assert.ok(!exists(home.file));
      assert.deepEqual(JSON.parse(Deno.readTextFileSync(home.servers)), {
        last: hosted.origin,
        connections: {},
      });
      const again = await home.run(["logout", "--json"]);
      assert.deepEqual([again.code, data(again)], [0, { removed: [] }]);
      const env = { SHIELDFIVE_GRANT: "sf-grant-v1:x" };
      assert.match((await home.run(["logout"], { env })).stderr, /SHIELDFIVE_GRANT still holds a/);
    }),
);

Deno.test(
  "a link in the place of the connection file is left alone by all three",
  LINUX,
  () =>
    inTempDir(async (dir) => {
      const home = homeIn(dir);
      Deno.mkdirSync(`${dir}/home/.config/shieldfive-mcp`, { recursive: true });
      Deno.writeTextFileSync(`${dir}/theirs`, "theirs");
      Deno.symlinkSync(`${dir}/theirs`, home.file);
      for (const args of [["login", "--paste", "--store", "file"], ["status"], ["logout"]]) {
        const { code, stderr } = await home.run(args, { stdin: "" });
        assert.equal(code, 1, args[0]);
        assert.match(
          stderr,
          /is a link or no file, and is not used; move it away.* \[not_a_file\]$/m,
        );
      }
      assert.equal(Deno.readTextFileSync(`${dir}/theirs`), "theirs");
      assert.equal(Deno.readLinkSync(home.file), `${dir}/theirs`);
    }),
);

Deno.test(
  "with a real keychain the connection is kept there, and taken from the file",
  LINUX,
  async () => {
    if (!canRun()) return;
    await connecting((hosted, { dir }) =>
      Bus.run(async (bus) => {
        const { HOME: _home, PATH: _path, NO_COLOR: _colour, ...session } = bus.env;
        const home = homeIn(dir, { env: session });
        const keyring = await bus.keyring("open sesame");
        await loginInFile(hosted, home);
        const { id, connectionString } = await hosted.grant();
        const args = ["login", "--paste", "--server", hosted.origin, "--json"];
        const stored = await home.run(args, { stdin: connectionString });
        assert.equal(stored.code, 0, stored.stderr);
        assert.equal(data(stored).stored, "keychain");
        assert.ok(!exists(home.file), "the file with the connection before is gone");
        assert.deepEqual((await bus.ask([["read"]]))[0].value, connectionString);
        const status = data(await home.run(["status", "--json"]));
        assert.deepEqual([status.source, status.server], ["keychain", hosted.origin]);
        assert.equal((status.grant as { id: string }).id, id.slice(0, 8));

        // One who locks the keychain does not lose what is in it.
        await keyring.end();
        const locked = await bus.keyring();
        for (const command of ["login", "status", "logout"]) {
          const { code, stderr } = await home.run([command]);
          assert.equal(code, 1, command);
          assert.match(stderr, /error: the system keychain is locked.* \[keychain_locked\]$/m);
        }
        assert.deepEqual(home.opened(), []);
        await locked.end();
        await bus.keyring("open sesame");
        const out = await home.run(["logout", "--json"]);
        assert.deepEqual([out.code, data(out)], [0, { removed: ["keychain"] }]);
        assert.deepEqual(data(await home.run(["status", "--json"])), { connected: false });
      })
    );
  },
);

Deno.test(
  "what each of them may touch is shown, and nothing is looked at for it",
  LINUX,
  () =>
    inTempDir(async (dir) => {
      const home = homeIn(dir);
      const kinds = async (args: string[]) =>
        [...(await home.run([...args, "--show-permissions"])).stdout.matchAll(/^room (\S+)$/gm)]
          .map(([, kind]) => kind);
      assert.deepEqual(await kinds(["login"]), ["keychain", "credential", "connect", "vault"]);
      assert.deepEqual(await kinds(["login", "--paste"]), ["keychain", "credential", "vault"]);
      assert.deepEqual(await kinds(["status"]), ["keychain", "credential", "vault"]);
      assert.deepEqual(await kinds(["logout"]), ["keychain", "credential"]);
      const { stdout } = await home.run([
        "login",
        "--server",
        "https://vault.example:444",
        "--show-permissions",
      ]);
      assert.match(stdout, /\nroom vault\n {2}net: vault\.example:444\n {2}nothing else\n/);
      assert.ok(stdout.includes(`\n  net: 127.0.0.1\n  run: ${dir}/bin/xdg-open\n`), stdout);
      assert.deepEqual([...Deno.readDirSync(`${dir}/home`)], []);
    }),
);
