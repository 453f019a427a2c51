// The options of `doctor`.

import { type Option, ROOT } from "../../options.ts";

export const DOCTOR_OPTIONS: Option[] = [
  ROOT,
  {
    name: "json",
    kind: { type: "switch" },
    does: "Print the findings as JSON and nothing else; docs/doctor.md names the fields",
  },
];
