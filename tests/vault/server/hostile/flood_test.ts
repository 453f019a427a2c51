// Ten thousand requests of all kinds, good and bad, from eight clients at a time. The server's memory
// stays bounded, its rate limit answers, and it serves as before when they are through.

import assert from "node:assert/strict";
import { uuidV7 } from "@shieldfive/crypto/extra/uuid7.ts";
import { Caller } from "../keyless/caller.ts";
import { anyToken } from "../keyless/parties.ts";
import { anyFolderFields, anyName } from "../keyless/shapes.ts";
import { seeded } from "../../../faults/seed.ts";
import { rawAnswer, requestText } from "./raw.ts";
import { openTarget, type Target } from "./target.ts";

const SEED = 20261130;
const REQUESTS = 10_000;
const CLIENTS = 8;
/** Bytes of resident memory by which a server may grow over all of it. */
const MAY_GROW = 150 * 1024 * 1024;

let target: Target;
Deno.test.beforeAll(async () => {
  target = await openTarget();
});
Deno.test.afterAll(() => target.close());
Deno.test.afterEach(() => target.requireWell());

/** Each sends one request and gives the status, or 0 when there was no answer. */
function requestsOf({ origin, agent, owner, folderId }: Target): (() => Promise<number>)[] {
  const stranger = new Caller(origin, "/api/agent/v1", anyToken());
  const unknown = () => new Caller(origin, "/api/agent/v1", anyToken());
  const status = async (answer: Promise<{ status: number }>) => (await answer).status;
  const raw = async (text: string) => (await rawAnswer(origin, text))?.status ?? 0;
  return [
    () => status(agent.call("GET", "/grant")),
    () => status(agent.call("GET", "/folders?limit=1000")),
    () => status(agent.call("POST", `/files/${uuidV7()}/download`)),
    () =>
      status(
        agent.call("POST", "/folders", {
          body: { id: uuidV7(), parentId: folderId, ...anyFolderFields(), extra: 1 },
        }),
      ),
    () => status(agent.call("PATCH", `/folders/${uuidV7()}`, { body: { name: anyName() } })),
    () => status(stranger.call("GET", "/grant")),
    () => status(unknown().call("GET", "/grant")),
    () => status(owner.call("GET", `/nothing/${uuidV7()}`)),
    () => status(owner.call("GET", "/folders?limit=1000")),
    () => status(agent.call("POST", "/folders", { body: { id: "x".repeat(100_000) } })),
    () => status(fetch(`${origin}/`).then(async (answer) => (await answer.body?.cancel(), answer))),
    () => raw("nonsense\r\n\r\n"),
    () => raw(requestText(origin, "GET / HTTP/1.1", [], { host: "attacker.example" })),
    () => raw(requestText(origin, `GET /${"a".repeat(2000)} HTTP/1.1`)),
  ];
}

Deno.test("ten thousand requests leave the server as it was", async () => {
  const { agent, serving } = target;
  const requests = requestsOf(target);
  const { below } = seeded(SEED);
  // What is loaded and made once at first use is not growth.
  for (const request of requests) await request();
  for (let i = 0; i < 500; i++) await requests[i % requests.length]();
  const before = serving.memory();
  const seen = new Map<number, number>();
  let left = REQUESTS;
  await Promise.all(Array.from({ length: CLIENTS }, async () => {
    while (left-- > 0) {
      const status = await requests[below(requests.length)]();
      seen.set(status, (seen.get(status) ?? 0) + 1);
    }
  }));
  const grown = serving.memory() - before;
  for (const status of seen.keys()) {
    assert.ok(status < 500, `status ${status}: ${JSON.stringify([...seen])}`);
  }
  assert.ok((seen.get(429) ?? 0) > 0, "the rate limit answered");
  assert.ok(grown < MAY_GROW, `${(grown / 1e6).toFixed(0)} MB more`);
  assert.ok(serving.running);
  const limited = await agent.call("GET", "/grant");
  if (limited.status === 429) {
    const wait = Number(limited.headers.get("retry-after"));
    assert.ok(Number.isInteger(wait) && wait >= 1 && wait <= 60, `Retry-After: ${wait}`);
    assert.equal(limited.json.code, "rate_limited");
  }
  // One grant's flood is not another's.
  const other = await target.owner.grant({ rootIds: [target.folderId] });
  assert.equal((await other.call("GET", "/folders")).status, 200);
  assert.doesNotMatch(serving.log, new RegExp(`${agent.token}|x{1000}`), "nothing sent is logged");
});
