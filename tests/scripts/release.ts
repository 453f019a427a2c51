// What the tests of a release share: one made from stand-ins, and checks against the schemas of the formats.

import { Ajv, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import { fileURLToPath } from "node:url";
import { CONTENTS } from "../../scripts/compile/contents.ts";
import { ENTRY } from "../../scripts/program.ts";
import { type Ingredients, makeRelease, type Release } from "../../scripts/release/make.ts";
import { type ShippedPackage, shippedPackages } from "../../scripts/release/packages.ts";
import { readSource, type Source } from "../../scripts/release/source.ts";
import { type Target, TARGETS } from "../../scripts/release/targets.ts";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/[/\\]$/, "");

/** A time in summer, in the hour that the clocks of some places leave out. */
export const TIME = new Date("2026-03-29T01:30:31Z");

/** This system; where that is Windows, which has its own place below, another one stands for it. */
export const HERE: Target =
  TARGETS.find(({ triple, platform }) => triple === Deno.build.target && platform !== "win32") ??
    TARGETS[0];
export const WINDOWS: Target = TARGETS.find(({ platform }) => platform === "win32")!;

/** The sources of this checkout at a fixed time. */
export function source(over: Partial<Source> = {}): Source {
  return { ...readSource(ROOT), time: TIME, doubts: [], ...over };
}

let packages: Promise<ShippedPackage[]> | undefined;

/** The packages of the program, asked for once in this file's thread. */
export function packagesOfProgram(): Promise<ShippedPackage[]> {
  packages ??= shippedPackages(CONTENTS);
  return packages;
}

/** A script in place of an executable: it starts the program from the sources. */
export function standIn(dir: string): string {
  const file = `${dir}/stand-in`;
  const run = `exec '${Deno.execPath()}' run --quiet -A --no-prompt '${ENTRY}' "$@"`;
  Deno.writeTextFileSync(file, `#!/bin/sh\n${run}\n`, { mode: 0o755 });
  return file;
}

/** Makes a release at `dir/release`, of stand-ins for this system and for Windows. */
export async function release(dir: string, over: Partial<Ingredients> = {}): Promise<Release> {
  const file = standIn(dir);
  return await makeRelease(`${dir}/release`, {
    source: source(),
    executables: [{ target: HERE, file }, { target: WINDOWS, file }],
    packages: await packagesOfProgram(),
    deno: Deno.version.deno,
    publication: { registryName: "com.example/shieldfive" },
    ...over,
  });
}

/** What a value breaks of a schema, in words; empty when nothing. */
export function breaches(schema: string, value: unknown): string[] {
  const check = validator(schema);
  if (check(value)) return [];
  return check.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function validator(schema: string): ValidateFunction {
  // Schemas of others may hold words and formats that the strict mode does not know.
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addFormat("iri-reference", (text) => !/[\s<>"{}|\\^`]/.test(text));
  ajv.addFormat("idn-email", /^[^@\s]+@[^@\s]+$/);
  for (const other of ["cyclonedx-spdx", "cyclonedx-jsf-0.82"]) {
    const name = other.replace("cyclonedx-", "");
    ajv.addSchema(read(other), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
  }
  return ajv.compile(read(schema));
}

function read(schema: string): object {
  return JSON.parse(Deno.readTextFileSync(`${ROOT}/tests/schemas/${schema}.schema.json`));
}

/** Whether the machine has a program; says so when it does not. */
export function has(program: string): boolean {
  try {
    new Deno.Command(program, { args: ["--version"], stdout: "null", stderr: "null" }).outputSync();
    return true;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    console.log(`skipped: there is no ${program} here`);
    return false;
  }
}
