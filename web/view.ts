// What a view is to the shell.

import type { VNode } from "preact";
import type { IconName } from "./components/mod.ts";

/** One entry of the navigation and what it shows. */
export interface View {
  /** The parameter of the address that shows it, with its value: `["settings", "agents"]`. */
  address: readonly [parameter: string, value: string];
  /** What the navigation calls it. */
  title: string;
  icon: IconName;
  /** The view itself; rendered while the vault is open (see `useVault`). */
  component: () => VNode;
}
