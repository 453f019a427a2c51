// The project's own sources as text, for the tests of what they may name: without comments, and with every
// import that they make.

import { posix } from "node:path";

/** The top of the project, without a slash at its end. */
export const TOP = new URL("..", import.meta.url).pathname.replace(/\/$/, "");

export interface Import {
  /** Path of the importing file, from the top of the project. */
  from: string;
  /** As written. */
  specifier: string;
  /** Path of the imported file, for what is ours. */
  to?: string;
  /** Whether it takes types alone, which leaves nothing in the program. */
  typeOnly: boolean;
}

/** The TypeScript files of a folder, by path from the top. */
export function sources(folder: string): string[] {
  const found: string[] = [];
  for (const entry of Deno.readDirSync(`${TOP}/${folder}`)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) found.push(...sources(path));
    else if (entry.name.endsWith(".ts")) found.push(path);
  }
  return found.sort();
}

/** Strings, templates, regular expressions and comments: what a comment may hide in, and comments. */
const TOKENS = new RegExp(
  [
    /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/,
    /(?<=[=(,:!&|?{};>[]\s*)\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/,
    /\/\*[^]*?\*\/|\/\/[^\n]*/,
  ].map((part) => part.source).join("|"),
  "g",
);

/** The source without comments; strings stay as they are. */
export function code(path: string): string {
  return Deno.readTextFileSync(`${TOP}/${path}`)
    .replace(TOKENS, (token) => /^\/[/*]/.test(token) ? " " : token);
}

const SPECIFIERS = [
  /\b(?:import|export)\s[^;"'`]*?\bfrom\s*["']([^"']+)["']/g,
  /\bimport\s*["']([^"']+)["']/g,
  /\bimport\s*\(\s*["']([^"']+)["']/g,
  // A worker's module.
  /new URL\(\s*["'](\.[^"']+\.ts)["']\s*,\s*import\.meta\.url/g,
];

/** All that a file imports, now or later, and the workers that it starts. */
export function importsOf(path: string): Import[] {
  const text = code(path);
  return SPECIFIERS.flatMap((pattern) => [...text.matchAll(pattern)]).map(([whole, specifier]) => ({
    from: path,
    specifier,
    typeOnly: /^(import|export)\s+type\b/.test(whole),
    ...(specifier.startsWith(".") ? { to: posix.join(posix.dirname(path), specifier) } : {}),
  }));
}
