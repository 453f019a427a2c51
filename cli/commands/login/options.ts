// What can be said to `shieldfive login`, after what every command with a result takes.

import type { Option } from "../../options.ts";

export const LOGIN_OPTIONS: Option[] = [
  {
    name: "paste",
    kind: { type: "switch" },
    does: "Take a connection string that was copied in ShieldFive: typed unseen, or from a pipe",
  },
  {
    name: "server",
    kind: { type: "text" },
    placeholder: "URL",
    does: "The address of the vault's server (default: the last one, or https://shieldfive.com)",
  },
  {
    name: "store",
    kind: { type: "choice", choices: ["keychain", "file"] },
    placeholder: "keychain|file",
    default: "keychain",
    does: "Where to keep the connection; a file is for a machine without a keychain",
  },
  {
    name: "label",
    kind: { type: "text" },
    placeholder: "TEXT",
    does: "The name to propose for the connection",
  },
  {
    name: "no-browser",
    kind: { type: "switch" },
    does: "Only print the address; open no browser",
  },
];
