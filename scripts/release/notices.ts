// The notices that the licences of other people's code in the executables ask for.

import { idOf, type ShippedPackage } from "./packages.ts";

const INTRODUCTION = `# Other people's code

The shieldfive executables hold code of the packages below, under their own licences.
`;

/** The page, as Markdown. */
export function notices(packages: readonly ShippedPackage[], deno: string): string {
  return [INTRODUCTION, runtime(deno), ...packages.map(notice)].join("\n");
}

function runtime(version: string): string {
  return `## Deno ${version}

MIT licence, copyright 2018-2026 the Deno authors, <https://github.com/denoland/deno>. Deno is made with V8
and many other components, which its sources name.

${MIT.split("\n").map((line) => `    ${line}`.trimEnd()).join("\n")}
`;
}

function notice(shipped: ShippedPackage): string {
  const { license, licenseText, holds } = shipped;
  return [
    `## ${idOf(shipped)}`,
    "",
    `Licence: ${license ?? "not stated"}.` +
    (holds.length === 0 ? "" : ` Its files hold parts of ${holds.map(idOf).join(", ")}.`),
    "",
    ...(licenseText ?? "").split("\n").map((line) => `    ${line}`.trimEnd()),
    "",
  ].join("\n");
}

const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy of
this software and associated documentation files (the "Software"), to deal in
the Software without restriction, including without limitation the rights to
use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of
the Software, and to permit persons to whom the Software is furnished to do so,
subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS
FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER
IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
