// What the rest of the program uses of getting connected.

export {
  type Asking,
  CLIENT_HINTS,
  type ClientHint,
  hintFor,
  isPageAddress,
  labelFrom,
  pageAddress,
} from "./address.ts";
export {
  type Connected,
  type ConnectOptions,
  Connector,
  type ConnectorOptions,
  type Outcome,
  type Waiting,
  type Wish,
} from "./connector.ts";
export { connectGrants, Handoff } from "./handoff.ts";
export { type Opener, openerFor, type Opening } from "./opener.ts";
