// server.json: how the MCP registry describes the server, in the schema of 2025-12-11. Each bundle
// is a package with the address that it will have and its digest, which the registry's clients
// check.

import { downloadUrl, type Publication } from "./publication.ts";

export interface RegistryBundle {
  file: string;
  /** In hexadecimal. */
  sha256: string;
}

/** The document as text. */
export function serverJson(
  version: string,
  bundles: readonly RegistryBundle[],
  publication: Publication,
): string {
  const { repository, registryName } = publication;
  const document = {
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name: registryName,
    title: "shieldfive",
    description:
      "Tidies local folders: duplicates, large and old files, move, trash, restore. No network.",
    version,
    ...(repository === undefined ? {} : { repository: { url: repository, source: "github" } }),
    packages: bundles.map(({ file, sha256 }) => ({
      registryType: "mcpb",
      identifier: downloadUrl(publication, version, file),
      version,
      fileSha256: sha256,
      transport: { type: "stdio" },
    })),
  };
  return JSON.stringify(document, null, 2) + "\n";
}
