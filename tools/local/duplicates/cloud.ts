// Files that are only in the cloud: their name is here and their content is not, and reading one makes
// the system fetch it (field case F13).

/**
 * Whether reading the file would download it. On macOS such a file has a size and no blocks, or is a
 * stub called `.name.icloud`; on Windows the runtime shows nothing to tell it by. Elsewhere a file
 * without blocks is a sparse one, which is read.
 */
export function isCloudOnly(
  path: string,
  info: Pick<Deno.FileInfo, "size" | "blocks">,
  os: typeof Deno.build.os = Deno.build.os,
): boolean {
  if (os !== "darwin") return os === "windows" && info.size > 0 && info.blocks === 0;
  return (info.size > 0 && info.blocks === 0) || /\/\.[^/]+\.icloud$/.test(path);
}
