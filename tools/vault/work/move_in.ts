// Carries out vault_move_in: file by file, strictly in order. Nothing of a file's original is touched before
// its copy was read back and compared. The first failure, or a wish to stop, ends it, and what became of every
// file is told (vault spec, 11).

import { ToolError } from "../../../containment/error.ts";
import type { Uploaded } from "../../../vault/client/types.ts";
import { approvalOf } from "../../confirm.ts";
import type { VaultContext } from "../context.ts";
import type { DiskGateway, TrashOrder } from "../disk_gateway.ts";
import { requireDisk } from "./local_file.ts";
import { type MoveInItem, type MoveInPlan, totalOf } from "./move_in_plan.ts";
import { MoveInProgress } from "./move_in_progress.ts";
import { type Moved, type Stopped, stoppedBy } from "./move_in_report.ts";
import { warningsField } from "./plan.ts";
import { remaining } from "./upload.ts";

/** @throws ToolError of the file that it stopped at, with what became of every file as its detail. */
export async function applyMoveIn(
  context: VaultContext,
  input: { plan_token?: string },
  plan: MoveInPlan,
) {
  const run = new MoveInRun(context, plan, approvalOf(input));
  for (const item of plan.items) await run.moveIn(item);
  return run.result();
}

class MoveInRun {
  readonly #context: VaultContext;
  readonly #disk: DiskGateway;
  readonly #plan: MoveInPlan;
  readonly #progress: MoveInProgress;
  readonly #moved: Moved[] = [];
  readonly #warnings: string[] = [];
  readonly #order: TrashOrder;
  #last?: Uploaded;

  constructor(context: VaultContext, plan: MoveInPlan, approval: string | undefined) {
    this.#context = context;
    this.#disk = requireDisk(context);
    this.#plan = plan;
    this.#progress = new MoveInProgress(totalOf(plan.items), context.progress);
    this.#order = { tool: "vault_move_in", ...(approval === undefined ? {} : { approval }) };
  }

  /** @throws ToolError as {@link applyMoveIn} */
  async moveIn(item: MoveInItem): Promise<void> {
    let uploaded: Uploaded | undefined;
    try {
      uploaded = await this.#upload(item);
      await this.#trash(item, uploaded);
    } catch (error) {
      throw stoppedBy(error, this.#soFar(item, uploaded));
    }
  }

  async #upload({ source, name }: MoveInItem): Promise<Uploaded> {
    const { client, signal } = this.#context;
    if (signal.aborted) throw new ToolError("cancelled", "the call was cancelled");
    const { view, destination } = this.#plan;
    const content = await this.#disk.open(source);
    const progress = this.#progress.next(source.bytes);
    const request = { name, size: source.bytes, source: content, signal, progress };
    return this.#last = await client.upload(view, destination, request);
  }

  async #trash({ source }: MoveInItem, { id, path, bytes, sha256 }: Uploaded): Promise<void> {
    const trashed = await this.#disk.trash(source, { fileId: id, path, sha256 }, this.#order);
    this.#order.batch = trashed.batch;
    this.#warnings.push(...trashed.warnings);
    this.#moved.push({
      source: source.path,
      bytes,
      vault_file_id: id,
      vault_path: path,
      sha256,
      trashed_to: trashed.path,
    });
  }

  #soFar(item: MoveInItem, uploaded: Uploaded | undefined): Stopped {
    return {
      items: this.#plan.items,
      moved: this.#moved,
      batch: this.#order.batch,
      at: item,
      uploaded,
      recoverable: this.#recoverable,
      warnings: this.#warnings,
    };
  }

  /** Bytes that are free once the trash is emptied: those of a file that has other names are not. */
  get #recoverable(): number {
    return totalOf(
      this.#plan.items.slice(0, this.#moved.length)
        .filter(({ source }) => source.links === 1),
    );
  }

  result() {
    const { destination, destination_path, left_out, warnings = [] } = this.#plan.output;
    return {
      performed: true,
      action: this.#plan.output.action,
      destination,
      destination_path,
      ...(left_out === undefined ? {} : { left_out }),
      moved: this.#moved,
      trash_batch: this.#order.batch,
      space_freed_bytes: 0,
      space_recoverable_bytes: this.#recoverable,
      ...(this.#last === undefined ? {} : remaining(this.#last)),
      ...warningsField([...warnings, ...this.#warnings]),
    };
  }
}
