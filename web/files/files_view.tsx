// The vault's files, folder by folder.

import { EmptyState, ErrorState, LoadingState, Page } from "../components/mod.ts";
import { Link, useRouter } from "../shell/router.tsx";
import { useVault } from "../vault/context.tsx";
import { FolderPage } from "./folder_page.tsx";

/** The view: of the folder that the address names, else of the top. */
export function FilesView() {
  const { tree, failure, refresh } = useVault();
  const router = useRouter();
  const id = router.query.get("folder");
  if (tree === undefined) {
    return failure === undefined
      ? <LoadingState label="Loading your files…" />
      : <ErrorState title="Your files could not be loaded" error={failure} onRetry={refresh} />;
  }
  const folder = id === null ? undefined : tree.folders.get(id);
  if (id !== null && (folder === undefined || folder.inBin || folder.id === tree.binId)) {
    return <Gone inBin={folder !== undefined} />;
  }
  return <FolderPage key={id} tree={tree} folder={folder} />;
}

function Gone({ inBin }: { inBin: boolean }) {
  return (
    <Page title="Not here">
      <EmptyState
        icon="folder"
        title={inBin ? "This folder is in the Bin" : "This folder is not here any more"}
        actions={
          <>
            {inBin && <Link class="button" to="view=bin">Open the Bin</Link>}
            <Link class="button primary" to="">Go to all files</Link>
          </>
        }
      />
    </Page>
  );
}
