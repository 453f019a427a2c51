// What the page asks of a new passphrase.

import assert from "node:assert/strict";
import { passphraseFault, repeatFault } from "../../web/sign_in/passphrase.ts";

Deno.test("a passphrase is long enough and no pattern", () => {
  assert.match(passphraseFault("eleven char")!, /12 characters or more; this has 11/);
  assert.match(passphraseFault("abababababababab")!, /repeats/);
  assert.equal(passphraseFault("correct horse battery"), undefined);
  assert.equal(passphraseFault("\u{1f40e}".repeat(4) + "elf pferde"), undefined);
});

Deno.test("characters count and not the units that they are stored in", () => {
  assert.match(
    passphraseFault("\u{1f40e}\u{1f432}\u{1f434}\u{1f435}\u{1f436}\u{1f437}")!,
    /this has 6/,
  );
});

Deno.test("what is typed again has to be the same", () => {
  assert.equal(repeatFault("one", "one"), undefined);
  assert.match(repeatFault("one", "One")!, /not the same/);
});
