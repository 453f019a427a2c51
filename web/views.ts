// The views of the page, in the order of the navigation. A view adds its line here.

import { BinView } from "./bin/bin_view.tsx";
import { assistantsView } from "./connections/view.tsx";
import { FilesView } from "./files/files_view.tsx";
import { securityView } from "./security/view.tsx";
import { StorageView } from "./storage/storage_view.tsx";
import type { View } from "./view.ts";

/** All views; the first is where one starts. */
export const VIEWS: readonly View[] = [
  { address: ["view", "files"], title: "Files", icon: "folder", component: FilesView },
  { address: ["view", "bin"], title: "Bin", icon: "bin", component: BinView },
  assistantsView,
  { address: ["view", "storage"], title: "Storage", icon: "storage", component: StorageView },
  securityView,
];
