import assert from "node:assert/strict";
import { placesOf, protectedPaths } from "../../cli/places.ts";
import { inTempDir } from "../support.ts";
import { testEnvironment } from "./environment.ts";

Deno.test("on Linux the places follow the base directory rules", () => {
  assert.deepEqual(placesOf({}, "/home/me", "linux"), {
    configuration: "/home/me/.config/shieldfive",
    state: "/home/me/.local/state/shieldfive",
    cache: "/home/me/.cache/shieldfive",
  });
  const variables = { XDG_CONFIG_HOME: "/c", XDG_STATE_HOME: "relative", XDG_CACHE_HOME: "/k" };
  assert.deepEqual(placesOf(variables, "/home/me", "linux"), {
    configuration: "/c/shieldfive",
    state: "/home/me/.local/state/shieldfive",
    cache: "/k/shieldfive",
  });
});

Deno.test("on macOS and Windows the places are the ones of the system", () => {
  assert.deepEqual(placesOf({}, "/Users/me", "darwin"), {
    configuration: "/Users/me/Library/Application Support/shieldfive",
    state: "/Users/me/Library/Application Support/shieldfive/state",
    cache: "/Users/me/Library/Caches/shieldfive",
  });
  assert.deepEqual(placesOf({ APPDATA: "D:\\Roaming" }, "C:\\Users\\me", "windows"), {
    configuration: "D:\\Roaming\\shieldfive",
    state: "C:\\Users\\me\\AppData\\Local\\shieldfive\\state",
    cache: "C:\\Users\\me\\AppData\\Local\\shieldfive\\cache",
  });
});

Deno.test("the configuration can be put elsewhere, and without a home there are no places", () => {
  const moved = placesOf({ SHIELDFIVE_MCP_CONFIG_DIR: "/etc/sf" }, "/home/me", "linux");
  assert.equal(moved?.configuration, "/etc/sf");
  assert.equal(placesOf({}, undefined, "linux"), undefined);
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
    }
    assert.ok(paths.includes(Deno.realPathSync(Deno.execPath())));
    assert.ok(paths.includes(Deno.realPathSync(new URL("../..", import.meta.url))));
  }));
