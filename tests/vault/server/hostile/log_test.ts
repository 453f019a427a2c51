// What the server says about its callers: the pattern of a route and nothing that tells one file, grant,
// person or machine from another.

import assert from "node:assert/strict";
import { anyFileFields, anyName } from "../keyless/shapes.ts";
import { RawConnection, requestText } from "./raw.ts";
import { openTarget, type Target } from "./target.ts";

let target: Target;
Deno.test.beforeAll(async () => {
  target = await openTarget();
});
Deno.test.afterAll(() => target.close());
Deno.test.afterEach(() => target.requireWell());

const LINE =
  /^shieldfive: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z [A-Z]+ (\/[a-z0-9/:_-]*|\((no route|refused)\)) \d{3} \d+ms( cut)?$/;

Deno.test("a log line is time, method, pattern, status and duration, whatever was asked", async () => {
  const { origin, agent, owner, folderId, serving } = target;
  const file = await agent.upload(folderId, 200_000);
  const name = anyName();
  await agent.ok("PATCH", `/files/${file.id}`, { body: { name } });
  await agent.ok("POST", "/trash", {
    body: { items: [{ kind: "file", id: file.id, ...anyFileFields() }] },
  });
  await owner.call("GET", "/activity?limit=10");
  await agent.call("GET", "/folders?after=nonsense");
  await (await agent.download(file.id)).body?.cancel();
  for (
    const [path, init] of [
      ["/files?settings=agents&connect=a-state-of-a-hand-off&port=1", {}],
      ["/nothing/a-secret-in-a-path?token=a-secret-in-a-query", {}],
      ["/api/agent/v1/a-secret-in-a-path", { headers: { "user-agent": "a-user-agent/1" } }],
      ["/%61-secret%0a2026-11-30T00:00:00.000Z GET /forged 200 1ms", {}],
    ] as const
  ) {
    await (await fetch(origin + path, init)).body?.cancel();
  }
  using forged = await RawConnection.open(origin);
  await forged.send(requestText(origin, "A-SECRET-METHOD / HTTP/1.1"));
  await forged.answer();

  const lines = serving.log.split("\n").filter((line) => line.includes("ms"));
  assert.ok(lines.length > 10, serving.log);
  for (const line of lines) assert.match(line, LINE);
  const said = serving.log.split("\n").filter((line) => !line.includes("#setup=")).join("\n");
  for (
    const secret of [
      agent.token!,
      owner.token!,
      serving.setupToken!,
      file.id,
      folderId,
      agent.grantId,
      "a-secret",
      "a-state",
      "a-user-agent",
      "nonsense",
      "forged",
      "A-SECRET",
      "?",
    ]
  ) {
    assert.ok(!said.includes(secret), `${secret} in the log`);
  }
});
