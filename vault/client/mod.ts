// What tools use of a connection's library.

export { type ClientOptions, VaultClient } from "./client.ts";
export { displayName, displayType } from "./display.ts";
export { checkedOrigin } from "./origin.ts";
export {
  allowanceLeft,
  checkCreateFolder,
  checkMove,
  checkName,
  checkRename,
  checkTrash,
  checkUpload,
  MAX_FILE_BYTES,
  MAX_ITEMS,
  requireFolder,
  requireItem,
  requireScope,
  storedBytes,
} from "./rules.ts";
export { missingScope, notFound } from "./refusals.ts";
export type * from "./types.ts";
export { NAME_UNAVAILABLE, TRASH_LABEL } from "./types.ts";
