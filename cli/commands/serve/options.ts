// What `serve` takes.

import { HELP, type Option, RESULTS } from "../../options.ts";

/** The port that is listened on when none is named. */
export const DEFAULT_PORT = 8443;
/** The address that is listened on when none is named: this machine alone can reach it. */
export const DEFAULT_HOST = "127.0.0.1";

export const SERVE_OPTIONS: Option[] = [
  {
    name: "data",
    kind: { type: "text" },
    placeholder: "DIR",
    does: "Keep the vault in this folder (default: the user's own folder for data)",
  },
  {
    name: "port",
    kind: { type: "number" },
    placeholder: "N",
    default: DEFAULT_PORT,
    does: "Listen on this port; 0 takes one that is free",
  },
  {
    name: "host",
    kind: { type: "text" },
    placeholder: "ADDRESS",
    default: DEFAULT_HOST,
    does: "Listen on this IP address; one that others can reach needs TLS or a proxy",
  },
  {
    name: "tls-cert",
    kind: { type: "text" },
    placeholder: "FILE",
    does: "Serve over TLS with this certificate chain (PEM)",
  },
  {
    name: "tls-key",
    kind: { type: "text" },
    placeholder: "FILE",
    does: "The certificate's private key (PEM)",
  },
  {
    name: "behind-proxy",
    kind: { type: "switch" },
    does: "A proxy in front speaks TLS with the world; needs --public-url",
  },
  {
    name: "public-url",
    kind: { type: "text" },
    placeholder: "URL",
    does: "The address that people open, such as https://vault.example",
  },
  {
    name: "egress-per-day",
    kind: { type: "size" },
    placeholder: "SIZE",
    does: "Let no more than this be downloaded in a day (UTC)",
  },
  {
    name: "egress-per-month",
    kind: { type: "size" },
    placeholder: "SIZE",
    does: "Let no more than this be downloaded in a month (UTC)",
  },
  {
    name: "check",
    kind: { type: "switch" },
    does: "Read everything that is stored, say whether it is sound, and stop",
  },
];

export const SERVE_COMMON: Option[] = [
  {
    name: "json",
    kind: { type: "switch" },
    does: "Print the address, or what --check found, as JSON and nothing else",
  },
  ...RESULTS.filter(({ name }) => name === "show-permissions"),
  HELP,
];
