// Which commit the sources are, as far as git can say.

/**
 * The commit in short, with a word about changes that are not in it: `374380a`, or `374380a, modified`.
 * Undefined where the folder is not the top of a git checkout, or there is no git.
 */
export function commitOf(root: string): string | undefined {
  const top = git(root, "rev-parse", "--show-toplevel");
  if (top === undefined || Deno.realPathSync(top) !== Deno.realPathSync(root)) return undefined;
  // Always as short, so that the same commit gives the same bytes in every checkout.
  const commit = git(root, "rev-parse", "HEAD")?.slice(0, 7);
  if (commit === undefined) return undefined;
  return git(root, "status", "--porcelain") === "" ? commit : `${commit}, modified`;
}

/** What git prints, or undefined where it fails. It takes no lock and changes nothing. */
function git(root: string, ...args: string[]): string | undefined {
  try {
    const { success, stdout } = new Deno.Command("git", {
      args: ["--no-optional-locks", "-C", root, ...args],
      stdin: "null",
      stderr: "null",
    }).outputSync();
    return success ? new TextDecoder().decode(stdout).trimEnd() : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
