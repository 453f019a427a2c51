// Where a folder lies, as links upward.

import type { Folder, Tree } from "../../vault/owner/mod.ts";
import { Icon, Name } from "../components/mod.ts";
import { Link } from "../shell/router.tsx";
import type { ItemDrag } from "./item_drag.ts";

export interface TrailProps {
  /** Where it begins. */
  top: { title: string; to: string };
  /** The folders on the way, the topmost first. */
  folders: readonly Folder[];
  addressOf(folderId: string): string;
  /** Each step is a place to drop things on. */
  drag?: ItemDrag;
}

/** A way of links. */
export function Trail({ top, folders, addressOf, drag }: TrailProps) {
  return (
    <nav aria-label="Breadcrumb" class="trail">
      <ol>
        <li>
          <span {...drag?.target(null)}>
            <Link class="trail-step" to={top.to}>{top.title}</Link>
          </span>
        </li>
        {folders.map(({ id, name, pending }) => (
          <li key={id}>
            <Icon name="chevronRight" size={14} />
            <span {...drag?.target(id)}>
              <Link class="trail-step" to={addressOf(id)}>
                <Name name={name} pending={pending} />
              </Link>
            </span>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** The way to a folder of the vault. */
export function Breadcrumbs(
  { tree, folder, drag }: { tree: Tree; folder: Folder; drag: ItemDrag },
) {
  return (
    <Trail
      top={{ title: "All files", to: "" }}
      folders={tree.ancestors(folder)}
      addressOf={(id) => `folder=${id}`}
      drag={drag}
    />
  );
}
