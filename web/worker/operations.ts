// What the worker does for the page, call by call (see ../vault/calls.ts).

import {
  type ExportFailure,
  type Item,
  KdfWorkers,
  OwnerError,
  OwnerVault,
  type Tree,
  vaultStatus,
} from "../../vault/owner/mod.ts";
import {
  type CallName,
  type CallProgress,
  type Calls,
  type Opened,
  PASSED,
  type PassedMethod,
  type TreeDestination,
  type TreeSnapshot,
} from "../vault/calls.ts";
import { collect } from "./collect.ts";
import { save } from "./save.ts";

/** What comes with a call. */
export interface CallContext {
  signal: AbortSignal;
  onProgress(progress: CallProgress): void;
}

type Operation<Name extends CallName> = (
  context: CallContext,
  ...parameters: Parameters<Calls[Name]>
) => ReturnType<Calls[Name]>;

export type Operations = { [Name in CallName]: Operation<Name> };

export interface Surroundings {
  origin: string;
  /** The script of the workers that derive keys. */
  kdfScript: string;
  /** Told of the tree whenever it may have changed; at once when the page waits for it. */
  onTree(tree: TreeSnapshot, atOnce?: boolean): void;
}

function snapshotOf({ folders, files, binId, mediaId }: Tree): TreeSnapshot {
  return { folders, files, binId, mediaId };
}

/** What there is to export of some items, or of all outside the Bin. */
function totalsOf(
  tree: Tree,
  items: readonly Item[] = tree.children(null).filter(({ id }) => id !== tree.binId),
): { totalFiles: number; totalBytes: number } {
  const totals = { totalFiles: 0, totalBytes: 0 };
  const waiting = [...items];
  for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) {
    if (item.kind === "folder") waiting.push(...tree.children(item.id));
    else {
      totals.totalFiles++;
      totals.totalBytes += item.size;
    }
  }
  return totals;
}

/** The operations on one vault, which opens and closes with them. */
export function operationsOn({ origin, kdfScript, onTree }: Surroundings): Operations {
  const kdf = new KdfWorkers(() => new Worker(kdfScript, { type: "module", name: "keys" }));
  let open: OwnerVault | undefined;
  const vault = (): OwnerVault => {
    if (open === undefined) throw new OwnerError("locked", "The vault is locked.");
    return open;
  };
  const opened = (into: OwnerVault): Opened => {
    open = into;
    return { ownerId: into.ownerId, expiresAt: into.expiresAt };
  };
  const showTree = () => onTree(snapshotOf(vault().tree));
  const exported = (
    items: readonly Item[] | undefined,
    { onProgress, signal }: CallContext,
    to: TreeDestination,
  ) => {
    const failed: ExportFailure[] = [];
    const onFailure = (failure: ExportFailure) => failed.push(failure);
    const files = vault().exportAll({ items, signal, onFailure });
    return collect({ files, ...totalsOf(vault().tree, items), failed, onProgress, signal }, to);
  };

  const passed =
    <Name extends PassedMethod>(name: Name) =>
    async (_: CallContext, ...parameters: Parameters<Calls[Name]>) => {
      const method = vault()[name] as (...all: Parameters<Calls[Name]>) => ReturnType<Calls[Name]>;
      try {
        return await method.apply(vault(), parameters);
      } finally {
        if (open !== undefined && CHANGING.has(name)) onTree(snapshotOf(open.tree), true);
      }
    };

  return {
    ...Object.fromEntries(PASSED.map((name) => [name, passed(name)])) as unknown as Pick<
      Operations,
      PassedMethod
    >,
    status: () => vaultStatus(origin),
    async create(_, how) {
      const made = await OwnerVault.create({ origin, kdf, ...how });
      return { ...opened(made.vault), recoveryKey: made.recoveryKey };
    },
    unlock: async (_, how) => opened(await OwnerVault.unlock({ origin, kdf, ...how })),
    recover: async (_, how) => opened(await OwnerVault.recover({ origin, kdf, ...how })),
    async lock() {
      await open?.lock();
      open = undefined;
    },
    showFirst: (_, folderId) => Promise.resolve(vault().showFirst(folderId)),
    async refresh({ onProgress, signal }) {
      await vault().refresh(({ tree, ...progress }) => {
        onProgress(progress);
        if (tree !== undefined) onTree(snapshotOf(tree));
      }, signal);
      onTree(snapshotOf(vault().tree), true);
      if (await vault().completeFiles(signal) > 0) showTree();
    },
    async upload(context, folderId, name, content) {
      const request = { name, size: content.size, content, ...context };
      const file = await vault().upload(folderId, request);
      showTree();
      return file;
    },
    async download(context, fileId, to) {
      const { file, content } = await vault().download(fileId, context);
      return await save(content, to, file.contentType ?? "");
    },
    collect: ({ onProgress, signal }, ids, to) => {
      const { folders, files } = vault().tree;
      const items = ids.flatMap((id) => folders.get(id) ?? files.get(id) ?? []);
      return exported(items, { onProgress, signal }, to);
    },
    exportAll: (context, to) => exported(undefined, context, to),
  };
}

/** The methods that change what the tree shows. */
const CHANGING: ReadonlySet<PassedMethod> = new Set<PassedMethod>([
  "createFolder",
  "rename",
  "move",
  "toBin",
  "restore",
  "purge",
  "createGrant",
]);
