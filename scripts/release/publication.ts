// Where a release can be had once it is published. This is the one place that knows a public
// address, and it knows none yet: the release says so, and where a format demands an address it
// gets one that leads nowhere.

import { ReleaseFailure } from "./failure.ts";

export interface Publication {
  /** The public repository, as `https://github.com/OWNER/NAME`. */
  repository?: string;
  /**
   * What the server is called in the MCP registry: the publisher's domain name backwards, a slash,
   * and the server's name. The registry asks the publisher to prove the domain.
   */
  registryName: string;
}

/** To be filled in before the first release is published. The domain is the one of SECURITY.md. */
export const PUBLICATION: Publication = {
  repository: undefined,
  registryName: "com.shieldfive/shieldfive",
};

/** Names below `.invalid` are never given out (RFC 6761), so this can be mistaken for no real place. */
const NOWHERE = "https://repository.invalid/shieldfive";

/**
 * Where a file of a release can be downloaded, or would be.
 *
 * @throws ReleaseFailure when the repository is not one on GitHub, whose addresses this knows.
 */
export function downloadUrl({ repository }: Publication, version: string, file: string): string {
  if (repository !== undefined && !/^https:\/\/github\.com\/[\w.-]+\/[\w.-]+$/.test(repository)) {
    throw new ReleaseFailure(
      `${repository} is not https://github.com/OWNER/NAME: correct it in scripts/release/publication.ts`,
    );
  }
  return `${repository ?? NOWHERE}/releases/download/v${version}/${encodeURIComponent(file)}`;
}

/** What keeps a release from being published as it is, in words; nothing when all is known. */
export function notPublishable({ repository }: Publication): string[] {
  if (repository !== undefined) return [];
  return [
    "there is no public repository: server.json points to an address that leads nowhere; " +
    "set `repository` in scripts/release/publication.ts",
  ];
}
