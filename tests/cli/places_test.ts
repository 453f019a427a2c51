import assert from "node:assert/strict";
import { connectionFolder, placesOf, protectedPaths } from "../../cli/places.ts";
import { inTempDir } from "../support.ts";
import { testEnvironment } from "./environment.ts";

Deno.test("on Linux the places follow the base directory rules", () => {
  assert.deepEqual(placesOf({}, "/home/me", "linux"), {
    configuration: "/home/me/.config/shieldfive",
    state: "/home/me/.local/state/shieldfive",
    cache: "/home/me/.cache/shieldfive",
    vault: "/home/me/.local/share/shieldfive/vault",
  });
  const variables = {
    XDG_CONFIG_HOME: "/c",
    XDG_STATE_HOME: "relative",
    XDG_CACHE_HOME: "/k",
    XDG_DATA_HOME: "/d",
  };
  assert.deepEqual(placesOf(variables, "/home/me", "linux"), {
    configuration: "/c/shieldfive",
    state: "/home/me/.local/state/shieldfive",
    cache: "/k/shieldfive",
    vault: "/d/shieldfive/vault",
  });
});

Deno.test("on macOS and Windows the places are the ones of the system", () => {
  assert.deepEqual(placesOf({}, "/Users/me", "darwin"), {
    configuration: "/Users/me/Library/Application Support/shieldfive",
    state: "/Users/me/Library/Application Support/shieldfive/state",
    cache: "/Users/me/Library/Caches/shieldfive",
    vault: "/Users/me/Library/Application Support/shieldfive/vault",
  });
  assert.deepEqual(placesOf({ APPDATA: "D:\\Roaming" }, "C:\\Users\\me", "windows"), {
    configuration: "D:\\Roaming\\shieldfive",
    state: "C:\\Users\\me\\AppData\\Local\\shieldfive\\state",
    cache: "C:\\Users\\me\\AppData\\Local\\shieldfive\\cache",
    vault: "C:\\Users\\me\\AppData\\Local\\shieldfive\\vault",
  });
});

Deno.test("the configuration can be put elsewhere, and without a home there are no places", () => {
  const moved = placesOf({ SHIELDFIVE_MCP_CONFIG_DIR: "/etc/sf" }, "/home/me", "linux");
  assert.equal(moved?.configuration, "/etc/sf");
  assert.equal(placesOf({}, undefined, "linux"), undefined);
});

Deno.test("the connection file is where other programs of ShieldFive keep it, or where the variable says", () => {
  const cases = [
    [{}, "/home/me", "linux", "/home/me/.config/shieldfive-mcp"],
    [{ XDG_CONFIG_HOME: "/c" }, "/home/me", "linux", "/c/shieldfive-mcp"],
    [{ XDG_CONFIG_HOME: "relative" }, "/home/me", "linux", "/home/me/.config/shieldfive-mcp"],
    [{}, "/Users/me", "darwin", "/Users/me/Library/Application Support/shieldfive-mcp"],
    [{ APPDATA: "D:\\Roaming" }, "C:\\Users\\me", "windows", "D:\\Roaming\\shieldfive-mcp"],
  ] as const;
  for (const [variables, home, os, path] of cases) {
    assert.deepEqual(connectionFolder(variables, home, os), { path, own: true });
  }
  const named = { SHIELDFIVE_MCP_CONFIG_DIR: "/etc/sf" };
  assert.deepEqual(connectionFolder(named, undefined, "linux"), { path: "/etc/sf", own: false });
  assert.equal(connectionFolder({}, undefined, "linux"), undefined);
});

Deno.test("places are protected by their real path, also before they exist", () =>
  inTempDir((dir) => {
    Deno.mkdirSync(`${dir}/real`);
    Deno.symlinkSync(`${dir}/real`, `${dir}/home`);
    const paths = protectedPaths(testEnvironment({ home: `${dir}/home` }));
    if (Deno.build.os === "linux") {
      assert.ok(paths.includes(`${dir}/real/.config/shieldfive`), paths.join(" "));
      assert.ok(paths.includes(`${dir}/real/.local/state/shieldfive`), paths.join(" "));
      assert.ok(paths.includes(`${dir}/real/.cache/shieldfive`), paths.join(" "));
      assert.ok(paths.includes(`${dir}/real/.config/shieldfive-mcp`), paths.join(" "));
      assert.ok(paths.includes(`${dir}/real/.local/share/shieldfive/vault`), paths.join(" "));
    }
    assert.ok(paths.includes(Deno.realPathSync(Deno.execPath())));
    assert.ok(paths.includes(Deno.realPathSync(new URL("../..", import.meta.url))));
  }));
