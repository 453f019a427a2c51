// The Bin: what was taken out of the vault and can still come back, and the one place where something is
// deleted for good.

import { useMemo, useState } from "preact/hooks";
import type { Folder, Tree } from "../../vault/owner/mod.ts";
import { Button, EmptyState, ErrorState, LoadingState, Name, Page } from "../components/mod.ts";
import { Trail } from "../files/breadcrumbs.tsx";
import { FileTable } from "../files/file_table.tsx";
import { useSelection } from "../files/selection.ts";
import { SelectionBar } from "../files/selection_bar.tsx";
import { FIRST_SORTING, sorted } from "../files/sorting.ts";
import { useRouter } from "../shell/router.tsx";
import { useVault } from "../vault/context.tsx";
import { RefreshState } from "../vault/refresh_state.tsx";
import { loose, useBinActions } from "./bin_actions.ts";
import { PurgeDialog } from "./purge_dialog.tsx";

/** The view: of the Bin, or of a folder in it that the address names. */
export function BinView() {
  const { tree, failure, refresh } = useVault();
  const router = useRouter();
  if (tree === undefined) {
    return failure === undefined
      ? <LoadingState label="Loading the Bin…" />
      : <ErrorState title="The Bin could not be loaded" error={failure} onRetry={refresh} />;
  }
  const inside = tree.folders.get(router.query.get("in") ?? "");
  return <BinPage key={inside?.id} tree={tree} folder={inside?.inBin ? inside : undefined} />;
}

const LEAD = "What you and your assistants put away. It stays here until you delete it.";

function BinPage({ tree, folder }: { tree: Tree; folder: Folder | undefined }) {
  const [sorting, setSorting] = useState(FIRST_SORTING);
  const items = useMemo(
    () => sorted(tree.children(folder?.id ?? tree.binId), sorting),
    [tree, folder?.id, sorting],
  );
  const selection = useSelection(items);
  const actions = useBinActions(tree);
  const { purge, purging, stopPurging } = actions;
  const isTop = folder === undefined;
  const emptying = isTop && loose(tree, items).length > 0 && (
    <Button
      icon="bin"
      variant="caution"
      onClick={() => purge(items)}
    >
      Empty the Bin…
    </Button>
  );
  return (
    <Page
      title={isTop ? "Bin" : "Folder in the Bin"}
      heading={folder && <Name name={folder.name} pending={folder.pending} />}
      above={folder && <Way tree={tree} folder={folder} />}
      lead={isTop && LEAD}
      actions={emptying}
    >
      <RefreshState />
      <SelectionBar selection={selection} actions={actions.forSelection} />
      {items.length === 0
        ? <EmptyState icon="bin" title={isTop ? "The Bin is empty" : "This folder is empty"} />
        : (
          <FileTable
            caption="What is in the Bin"
            {...{ tree, items, selection, sorting }}
            onSorting={setSorting}
            linkOf={({ id }) => addressInBin(id)}
            menuOf={actions.menuOf}
            onRemove={purge}
          />
        )}
      {purging && <PurgeDialog tree={tree} items={purging} onClose={stopPurging} />}
    </Page>
  );
}

function addressInBin(folderId: string): string {
  return `view=bin&in=${folderId}`;
}

/** The way from a folder in the Bin back to the Bin. */
function Way({ tree, folder }: { tree: Tree; folder: Folder }) {
  const above = tree.ancestors(folder).filter(({ id }) => id !== tree.binId);
  return <Trail top={{ title: "Bin", to: "view=bin" }} folders={above} addressOf={addressInBin} />;
}
