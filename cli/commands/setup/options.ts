// What can be said to `shieldfive setup client`.

import { CHANGES, type Option, RESULTS } from "../../options.ts";

export const SETUP_CLIENT_OPTIONS: Option[] = [
  {
    name: "root",
    kind: { type: "text" },
    placeholder: "DIR",
    repeatable: true,
    does: "A folder that the assistants may work in; may be repeated",
  },
  {
    name: "read-only",
    kind: { type: "switch" },
    does: "Give the assistants no tool that changes anything",
  },
  {
    name: "with",
    kind: { type: "list", words: [], choices: [] },
    placeholder: "SET,…",
    repeatable: true,
    does: "Give the assistants more sets of tools",
  },
  {
    name: "project",
    kind: { type: "text" },
    placeholder: "DIR",
    does: "Change the files of one project in place of the ones that hold everywhere",
  },
  {
    name: "remove",
    kind: { type: "switch" },
    does: "Take the entry out again, and leave the files as they were before",
  },
  { name: "list", kind: { type: "switch" }, does: "Show the assistants that are here, and stop" },
  {
    name: "print",
    kind: { type: "switch" },
    does: "Print what to paste into an assistant's configuration, and stop",
  },
];

export const SETUP_COMMON: Option[] = [...CHANGES, ...RESULTS];
