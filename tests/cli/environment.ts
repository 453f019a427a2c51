// An environment for tests that run the command line's parts in this process.

import type { Environment, Variables } from "../../cli/environment.ts";
import type { Output } from "../../cli/terminal/streams.ts";

/** An output that keeps what was written. */
export class Written implements Output {
  readonly isTerminal: boolean;
  text = "";

  constructor(isTerminal = false) {
    this.isTerminal = isTerminal;
  }

  write(text: string): void {
    this.text += text;
  }
}

export interface TestEnvironment extends Environment {
  stdout: Written;
  stderr: Written;
}

/** An environment that knows nothing but what it is given. */
export function testEnvironment(
  over: {
    cwd?: string;
    home?: string;
    variables?: Variables;
    columns?: number;
    terminal?: boolean;
    stdin?: string;
  } = {},
): TestEnvironment {
  return {
    variables: over.variables ?? {},
    cwd: over.cwd,
    home: over.home,
    stdin: {
      isTerminal: false,
      readAll: () => new TextEncoder().encode(over.stdin ?? ""),
    },
    stdout: new Written(over.terminal),
    stderr: new Written(over.terminal),
    columns: over.columns ?? 80,
  };
}
