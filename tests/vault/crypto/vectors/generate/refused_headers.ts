// Headers that a reader must refuse: fields out of their ranges under a MAC that fits, and MACs that do not.

import {
  assemble,
  type FileInput,
  type FileParts,
  headerMac,
  type Suite,
} from "../../second/container.ts";
import { bigEndian, join } from "../../second/primitives.ts";
import { flipped, type Refusal } from "./refusal.ts";

/** The file with one field of its header changed, and the MAC made for that. */
function withHeader(
  parts: FileParts,
  key: Uint8Array,
  change: (underMac: Uint8Array) => Uint8Array,
): Uint8Array {
  const underMac = change(parts.underMac.slice());
  return assemble({ ...parts, underMac, mac: headerMac(underMac, key) });
}

function at(offset: number, bytes: Uint8Array) {
  return (underMac: Uint8Array) => {
    underMac.set(bytes, offset);
    return underMac;
  };
}

/** Fields that are out of their ranges, however well the header is authenticated. */
function headerFields(parts: FileParts, key: Uint8Array): Refusal[] {
  const cases: [string, number, Uint8Array, string][] = [
    ["another minor version", 4, Uint8Array.of(1), "bad_magic"],
    ["another major version", 3, Uint8Array.of(2), "bad_magic"],
    ["suite 0", 5, Uint8Array.of(0), "unknown_suite"],
    ["suite 0x80", 5, Uint8Array.of(0x80), "unknown_suite"],
    ["the first flag", 6, Uint8Array.of(0x01), "reserved_flags_set"],
    ["the last flag", 6, Uint8Array.of(0x80), "reserved_flags_set"],
    ["chunks of no bytes", 23, bigEndian(0, 4), "chunk_size_out_of_range"],
    ["a chunk more than there may be", 27, bigEndian(1e9 + 1, 8), "total_chunks_out_of_range"],
    ["no chunk for some bytes", 27, bigEndian(0, 8), "total_chunks_zero_with_plaintext"],
    ["a byte too few", 35, bigEndian(96, 8), "plaintext_size_inconsistent"],
    ["a byte too many", 35, bigEndian(129, 8), "plaintext_size_inconsistent"],
    // The product wraps to less than the size where it is kept in a double or in 64 bits.
    [
      "more chunks than the size can fill",
      23,
      join(bigEndian(0xffff_ffff, 4), bigEndian(1e9, 8), bigEndian(2 ** 53 - 1, 8)),
      "plaintext_size_inconsistent",
    ],
  ];
  return cases.map(([what, offset, bytes, code]) => ({
    what,
    code,
    file: withHeader(parts, key, at(offset, bytes)),
  }));
}

/** A header of the right form that is not the writer's. */
function headerForgeries(
  parts: FileParts,
  { suite, key }: FileInput,
  file: Uint8Array,
): Refusal[] {
  const { length } = parts.underMac;
  const other: Suite = suite === 1 ? 4 : suite === 4 ? 1 : suite === 2 ? 3 : 2;
  return [
    { what: "a bit of the MAC flipped", file: flipped(file, length + 31) },
    { what: "a bit of the file id flipped", file: flipped(file, 7) },
    { what: "the size changed within its chunk", file: flipped(file, 42) },
    { what: "the suite of another kind of file", file: flipped(file, 5, suite ^ other) },
    { what: "the wrong key", file, key: key.map((byte) => byte ^ 1) },
  ].map((refusal) =>
    refusal.what.startsWith("the suite") ? refusal : { ...refusal, code: "header_mac_mismatch" }
  );
}

/** Payloads of a wrong length under a MAC that fits. */
function payloads(parts: FileParts, key: Uint8Array): Refusal[] {
  const length = parts.underMac.length - 45;
  return [-1, 1].map((more) => ({
    what: `a payload of ${length + more} bytes`,
    file: withHeader(parts, key, (underMac) =>
      join(
        underMac.subarray(0, 43),
        bigEndian(length + more, 2),
        underMac.subarray(45, 45 + length + Math.min(more, 0)),
        new Uint8Array(Math.max(more, 0)),
      )),
  }));
}

/** The parts of an encapsulation, one bit each; the pad's under a MAC that fits. */
function encapsulations(parts: FileParts, { key }: FileInput, file: Uint8Array): Refusal[] {
  const payload = 45;
  return [
    { what: "a bit of the ML-KEM ciphertext flipped", file: flipped(file, payload + 100) },
    { what: "a bit of the secretbox flipped", file: flipped(file, payload + 1568) },
    { what: "a bit of the secretbox nonce flipped", file: flipped(file, payload + 1663) },
    {
      what: "a bit of the pad set",
      file: withHeader(parts, key, at(payload + 1639, Uint8Array.of(1))),
    },
  ];
}

/** All that is wrong with a file's header. */
export function refusedHeaders(parts: FileParts, input: FileInput, file: Uint8Array): Refusal[] {
  return [
    ...headerFields(parts, input.key),
    ...headerForgeries(parts, input, file),
    ...payloads(parts, input.key),
    ...(input.suite === 3 ? encapsulations(parts, input, file) : []),
  ];
}
