// Release notes: the section of one version in CHANGELOG.md (Keep a Changelog).

import { ReleaseFailure } from "./failure.ts";

export interface Notes {
  /** The section without its heading, with one newline at its end. */
  text: string;
  /** The date in the heading, or undefined when it has none yet. */
  date?: string;
}

/**
 * The notes of the version.
 *
 * @throws ReleaseFailure when the changelog has none, when they are empty, or when the newest
 * version in it is another one.
 */
export function notesOf(changelog: string, version: string): Notes {
  const sections = sectionsOf(changelog.replaceAll("\r\n", "\n"));
  const section = sections.find((section) => section.version === version);
  const [newest] = sections;
  if (section === undefined) {
    const known = newest === undefined ? "no version at all" : `${newest.version} as the newest`;
    throw new ReleaseFailure(
      `CHANGELOG.md has no section "## [${version}]", the version in deno.json; it has ${known}`,
    );
  }
  if (section !== newest) {
    throw new ReleaseFailure(
      `the version in deno.json is ${version}, but the newest in CHANGELOG.md is ${newest.version}`,
    );
  }
  if (section.text === "") {
    throw new ReleaseFailure(`CHANGELOG.md says nothing about ${version}: its section is empty`);
  }
  return { text: section.text + "\n", date: section.date };
}

interface Section extends Notes {
  version: string;
}

/** The sections of versions, in the order of the file; "Unreleased" alone is not a version. */
function sectionsOf(changelog: string): Section[] {
  return changelog.split(/^## /m).slice(1).flatMap((part) => {
    const [heading, ...lines] = part.split("\n");
    const version = heading.match(/^\[?(\d+\.\d+\.\d+[\w.+-]*)\]?(?:\s|$)/)?.[1];
    if (version === undefined) return [];
    const body = lines.filter((line) => !/^\[[^\]]+\]: /.test(line)).join("\n").trim();
    return [{ version, date: heading.match(/\d{4}-\d{2}-\d{2}$/)?.[0], text: body }];
  });
}
