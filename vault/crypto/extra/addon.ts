// How a native addon that is one file is found and loaded: not in the published package.

export { installedAddon, mayLoad } from "../kdf/addon.ts";
