// What the plans of changes are made of: the identity of an item, and what is alike where it goes.

import { createHash } from "../../../containment/node.ts";
import { quote } from "../../../containment/text.ts";
import type { VaultFolder, VaultItem, VaultView } from "../../../vault/client/types.ts";
import type { Bound } from "../../tool.ts";
import type { Named } from "../change.ts";
import { written } from "./rows.ts";
import { fold } from "./search.ts";

/**
 * What an approval is bound to of an item (vault spec, 5). The name is there as a digest of its envelope:
 * a plan that no longer holds shows both of its sides, and the envelope is whatever a server chose.
 */
export function identity(item: VaultItem): Bound {
  return {
    kind: item.kind,
    id: item.id,
    updated: written(item.updatedAt),
    parent: item.parentId,
    name: createHash("sha256").update(item.envelope).digest("hex"),
  };
}

export function namedItem({ id, kind }: VaultItem): Named {
  return { id, kind };
}

/** The path that a name has in a folder. */
export function pathIn(view: VaultView, folder: VaultFolder, name: string): string {
  return `${view.path(folder)}/${name}`;
}

/**
 * A warning where a folder has something already that a person could take for what is to get this name: the
 * vault lets names be equal, and replaces nothing.
 *
 * @param except the item that gets the name.
 */
export function alike(
  view: VaultView,
  folderId: string | null,
  name: string,
  except?: VaultItem,
): string[] {
  const others = view.children(folderId)
    .filter(({ id, rawName }) => id !== except?.id && rawName !== null);
  const equal = others.find(({ rawName }) => rawName === name);
  if (equal !== undefined) {
    return [`a ${equal.kind} called ${quote(name, 80)} is there already; both will have that name`];
  }
  const twin = others.find(({ rawName }) => fold(rawName!) === fold(name));
  if (twin === undefined) return [];
  return [
    `a ${twin.kind} called ${
      quote(twin.name, 80)
    } is there already: the names differ only in capitals, ` +
    "or in how their letters are written",
  ];
}

export function warningsField(warnings: string[]): { warnings?: string[] } {
  return warnings.length === 0 ? {} : { warnings };
}
