// Headers and signature blocks: what a parser takes, what it refuses, and by which code.

import { buildHeaderUnauthenticated, parseHeader } from "@shieldfive/crypto";
import { buildSignatureBlock, parseSignatureBlock } from "@shieldfive/crypto/identity";
import type { RefusalVectors } from "../format.ts";
import { type Check, refused, same, unhex } from "./expect.ts";

export function headerChecks(
  { headers, acceptedHeaders }: RefusalVectors,
): Check[] {
  return [
    ...headers.map(({ name, bytes, code }) => ({
      name: `a header is refused: ${name}`,
      run: () => refused(() => parseHeader(unhex(bytes)), code, name),
    })),
    ...acceptedHeaders.map(({ name, bytes }) => ({
      name: `a header is read and written again: ${name}`,
      run() {
        const header = unhex(bytes);
        const parsed = parseHeader(header);
        same(parsed.headerLength, 149, "the length");
        same(parsed.flags, 0, "the flags");
        same(buildHeaderUnauthenticated(parsed), header.slice(0, 117), "the header");
        same(parsed.unauthenticatedBytes, header.slice(0, 117), "what the MAC covers");
        same(parsed.mac, header.slice(117, 149), "the MAC");
      },
    })),
  ];
}

export function signatureBlockChecks({ signatureBlocks }: RefusalVectors): Check[] {
  return signatureBlocks.map(({ name, bytes, code }) => ({
    name: `a signature block is refused: ${name}`,
    async run() {
      const block = unhex(bytes);
      if (code !== "trailing_bytes_after_signature_block") {
        await refused(() => parseSignatureBlock(block), code, name);
        return;
      }
      // What follows a block is the reader's affair, not the parser's.
      const parsed = parseSignatureBlock(block);
      const read = block.slice(0, buildSignatureBlock(parsed).length);
      same(buildSignatureBlock(parsed), read, "the block");
    },
  }));
}
