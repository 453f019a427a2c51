// A connection extended by its owner. The secret comes out of the owner's copy, which opens for exactly
// the scope that was agreed to: a server that shows another one, to have more keys sealed, is found out.

import { zeroize } from "@shieldfive/crypto";
import { CryptoError } from "@shieldfive/crypto/extra/kdf_pool.ts";
import { deriveGrantWrapKey, type GrantScope, unwrapGrantSecret } from "@shieldfive/crypto/vault";
import type { Answer } from "./answer.ts";
import { OwnerError } from "./error.ts";
import { keyList, nameKey, type Sealer, sendKeys } from "./grant_keys.ts";
import { type ListedGrant, listGrants, requireBudget, requireExpiry } from "./grants.ts";
import { parentOf } from "./rows.ts";
import type { Workplace } from "./sealing.ts";
import type { Grant, GrantExtension } from "./types.ts";

function altered(cause?: unknown): OwnerError {
  return new OwnerError(
    "grant_altered",
    "the connection's scope is not what you agreed to; revoke it and make a new one",
    { cause },
  );
}

/** The scope as the server keeps it for the owner. */
function scopeIn(answer: Answer): GrantScope {
  return {
    grantId: answer.id("grantId"),
    scopeAll: answer.flag("scopeAll"),
    includeMedia: answer.flag("includeMedia"),
    rootIds: answer.texts("rootIds"),
    trashFolderId: answer.idOrNull("trashFolderId"),
    excludedIds: answer.texts("excludedIds"),
    excludedKeyFingerprints: answer.texts("excludedKeyFingerprints"),
  };
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  return new Set(a).size === new Set([...a, ...b]).size && new Set(b).size === new Set(a).size;
}

/** Whether the grant that the server enforces is the one that was agreed to. */
function fits(scope: GrantScope, grant: Grant): boolean {
  return scope.grantId === grant.id && scope.scopeAll === grant.scopeAll &&
    scope.includeMedia === grant.includeMedia && scope.trashFolderId === grant.trashFolderId &&
    sameSet(scope.rootIds, grant.rootIds);
}

/**
 * Opens the owner's copy of a connection's secret; what is done with it is over when this returns.
 *
 * @throws OwnerError `grant_altered`
 */
async function withSealer<T>(
  place: Workplace,
  { grant, answer }: ListedGrant,
  body: (sealer: Sealer) => Promise<T>,
): Promise<T> {
  const copy = answer.object("ownerCopy");
  const wrapped = { wrapped: copy.text("wrapped"), iv: copy.text("iv") };
  const scope = scopeIn(copy.object("scope"));
  if (!fits(scope, grant)) throw altered();
  const secret = await secretOf(place, scope, wrapped);
  const grantWrapKey = await deriveGrantWrapKey(secret, grant.id);
  zeroize(secret);
  try {
    return await body({ place, scope, grantWrapKey });
  } finally {
    zeroize(grantWrapKey);
  }
}

async function secretOf(
  { keyring }: Workplace,
  scope: GrantScope,
  wrapped: { wrapped: string; iv: string },
): Promise<Uint8Array> {
  try {
    return await unwrapGrantSecret({ rootKey: keyring.rootKey, scope, wrapped });
  } catch (cause) {
    throw cause instanceof CryptoError ? altered(cause) : cause;
  }
}

async function listed(place: Workplace, id: string): Promise<ListedGrant> {
  const found = (await listGrants(place)).find(({ grant }) => grant.id === id);
  if (found === undefined) {
    throw new OwnerError("not_found", "the connection is not there any more");
  }
  return found;
}

/** See `OwnerVault.extendGrant`. */
export async function extendGrant(
  place: Workplace,
  id: string,
  { expiresInMs, writeBudgetBytes, addFolders }: GrantExtension,
): Promise<Grant> {
  if (expiresInMs !== undefined) requireExpiry(expiresInMs);
  requireBudget(writeBudgetBytes);
  if (addFolders) await addTopLevel(place, await listed(place, id));
  const fields = {
    ...(expiresInMs === undefined
      ? {}
      : { expiresAt: new Date(Date.now() + expiresInMs).toISOString() }),
    ...(writeBudgetBytes === undefined ? {} : { writeBudgetBytes }),
  };
  if (Object.keys(fields).length > 0) {
    await place.api.call("POST", `/grants/${id}/extend`, fields);
  }
  return (await listed(place, id)).grant;
}

/** Gives a connection to the whole vault what was put at the top since. */
async function addTopLevel(place: Workplace, listed: ListedGrant): Promise<void> {
  if (!listed.grant.scopeAll) {
    throw new OwnerError(
      "invalid_argument",
      "only a connection to the whole vault takes new folders; make another for other folders",
    );
  }
  await withSealer(place, listed, async (sealer) => {
    const { first, rest } = await keyList(sealer);
    for (const batch of [first, ...rest]) {
      if (batch.length > 0) await sendKeys(place, listed.grant.id, batch);
    }
  });
}

/**
 * Gives every connection the new names of items whose names it has by themselves: those at the top of
 * what it sees. A `name` key opens one envelope, and a rename or a move makes another.
 *
 * @param how what was only moved to the top gives a connection to the whole vault no more than before.
 * @throws OwnerError `grant_not_updated`
 */
export async function renewNames(
  place: Workplace,
  ids: readonly string[],
  how: "renamed" | "moved",
): Promise<void> {
  const rows = ids.map((id) => place.contents.row(id))
    .filter((row) => row.kind === "folder" || how === "renamed" && row.folderId === null);
  if (rows.length === 0) return;
  try {
    for (const listed of await listGrants(place)) {
      const { state, scopeAll, rootIds } = listed.grant;
      const shown = rows.filter((row) =>
        scopeAll ? how === "renamed" && parentOf(row) === null : rootIds.includes(row.id)
      );
      if (state !== "live" || shown.length === 0) continue;
      await withSealer(place, listed, async (sealer) => {
        const keys = await Promise.all(shown.map((row) => nameKey(sealer, row)));
        await sendKeys(place, listed.grant.id, keys);
      });
    }
  } catch (cause) {
    if (!(cause instanceof OwnerError)) throw cause;
    throw new OwnerError(
      "grant_not_updated",
      "it was done, but a connection cannot see the new name",
      { cause },
    );
  }
}
