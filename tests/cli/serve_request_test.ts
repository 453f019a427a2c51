// What `serve` takes on its command line, and every combination that it refuses before anything is opened.

import assert from "node:assert/strict";
import { listenAddress, readRequest } from "../../cli/commands/serve/request.ts";
import { servingRooms } from "../../cli/commands/serve/rooms.ts";
import { UsageError } from "../../cli/usage.ts";
import { testEnvironment } from "./environment.ts";

const POSIX = { ignore: Deno.build.os === "windows" };
const ENVIRONMENT = testEnvironment({ cwd: "/here", home: "/home/me" });

function request(...words: string[]) {
  return readRequest(words, ENVIRONMENT);
}

Deno.test("without a word it serves the user's own vault to this machine alone", POSIX, () => {
  const { does, host, port, tls, publicUrl, data, limits, json } = request();
  assert.deepEqual([does, host, port, tls, publicUrl, json], [
    "serve",
    "127.0.0.1",
    8443,
    false,
    undefined,
    false,
  ]);
  if (Deno.build.os === "linux") assert.equal(data, "/home/me/.local/share/shieldfive/vault");
  assert.deepEqual([limits.egressPerDay, limits.egressPerMonth], [null, null]);
});

Deno.test("folder, port, address and limits are taken as they are given", POSIX, () => {
  const asked = request(
    ...["--data", "vault", "--port", "0", "--host", "[::1]"],
    ...["--egress-per-day", "1.5GB", "--egress-per-month", "20GiB"],
  );
  assert.deepEqual([asked.data, asked.port, asked.host], ["/here/vault", 0, "::1"]);
  assert.deepEqual([asked.limits.egressPerDay, asked.limits.egressPerMonth], [
    1_500_000_000,
    20 * 1024 ** 3,
  ]);
  assert.equal(listenAddress(asked), "[::1]:0");
  assert.equal(request("--host", "localhost").host, "127.0.0.1");
  assert.equal(request("--host", "0:0:0:0:0:0:0:1").host, "::1");
});

Deno.test("others are served over TLS, or through a proxy under its address", POSIX, () => {
  const tls = request("--host", "192.0.2.7", "--tls-cert", "c.pem", "--tls-key", "/k.pem");
  assert.deepEqual([tls.tls, tls.tlsFiles], [true, { cert: "/here/c.pem", key: "/k.pem" }]);
  const proxied = request("--behind-proxy", "--public-url", "https://vault.example/");
  assert.deepEqual([proxied.host, proxied.publicUrl], ["127.0.0.1", "https://vault.example"]);
  const inside = request(
    ...["--behind-proxy", "--host", "10.0.0.2", "--public-url", "https://v.example:444"],
  );
  assert.equal(inside.publicUrl, "https://v.example:444");
});

Deno.test("what could not work, or would serve others without TLS, is refused", POSIX, () => {
  const files = ["--tls-cert", "c", "--tls-key", "k"];
  const proxied = ["--behind-proxy", "--public-url", "https://v.example"];
  for (
    const [words, reason] of [
      [["folder"], /serve takes no operands, but got "folder"/],
      [["--port", "-1"], /--port/],
      [["--port", "65536"], /--port takes a number from 0 to 65535, not 65536/],
      [["--port", "http"], /--port takes a whole number/],
      [["--host", "vault.example"], /--host takes an IP address of this machine/],
      [["--host", "127.1"], /--host takes an IP address of this machine/],
      [["--host", ""], /--host needs a value/],
      [["--data", ""], /--data needs a value/],
      [["--host", "0.0.0.0"], /others can reach 0\.0\.0\.0, so it is served over TLS only/],
      [["--host", "::"], /others can reach ::, so it is served over TLS only/],
      [["--host", "192.0.2.7"], /others can reach 192\.0\.2\.7/],
      [["--host", "::ffff:192.0.2.7"], /others can reach/],
      [["--tls-cert", "c"], /--tls-cert needs --tls-key beside it/],
      [["--tls-key", "k"], /--tls-key needs --tls-cert beside it/],
      [["--host", "0.0.0.0", ...files], /--public-url must say which one people open/],
      [["--behind-proxy"], /--behind-proxy needs --public-url/],
      [["--public-url", "https://v.example"], /it needs --behind-proxy, or --tls-cert/],
      [[...proxied, ...files], /--behind-proxy and --tls-cert exclude each other/],
      [["--behind-proxy", "--public-url", "http://v.example"], /--public-url takes an address/],
      [["--behind-proxy", "--public-url", "v.example"], /--public-url takes an address/],
      [["--behind-proxy", "--public-url", "https://v.example/x"], /--public-url takes an address/],
      [["--behind-proxy", "--public-url", "https://v.example/?q"], /--public-url takes an address/],
      [["--behind-proxy", "--public-url", "https://u@v.example"], /--public-url takes an address/],
      [["--egress-per-day", "much"], /--egress-per-day takes a size/],
      [["--tls"], /there is no option "--tls"/],
    ] as [string[], RegExp][]
  ) {
    assert.throws(
      () => request(...words),
      (error) => error instanceof UsageError && reason.test(error.message),
      words.join(" "),
    );
  }
});

Deno.test("without a home folder the vault's place must be named", POSIX, () => {
  const nowhere = testEnvironment({ cwd: "/here" });
  assert.throws(() => readRequest([], nowhere), UsageError);
  assert.equal(readRequest(["--data", "/v"], nowhere).data, "/v");
});

Deno.test(
  "each room is given one thing, and a check needs only the room with the data",
  POSIX,
  () => {
    const rooms = (...words: string[]) => servingRooms(request("--data", "/v", ...words));
    assert.deepEqual(rooms("--host", "::1", "--port", "7"), [
      { kind: "serve-front", granted: ["[::1]:7"] },
      { kind: "serve-store", granted: ["/v"] },
    ]);
    assert.deepEqual(rooms("--check"), [{ kind: "serve-store", granted: ["/v"] }]);
  },
);
