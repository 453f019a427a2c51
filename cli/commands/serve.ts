// `shieldfive serve`: a vault that anyone can host, on this machine.

import "../../containment/native_path.ts";
import type { Environment } from "../environment.ts";
import { EXIT, reportFailure } from "../messages.ts";
import { grantedLines } from "../permissions.ts";
import { UsageError } from "../usage.ts";
import { readRequest } from "./serve/request.ts";
import { servingRooms } from "./serve/rooms.ts";

/**
 * Serves, checks or shows what serving would be allowed, and gives the exit code.
 *
 * @throws UsageError when the arguments cannot be understood; nothing was opened.
 */
export async function serve(args: string[], environment: Environment): Promise<number> {
  const request = readRequest(args, environment);
  if (request.showPermissions) {
    environment.stdout.write(grantedLines(servingRooms(request)).join("\n") + "\n");
    return EXIT.done;
  }
  try {
    const { run } = await import("./serve/run.ts");
    const { check } = await import("./serve/check.ts");
    return await (request.does === "check"
      ? check(request, environment)
      : run(request, environment));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    return reportFailure(error, environment, request.json);
  }
}
