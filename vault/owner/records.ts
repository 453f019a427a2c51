// What the server counts and records, as a page shows it.

import type { Answer } from "./answer.ts";
import type { ActivityEntry, Stats } from "./types.ts";

/** @throws OwnerError `bad_answer` */
export function statsOf(answer: Answer): Stats {
  const bin = answer.object("bin");
  const objects = answer.object("objects");
  const egress = answer.object("egress");
  return {
    files: answer.count("files"),
    bytes: answer.count("bytes"),
    bin: { files: bin.count("files"), bytes: bin.count("bytes") },
    objects: { count: objects.count("count"), bytes: objects.count("bytes") },
    egress: { day: egress.count("day"), month: egress.count("month") },
  };
}

/** @throws OwnerError `bad_answer` */
export function activityEntry(answer: Answer): ActivityEntry {
  return {
    id: answer.id("id"),
    grantId: answer.idOrNull("grantId"),
    action: answer.text("action"),
    objectKind: answer.has("objectKind") ? answer.oneOf("objectKind", "file", "folder") : null,
    objectId: answer.idOrNull("objectId"),
    result: answer.oneOf("result", "ok", "refused"),
    code: answer.textOrNull("code"),
    at: answer.time("at"),
    undoable: answer.flag("undoable"),
    undoneAt: answer.timeOrNull("undoneAt"),
  };
}
