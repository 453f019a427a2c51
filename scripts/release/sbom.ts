// The bill of materials of a release: CycloneDX 1.6, which most tools read, as JSON. It names what
// is in the executables and says where it does not know. The same release gives the same bytes,
// serial number too.

import { createHash } from "node:crypto";
import { idOf, type ShippedPackage } from "./packages.ts";

export interface Materials {
  version: string;
  time: Date;
  /** SPDX id of the program's own licence. */
  license: string;
  packages: readonly ShippedPackage[];
  /** Version of the runtime in the executables. */
  deno: string;
}

/** A JSON value of the document. */
type Json = string | number | boolean | Json[] | { [key: string]: Json };

/** The namespace of addresses (RFC 4122, appendix C). */
const ADDRESSES = "6ba7b8119dad11d180b400c04fd430c8";

/** The document as text. */
export function billOfMaterials(materials: Materials): string {
  const own = `pkg:generic/shieldfive@${materials.version}`;
  const deno = `pkg:github/denoland/deno@v${materials.deno}`;
  const body = {
    version: 1,
    metadata: metadata(materials, own),
    components: [
      ...materials.packages.map(packageComponent),
      runtimeComponent(materials.deno, deno),
    ],
    dependencies: dependencies(materials.packages, own, deno),
    compositions: compositions(materials.packages, deno),
  };
  const document = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(body))}`,
    ...body,
  };
  return JSON.stringify(document, null, 2) + "\n";
}

function metadata({ version, time, license }: Materials, own: string): Json {
  return {
    timestamp: time.toISOString().replace(/\.\d+Z$/, "Z"),
    lifecycles: [{ phase: "build" }],
    tools: { components: [{ type: "application", name: "shieldfive release", version }] },
    component: {
      type: "application",
      "bom-ref": own,
      name: "shieldfive",
      version,
      purl: own,
      licenses: licenses(license),
    },
  };
}

function packageComponent(shipped: ShippedPackage): Json {
  const { version, sha512, license, holds } = shipped;
  const ref = refOf(shipped);
  const hashes = [{ alg: "SHA-512", content: sha512 }];
  return {
    type: "library",
    "bom-ref": ref,
    ...named(shipped),
    version,
    scope: "required",
    // Of the archive in the registry, which is what deno.lock pins.
    hashes,
    ...(license === undefined ? {} : { licenses: licenses(license) }),
    purl: ref,
    externalReferences: [{ type: "distribution", url: archiveUrl(shipped), hashes }],
    ...(holds.length === 0 ? {} : { components: holds.map((held) => heldComponent(held, ref)) }),
  };
}

/** A package inside the files of another one; its digest and licence are not known here. */
function heldComponent(held: { name: string; version: string }, holder: string): Json {
  return {
    type: "library",
    "bom-ref": `${holder}#${idOf(held)}`,
    ...named(held),
    version: held.version,
    purl: refOf(held),
  };
}

function runtimeComponent(version: string, ref: string): Json {
  return {
    type: "platform",
    "bom-ref": ref,
    name: "deno",
    version,
    scope: "required",
    licenses: licenses("MIT"),
    purl: ref,
  };
}

function dependencies(packages: readonly ShippedPackage[], own: string, deno: string): Json {
  const refs = new Map(packages.map((shipped) => [idOf(shipped), refOf(shipped)]));
  const direct = packages.filter((shipped) => shipped.direct);
  return [
    { ref: own, dependsOn: [...direct.map(refOf), deno] },
    ...packages.map((shipped) => ({
      ref: refOf(shipped),
      dependsOn: shipped.needs.map((id) => refs.get(id)!),
    })),
    { ref: deno, dependsOn: [] },
  ];
}

/** How far the document goes. */
function compositions(packages: readonly ShippedPackage[], deno: string): Json {
  const holders = packages.filter(({ holds }) => holds.length > 0).map(refOf);
  const native = packages.filter(({ native }) => native).map(refOf);
  return [
    { aggregate: "complete", dependencies: packages.map(refOf) },
    // The parts of Deno and of native code are not listed, and those of a bundled package as far as its
    // source maps go.
    { aggregate: "incomplete", assemblies: [deno, ...native] },
    ...(holders.length === 0 ? [] : [{ aggregate: "unknown", assemblies: holders }]),
  ];
}

function named({ name }: { name: string }): { group?: string; name: string } {
  const [scope, rest] = name.split("/");
  return rest === undefined ? { name } : { group: scope, name: rest };
}

/** The package URL, which is also how the document refers to a package. */
function refOf({ name, version }: { name: string; version: string }): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

function archiveUrl({ name, version }: ShippedPackage): string {
  return `https://registry.npmjs.org/${name}/-/${name.split("/").at(-1)}-${version}.tgz`;
}

function licenses(declared: string): Json {
  if (/[\s()]/.test(declared)) return [{ expression: declared, acknowledgement: "declared" }];
  return [{ license: { id: declared, acknowledgement: "declared" } }];
}

/** A UUID from the content it stands for (RFC 4122, version 5). */
function uuidOf(content: string): string {
  const digest = createHash("sha1").update(Uint8Array.fromHex(ADDRESSES)).update(content).digest();
  digest[6] = (digest[6] & 0x0f) | 0x50;
  digest[8] = (digest[8] & 0x3f) | 0x80;
  const hex = digest.toString("hex");
  return [[0, 8], [8, 12], [12, 16], [16, 20], [20, 32]].map(([a, b]) => hex.slice(a, b)).join("-");
}
