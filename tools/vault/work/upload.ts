// Carries out vault_upload.

import { ToolError } from "../../../containment/error.ts";
import { allowanceLeft, requireFolder } from "../../../vault/client/rules.ts";
import type { Uploaded, VaultFolder, VaultView } from "../../../vault/client/types.ts";
import type { VaultPlan } from "../change.ts";
import type { VaultContext } from "../context.ts";
import type { DiskGateway, Source } from "../disk_gateway.ts";
import { checkFile, requireDisk, vaultName } from "./local_file.ts";
import { alike, pathIn, warningsField } from "./plan.ts";
import { resultOf } from "./result.ts";

interface Input {
  path: string;
  destination_folder_id: string;
  name?: string;
  content_type?: string;
}

export interface UploadPlan extends VaultPlan {
  view: VaultView;
  destination: VaultFolder;
  source: Source;
  name: string;
  contentType?: string;
}

/**
 * @throws ToolError `no_roots`, `not_found`, and as `DiskGateway.describe`, `VaultClient.view` and
 * `checkUpload`.
 */
export async function planUpload(context: VaultContext, input: Input): Promise<UploadPlan> {
  const { client, signal, progress } = context;
  const question = { paths: [input.path], field: "path", toTrash: false };
  const { sources: [source] } = await requireDisk(context).describe(question);
  const view = await client.view({ signal, progress, recipient: true });
  const destination = requireFolder(view, input.destination_folder_id.toLowerCase());
  const name = vaultName(input.name ?? source.name);
  const contentType = input.content_type;
  checkFile(view, destination, source, { name, contentType });
  const left = allowanceLeft(view.grant);
  const shown = {
    op: "upload",
    source: source.path,
    entry: source.entry,
    bytes: source.bytes,
    destination: destination.id,
    path: pathIn(view, destination, name),
  };
  return {
    view,
    destination,
    source,
    name,
    contentType,
    output: {
      performed: false,
      action: "upload",
      plan: shown,
      ...(left === undefined ? {} : { upload_allowance_left_bytes: left }),
      ...warningsField(alike(view, destination.id, name)),
    },
    binding: shown,
  };
}

/** @throws ToolError as `DiskGateway.open` and `VaultClient.upload`. */
export async function applyUpload(
  context: VaultContext,
  { view, destination, source, name, contentType, output }: UploadPlan,
) {
  const { client, signal, progress } = context;
  const disk = requireDisk(context);
  const uploaded = await client.upload(view, destination, {
    name,
    contentType,
    size: source.bytes,
    source: await disk.open(source),
    signal,
    progress,
  });
  return {
    ...resultOf(uploaded, output),
    uploaded: uploaded.id,
    path: uploaded.path,
    bytes: uploaded.bytes,
    sha256: uploaded.sha256,
    verified: true,
    ...await presence(disk, source),
    ...remaining(uploaded),
  };
}

/** What may still be uploaded, for a result. */
export function remaining({ budgetRemainingBytes }: Uploaded) {
  return budgetRemainingBytes === undefined ? {} : { budget_remaining_bytes: budgetRemainingBytes };
}

/** Whether the file is where it was, whatever its content is by now; nothing where that is not known. */
async function presence(
  disk: DiskGateway,
  { path }: Source,
): Promise<{ local_file_still_present?: boolean }> {
  try {
    await disk.describe({ paths: [path], field: "path", toTrash: false });
    return { local_file_still_present: true };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return error.code === "not_found" ? { local_file_still_present: false } : {};
  }
}
