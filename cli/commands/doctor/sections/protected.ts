// The places that no tool changes, on anybody's word.

import { count } from "../../../../tools/format.ts";
import { mayBeThere } from "../programs.ts";
import { ok, problem } from "../finding.ts";
import type { Section } from "../section.ts";

export const protectedPlaces: Section = {
  name: "protected",
  title: "Protected from every tool",
  look({ protectedPaths, disk }) {
    if (protectedPaths.length === 0) {
      const fix = "start it with the right to read; else install it anew";
      return [problem("protected.place", "which places these are cannot be found out", fix)];
    }
    const there = protectedPaths.filter((path) => mayBeThere(path, disk));
    const absent = protectedPaths.filter((path) => !there.includes(path));
    const more = `${count(absent.length, "place")} more, where nothing is yet`;
    return [
      ...there.map((path) => ok("protected.place", path, { data: { path } })),
      ...(absent.length === 0 ? [] : [ok("protected.absent", more, { data: { paths: absent } })]),
    ];
  },
};
