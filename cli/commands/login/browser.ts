// The way through the browser, as the person at the terminal sees it: the address comes first, at once, then
// whether a browser was opened with it, and then there is a wait that ends by itself.

import type { Connected, Connector } from "../../../vault/connect/mod.ts";
import type { Environment } from "../../environment.ts";
import { hint, say } from "../../messages.ts";
import type { LoginRequest } from "./request.ts";

/**
 * Sends the person to the browser and waits for what comes of it.
 *
 * @throws ToolError `cancelled`, `timeout`, `connect_failed`, and what the server refuses with.
 */
export async function connectInBrowser(
  { browser, label }: LoginRequest,
  { connector, origin, environment, signal }: {
    connector: Connector;
    origin: string;
    environment: Environment;
    signal: AbortSignal;
  },
): Promise<Connected> {
  const tell = (text: string) => say(environment, text);
  const outcome = await connector.connect({ origin, client: "other", label, browser }, {
    patience: Infinity,
    signal,
    onAddress({ address }) {
      tell("an assistant that uses the connection gets what it reads, and so does its provider");
      tell("to connect, open this address in a browser on this computer, within 10 minutes:");
      tell(address);
      hint(environment, "with the browser on another computer, use `shieldfive login --paste`");
    },
    onOpening(opening) {
      if (opening.opened) tell("a browser was asked to open it; waiting for your answer there");
      else hint(environment, `no browser was opened (${opening.why}); open the address yourself`);
    },
  });
  if (outcome.state === "connected") return outcome.connected;
  throw new Error("the wait for the browser has no end but its own");
}
