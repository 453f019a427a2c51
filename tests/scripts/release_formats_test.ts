// The files of a release that other programs read: the bundle for Claude Desktop, the registry's server.json
// and the bill of materials. Each is checked against the schema of its format, and for being true.

import { strict as assert } from "node:assert";
import { createHash } from "node:crypto";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { unzipSync, unzlibSync } from "fflate";
import { billOfMaterials } from "../../scripts/release/sbom.ts";
import { catalogue } from "../../tools/mod.ts";
import { runtimeFolder } from "./executables.ts";
import { inTempDir, plant } from "../support.ts";
import { breaches, HERE, packagesOfProgram, release, ROOT, TIME, WINDOWS } from "./release.ts";

const { version } = JSON.parse(Deno.readTextFileSync(`${ROOT}/deno.json`));
const POSIX = { ignore: Deno.build.os === "windows" };

/** The folder with the release that the tests look at. */
let made: string;
Deno.test.beforeAll(async () => {
  made = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "shieldfive-" }));
  await release(made);
});
Deno.test.afterAll(() => Deno.removeSync(made, { recursive: true }));

/** The files in the bundle of a target. */
function bundleOf({ triple }: { triple: string }): Record<string, Uint8Array> {
  return unzipSync(Deno.readFileSync(`${made}/release/shieldfive-${version}-${triple}.mcpb`));
}

function json(bytes: Uint8Array) {
  return JSON.parse(new TextDecoder().decode(bytes));
}

Deno.test("the schemas refuse what is wrong", () => {
  assert.notDeepEqual(breaches("mcpb-manifest-0.3", { name: "a", version: "1.0.0" }), []);
  assert.notDeepEqual(breaches("mcp-server-2025-12-11", { name: "no slash", version: "1" }), []);
  const component = { type: "library", name: "a", licenses: [{ license: { id: "No such" } }] };
  const bom = { bomFormat: "CycloneDX", specVersion: "1.6", components: [component] };
  assert.notDeepEqual(breaches("cyclonedx-1.6", bom), []);
});

Deno.test("the manifest of a bundle is of its format and names what is in it", () => {
  for (const [target, program] of [[HERE, "shieldfive"], [WINDOWS, "shieldfive.exe"]] as const) {
    const files = bundleOf(target);
    const manifest = json(files["manifest.json"]);
    assert.deepEqual(breaches("mcpb-manifest-0.3", manifest), []);
    assert.equal(manifest.version, version);
    assert.equal(manifest.server.type, "binary");
    assert.equal(manifest.server.entry_point, `server/${program}`);
    assert.ok(files[manifest.server.entry_point].length > 0);
    assert.deepEqual(manifest.compatibility, { platforms: [target.platform] });
    assert.deepEqual(
      manifest.tools,
      catalogue.map(({ name, brief }) => ({ name, description: brief })),
    );
    const { type, multiple, required } = manifest.user_config.folders;
    assert.deepEqual({ type, multiple, required }, {
      type: "directory",
      multiple: true,
      required: true,
    });
    for (const page of ["LICENSE", "THIRD-PARTY.md", manifest.icon]) {
      assert.ok(files[page]?.length > 0, page);
    }
  }
});

Deno.test("the bundle's icon is a picture of 512 by 512 with all of its rows", () => {
  const bytes = bundleOf(HERE)["icon.png"];
  assert.equal(bytes.subarray(0, 8).toHex(), "89504e470d0a1a0a");
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  assert.deepEqual([view.getUint32(16), view.getUint32(20)], [512, 512]);
  // Behind the header's chunk, with its length, name and checksum: the rows.
  const start = 8 + 12 + 13;
  const rows = unzlibSync(bytes.subarray(start + 8, start + 8 + view.getUint32(start)));
  assert.equal(rows.length, 512 * (1 + 512 * 4));
  const at = (x: number, y: number) => [...rows.subarray(y * 2049 + 1 + x * 4).subarray(0, 4)];
  assert.deepEqual(at(0, 0), [0, 0, 0, 0]);
  assert.deepEqual(at(256, 60), [31, 78, 121, 255]);
  assert.deepEqual(at(256, 123), [255, 255, 255, 255]);
});

/** The command of a manifest as a host makes it: variables replaced, a list spread over arguments. */
function commandOf(manifest: Record<string, unknown>, folder: string, folders: string[]) {
  const { mcp_config } = manifest.server as { mcp_config: { command: string; args: string[] } };
  const filled = (text: string) => text.replaceAll("${__dirname}", folder);
  return {
    command: filled(mcp_config.command),
    args: mcp_config.args.flatMap((arg) =>
      arg === "${user_config.folders}" ? folders : filled(arg)
    ),
  };
}

Deno.test(
  "a bundle unpacked without its modes serves every tool in the chosen folders",
  POSIX,
  async () => {
    await inTempDir(async (dir) => {
      plant(dir, { "one/a.txt": "a", "two/": "", "with space/": "", "home/": "" });
      const files = bundleOf(HERE);
      for (const [path, bytes] of Object.entries(files)) {
        plant(`${dir}/installed here`, { [path]: bytes });
        Deno.chmodSync(`${dir}/installed here/${path}`, 0o600);
      }
      const folders = [`${dir}/one`, `${dir}/two`, `${dir}/with space`];
      const start = commandOf(json(files["manifest.json"]), `${dir}/installed here`, folders);
      const client = new Client({ name: "test", version: "0" });
      // In a home of its own: the connection of whoever runs this would add tools.
      const env = { HOME: `${dir}/home`, DENO_DIR: runtimeFolder() };
      await client.connect(new StdioClientTransport({ ...start, env, stderr: "ignore" }));
      try {
        const { tools } = await client.listTools();
        assert.deepEqual(
          tools.map(({ name }: { name: string }) => name),
          // Without a connection there is nothing that the other vault tools could work in.
          catalogue.filter(({ set, name }) => set === "local" || name === "vault_connect")
            .map(({ name }) => name),
        );
        const { structuredContent } = await client.callTool({ name: "list_local", arguments: {} });
        const { files, scanned } = structuredContent as {
          files: { path: string }[];
          scanned: string[];
        };
        assert.deepEqual(files.map(({ path }) => path), [`${dir}/one/a.txt`]);
        assert.deepEqual(scanned.sort(), folders);
      } finally {
        await client.close();
      }
    });
  },
);

Deno.test("server.json is of its format and has the address and digest of every bundle", async () => {
  await inTempDir(async (dir) => {
    const publication = {
      repository: "https://github.com/someone/shieldfive",
      registryName: "io.github.someone/shieldfive",
    };
    await release(dir, { publication });
    const server = json(Deno.readFileSync(`${dir}/release/server.json`));
    assert.deepEqual(breaches("mcp-server-2025-12-11", server), []);
    assert.equal(server.version, version);
    assert.equal(server.name, publication.registryName);
    assert.equal(server.repository.url, publication.repository);
    const files = [HERE, WINDOWS].map(({ triple }) => `shieldfive-${version}-${triple}.mcpb`);
    assert.deepEqual(
      server.packages,
      files.map((file) => ({
        registryType: "mcpb",
        identifier: `${publication.repository}/releases/download/v${version}/${file}`,
        version,
        fileSha256: createHash("sha256").update(Deno.readFileSync(`${dir}/release/${file}`))
          .digest("hex"),
        transport: { type: "stdio" },
      })),
    );
  });
});

Deno.test("without a repository server.json is of its format too", () => {
  const server = json(Deno.readFileSync(`${made}/release/server.json`));
  assert.deepEqual(breaches("mcp-server-2025-12-11", server), []);
});

/** The part of a bill of materials that is looked at here. */
interface Component {
  "bom-ref": string;
  purl: string;
  version: string;
  hashes?: { alg: string; content: string }[];
  licenses?: unknown[];
  components?: Component[];
}

Deno.test("the bill of materials is of its format and lists what ships, by deno.lock", () => {
  const bom = json(Deno.readFileSync(`${made}/release/shieldfive-${version}.cdx.json`));
  assert.deepEqual(breaches("cyclonedx-1.6", bom), []);
  const { npm } = JSON.parse(Deno.readTextFileSync(`${ROOT}/deno.lock`));
  const components = bom.components as Component[];
  const listed = components.map(({ purl }) => decodeURIComponent(purl));
  const name = (purl: string) => purl.replace(/^pkg:npm\/(.+)@[^@]+$/, "$1");
  for (const shipped of ["zod", "@modelcontextprotocol/server", "get-east-asian-width"]) {
    assert.ok(listed.map(name).includes(shipped), shipped);
  }
  for (
    const other of ["fast-check", "ajv", "fflate", "modern-tar", "@modelcontextprotocol/sdk"]
  ) {
    assert.ok(!listed.map(name).includes(other), other);
  }
  assert.ok(listed.includes(`pkg:github/denoland/deno@v${Deno.version.deno}`));
  for (const { purl, hashes, licenses } of components) {
    assert.equal(licenses?.length, 1, purl);
    if (!purl.startsWith("pkg:npm/")) continue;
    const key = decodeURIComponent(purl).replace("pkg:npm/", "");
    const pinned = Object.keys(npm).find((id) => id === key || id.startsWith(`${key}_`));
    const sha512 = Uint8Array.fromBase64(npm[pinned!].integrity.replace("sha512-", "")).toHex();
    assert.deepEqual(hashes, [{ alg: "SHA-512", content: sha512 }], purl);
  }
});

Deno.test("the bill of materials refers to nothing that it does not hold", () => {
  const bom = json(Deno.readFileSync(`${made}/release/shieldfive-${version}.cdx.json`));
  const refs = (components: Component[]): string[] =>
    components.flatMap((one) => [one["bom-ref"], ...refs(one.components ?? [])]);
  const all = [bom.metadata.component["bom-ref"], ...refs(bom.components)];
  assert.equal(new Set(all).size, all.length);
  const used = bom.dependencies.flatMap(
    ({ ref, dependsOn }: { ref: string; dependsOn: string[] }) => [ref, ...dependsOn],
  );
  const composed = bom.compositions.flatMap(
    (one: { assemblies?: string[]; dependencies?: string[] }) => [
      ...one.assemblies ?? [],
      ...one.dependencies ?? [],
    ],
  );
  for (const ref of [...used, ...composed]) assert.ok(all.includes(ref), ref);
});

Deno.test("the serial number of a bill of materials changes with what it lists, and only then", async () => {
  const packages = await packagesOfProgram();
  const serial = (deno: string, version: string) => {
    const text = billOfMaterials({ version, time: TIME, license: "MIT", packages, deno });
    const { serialNumber } = JSON.parse(text);
    assert.match(serialNumber, /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab]/);
    return serialNumber;
  };
  assert.equal(serial("2.9.6", "1.0.0"), serial("2.9.6", "1.0.0"));
  assert.notEqual(serial("2.9.6", "1.0.0"), serial("2.9.7", "1.0.0"));
  assert.notEqual(serial("2.9.6", "1.0.0"), serial("2.9.6", "1.0.1"));
});

Deno.test("the notices hold the licence of every package, and what is inside others is known", async () => {
  const packages = await packagesOfProgram();
  const page = new TextDecoder().decode(bundleOf(HERE)["THIRD-PARTY.md"]);
  for (const { name, version, licenseText } of packages) {
    assert.ok(page.includes(`\n## ${name}@${version}\n`), name);
    assert.ok(licenseText!.length > 500, name);
    const lines = licenseText!.split("\n").map((line) => `    ${line}`.trimEnd());
    assert.ok(page.includes(lines.join("\n")), name);
  }
  const server = packages.find(({ name }) => name === "@modelcontextprotocol/server");
  assert.ok(server!.holds.some(({ name }) => name === "ajv"));
});
