// What was asked of `shieldfive login`.

import { labelFrom } from "../../../vault/connect/mod.ts";
import { RESULTS } from "../../options.ts";
import { parseWords } from "../../parse.ts";
import { UsageError } from "../../usage.ts";
import { LOGIN_OPTIONS } from "./options.ts";

export interface LoginRequest {
  how: "browser" | "paste";
  /** As it was typed. */
  server?: string;
  where: "keychain" | "file";
  label?: string;
  /** Whether a browser is opened. */
  browser: boolean;
  json: boolean;
  showPermissions: boolean;
}

/** @throws UsageError; what stands where no operand belongs is not repeated: it may be a secret. */
export function readRequest(words: string[]): LoginRequest {
  const { values, operands } = parseWords(words, [...LOGIN_OPTIONS, ...RESULTS]);
  if (operands.length > 0) {
    throw new UsageError(
      "login takes no operands: what is typed there, every user of this machine can read",
      "`shieldfive login --paste` asks for a connection string",
    );
  }
  const given = (name: string) => values.get(name) === true;
  const text = (name: string) => values.get(name) as string | undefined;
  if (given("paste")) {
    const other = ["label", "no-browser"].find((name) => values.has(name));
    if (other !== undefined) {
      throw new UsageError(`--${other} is for the browser, and --paste does without one`);
    }
  }
  return {
    how: given("paste") ? "paste" : "browser",
    server: text("server"),
    where: (text("store") ?? "keychain") as LoginRequest["where"],
    label: labelOf(text("label")),
    browser: !given("no-browser"),
    json: given("json"),
    showPermissions: given("show-permissions"),
  };
}

function labelOf(typed: string | undefined): string | undefined {
  if (typed === undefined) return undefined;
  const label = labelFrom(typed);
  if (label !== undefined) return label;
  throw new UsageError("--label takes 2 to 48 characters of plain text (ASCII)");
}
