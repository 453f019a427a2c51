// `shieldfive doctor`: whether this installation works here, and what to do where it does not. It opens
// every room for real, looks at the granted folders, at what operations left in them and at the
// assistants, and changes nothing.

import type { Environment } from "../environment.ts";
import { EXIT } from "../messages.ts";
import { HELP } from "../options.ts";
import { parseWords } from "../parse.ts";
import { UsageError } from "../usage.ts";
import { examine } from "./doctor/examination.ts";
import { DOCTOR_OPTIONS } from "./doctor/options.ts";
import { countOf, reportData, reportText } from "./doctor/report.ts";
import { lookAt, type Looked } from "./doctor/section.ts";
import { SECTIONS } from "./doctor/sections.ts";

/**
 * Reports, and gives the exit code: 1 when something would not work.
 *
 * @throws UsageError when the arguments cannot be understood.
 */
export async function doctor(args: string[], environment: Environment): Promise<number> {
  const { values, operands } = parseWords(args, [...DOCTOR_OPTIONS, HELP]);
  if (operands.length > 0) throw new UsageError("doctor takes no operands; --root names a folder");
  const examination = await examine((values.get("root") ?? []) as string[], environment);
  const looked: Looked[] = [];
  for (const section of SECTIONS) looked.push(await lookAt(section, examination));
  environment.stdout.write(
    values.get("json") === true
      ? JSON.stringify(reportData(looked), null, 2) + "\n"
      : reportText(looked, environment),
  );
  return countOf("problem", looked) > 0 ? EXIT.failed : EXIT.done;
}
