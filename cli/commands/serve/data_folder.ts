// The folder for a vault's data, before a room is given it: it is made when it is missing, and one that
// holds somebody's other files is left alone.

import { asToolError, isMissing, nativeRules, quote, ToolError } from "../../../containment/mod.ts";

/** The database of a vault; a folder with it is a vault's. */
const DATABASE = "vault.db";

/**
 * The real path of the data folder, made (0700) when it is missing.
 *
 * @throws ToolError `not_a_folder`, `not_a_vault`, `io_error`.
 */
export function makeDataFolder(path: string): string {
  return attempt(path, () => {
    Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
    const real = Deno.realPathSync(path);
    const names = Array.from(Deno.readDirSync(real), ({ name }) => name);
    // `lock` alone is what a start leaves that was ended at once.
    if (names.includes(DATABASE) || names.every((name) => name === "lock")) return real;
    throw new ToolError(
      "not_a_vault",
      `${quote(path)} has other files in it; name an empty folder, or one that is not there yet`,
    );
  });
}

/**
 * The real path of a folder that has a vault in it.
 *
 * @throws ToolError `not_found`, `io_error`.
 */
export function findDataFolder(path: string): string {
  return attempt(path, () => {
    try {
      const real = Deno.realPathSync(path);
      Deno.statSync(nativeRules.join(real, DATABASE));
      return real;
    } catch (error) {
      if (!isMissing(error)) throw error;
      throw new ToolError("not_found", `there is no vault in ${quote(path)}`);
    }
  });
}

function attempt(path: string, act: () => string): string {
  try {
    return act();
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "EEXIST" || code === "ENOTDIR") {
      throw new ToolError("not_a_folder", `${quote(path)} is not a folder`);
    }
    throw asToolError(error, "looking at the data folder", path);
  }
}
