// One entry of the record as a sentence, with the name that its object has now.

import type { ActivityEntry, Item } from "../../vault/owner/mod.ts";
import { Name } from "../components/mod.ts";
import { Link } from "../shell/router.tsx";
import { useVault } from "../vault/context.tsx";
import { deedText, namesObject } from "./words.ts";

export interface SentenceProps {
  entry: ActivityEntry;
  /** What connections are called, by id; undefined as long as that is not known. */
  connections: ReadonlyMap<string, string> | undefined;
  /** The name leads to where the object lies. */
  linked?: boolean;
}

/** The sentence. */
export function Sentence({ entry, connections, linked = false }: SentenceProps) {
  const { objectId, objectKind } = entry;
  return (
    <>
      {deedText(entry)}
      {namesObject(entry) && (
        <>
          {" "}
          {objectKind === null
            ? <strong>{connections?.get(objectId!) ?? "…"}</strong>
            : <Object id={objectId!} linked={linked} />}
        </>
      )}
    </>
  );
}

function Object({ id, linked }: { id: string; linked: boolean }) {
  const { tree } = useVault();
  if (tree === undefined) return <Name name={null} pending />;
  const item: Item | undefined = tree.folders.get(id) ?? tree.files.get(id);
  if (item === undefined) return <em class="hint">something that is gone</em>;
  const name = <Name name={item.name} pending={item.pending} />;
  if (!linked || item.inBin || item.pending) return <strong>{name}</strong>;
  const folderId = item.kind === "folder" ? item.id : item.folderId;
  return (
    <Link class="object" to={folderId === null ? "" : `folder=${folderId}`}>
      {name}
    </Link>
  );
}
