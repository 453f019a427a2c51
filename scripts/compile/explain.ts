// What to say about a compilation that failed: one sentence and what to do, where the cause is known.

/** @param stderr what the compiler said. */
export function explain(stderr: string, version: string): string {
  const download = stderr.match(/https:\S*\/denort-\S+?\.zip/)?.[0];
  if (download === undefined) return stderr.trimEnd();
  return `the runtime part of Deno ${version} could not be had from ${download}: download it elsewhere, ` +
    "unpack it and set DENORT_BIN to the file, or make an executable for this system alone from the " +
    "installed Deno with `deno task compile --portable`";
}
