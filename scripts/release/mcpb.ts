// The bundle for Claude Desktop and other hosts that install MCP servers from one file (.mcpb): a
// zip with the executable and a manifest in the bundle format's version 0.3. The later 0.4 is
// called experimental by its authors and adds nothing for an executable.

import type { AnyTool } from "../../tools/tool.ts";
import { type Entry, zipped } from "./archive.ts";
import { icon } from "./icon.ts";
import type { Publication } from "./publication.ts";
import { programName, type Target } from "./targets.ts";

export interface McpbContents {
  version: string;
  /** SPDX id. */
  license: string;
  time: Date;
  target: Target;
  program: Uint8Array;
  tools: readonly AnyTool[];
  publication: Publication;
  /** LICENSE, and what else goes along as it is. */
  pages: readonly Entry[];
}

/**
 * Starts the executable that lies beside it. Some hosts unpack a bundle without the modes in it
 * (Claude Desktop on macOS makes every file 0600), and a file without the execute bit cannot be
 * started directly.
 */
const LAUNCHER = `#!/bin/sh
program=\${0%/*}/shieldfive
[ -x "$program" ] || chmod u+x "$program" || exit
exec "$program" "$@"
`;

/** Markdown, a paragraph each. */
const LONG_DESCRIPTION = [
  "Lists files, finds duplicates by content, large and old files, says what takes the space, and " +
  "moves, renames, trashes and restores.",
  "**Folders.** It works only in the folders that you choose. There is no default.",
  "**Changes.** A change is planned first and carried out only after it was confirmed with that " +
  "plan. Nothing is deleted: what is taken away goes to a trash folder on its own volume, and can " +
  "be restored.",
  "**Privacy.** It makes no network connection, has no account and collects nothing. What its " +
  "tools return goes to the assistant, and from a cloud assistant to its provider: paths, names, " +
  "sizes, dates and digests of files in the chosen folders, and no other content of them.",
];

/** The bundle's bytes. */
export function mcpb(contents: McpbContents): Uint8Array {
  const manifest = JSON.stringify(manifestOf(contents), null, 2) + "\n";
  const text = (value: string) => new TextEncoder().encode(value);
  const entries: Entry[] = [
    ...contents.pages,
    { path: "manifest.json", bytes: text(manifest) },
    { path: "icon.png", bytes: icon() },
    { path: `server/${programName(contents.target)}`, bytes: contents.program, executable: true },
  ];
  if (contents.target.platform !== "win32") {
    entries.push({ path: "server/start.sh", bytes: text(LAUNCHER), executable: true });
  }
  return zipped(entries, contents.time);
}

function manifestOf({ version, license, target, tools, publication }: McpbContents) {
  const { repository } = publication;
  return {
    manifest_version: "0.3",
    name: "shieldfive",
    display_name: "shieldfive",
    version,
    description: "Tidy folders without losing anything: find duplicates, move, trash, restore",
    long_description: [...LONG_DESCRIPTION, `This bundle is for ${target.title}.`].join("\n\n"),
    author: { name: "The shieldfive authors" },
    ...(repository === undefined
      ? {}
      : { repository: { type: "git", url: repository }, homepage: repository }),
    icon: "icon.png",
    server: serverOf(target),
    tools: tools.map(({ name, brief }) => ({ name, description: brief })),
    tools_generated: false,
    keywords: ["files", "duplicates", "disk space", "trash", "organise"],
    license,
    compatibility: { platforms: [target.platform] },
    user_config: {
      folders: {
        type: "directory",
        title: "Folders",
        description: "The folders that the assistant may look at and tidy. It can touch no others.",
        multiple: true,
        required: true,
      },
    },
  };
}

/** How the host starts the server. The two dashes keep a folder from being taken for an option. */
function serverOf(target: Target) {
  const program = `server/${programName(target)}`;
  const args = ["mcp", "--", "${user_config.folders}"];
  const command = target.platform === "win32"
    ? { command: "${__dirname}/" + program, args }
    : { command: "/bin/sh", args: ["${__dirname}/server/start.sh", ...args] };
  return { type: "binary", entry_point: program, mcp_config: command };
}
