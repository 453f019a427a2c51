// `serve --check`: whether everything that the vault's rows promise is there, byte for byte. Nothing is
// changed, and no server may run on the folder meanwhile.

import { visible } from "../../../containment/mod.ts";
import { count, formatBytes } from "../../../tools/format.ts";
import type { CheckReport } from "../../../vault/server/check.ts";
import type { Environment } from "../../environment.ts";
import { Interrupts } from "../../interrupt.ts";
import { EXIT, say } from "../../messages.ts";
import { giveUpRights } from "../../rights.ts";
import { ProgressLine } from "../../terminal/progress.ts";
import { findDataFolder } from "./data_folder.ts";
import type { ServeRequest } from "./request.ts";
import { openStoreRoom } from "./rooms.ts";

/**
 * Checks and reports; gives the exit code, 1 when something is lost or damaged.
 *
 * @throws ToolError `not_found`, `data_folder_in_use`, `data_unreadable`.
 */
export async function check(request: ServeRequest, environment: Environment): Promise<number> {
  const progress = new ProgressLine(environment.stderr, environment.columns);
  const room = openStoreRoom(findDataFolder(request.data), (line) => {
    progress.erase();
    say(environment, line);
  });
  // A check changes nothing, so it can be broken off anywhere.
  using interrupts = new Interrupts(() => room.close());
  try {
    await room.ready;
    giveUpRights();
    const report = await room.call("check", undefined, {
      name: "the check",
      onProgress: (done) => progress.update(done),
    }) as CheckReport;
    progress.erase();
    const text = request.json ? JSON.stringify(report, null, 2) : reportText(report);
    environment.stdout.write(`${text}\n`);
    return report.sound ? EXIT.done : EXIT.failed;
  } catch (error) {
    progress.erase();
    if (interrupts.signal.aborted) throw interrupts.signal.reason;
    throw error;
  } finally {
    room.close();
  }
}

const FAULTS: Record<CheckReport["faults"][number]["fault"], string> = {
  missing: "its object is missing",
  wrong_size: "its object has another size",
  wrong_hash: "its object has other bytes",
  unreadable: "its object cannot be read",
};

/** The report as a person reads it. */
export function reportText(report: CheckReport): string {
  const { faults, files, bytesRead, sound } = report;
  const lost = faults.map(({ fileId, storageKey, fault, detail }) =>
    `file ${fileId}: ${FAULTS[fault]} (${storageKey}${detail === undefined ? "" : `: ${detail}`})`
  );
  const verdict = sound
    ? `sound: ${count(files, "file")}, ${formatBytes(bytesRead)} read`
    : `NOT SOUND: ${faults.length} of ${count(files, "file")} lost or damaged`;
  return [...lost, ...besideFiles(report), verdict].map(visible).join("\n");
}

/** Objects that belong to no file: they take space, and nothing is wrong with them. */
function besideFiles({ orphans, uploads, purged, temporaries }: CheckReport): string[] {
  const kinds: [{ size: number }[], string][] = [
    [uploads, "of uploads that are not finished"],
    [purged, "of purged files, to be removed at the next start"],
    [temporaries, "left over from writing, to be removed by the server"],
    [orphans, "that no file knows of"],
  ];
  return kinds.filter(([objects]) => objects.length > 0).map(([objects, what]) => {
    const bytes = objects.reduce((sum, { size }) => sum + size, 0);
    return `${count(objects.length, "object")} ${what} (${formatBytes(bytes)})`;
  });
}
