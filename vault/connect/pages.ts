// What a browser is shown that delivers a connection to this machine: a few fixed sentences. Nothing that
// came in is repeated, and the page can load nothing and send nothing on.

/** Headers of every answer (vault spec, 9). */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** An answer: its status, a heading and a sentence. */
export interface Verdict {
  status: number;
  title: string;
  text: string;
}

const TRY_AGAIN =
  "Go back to the ShieldFive page and send it again, or copy the connection string " +
  "there and paste it into the program.";

export const VERDICTS = {
  connected: {
    status: 200,
    title: "Connected",
    text: "The program on this computer has the connection. You can close this tab.",
  },
  denied: {
    status: 200,
    title: "Request denied",
    text: "The program on this computer got no connection. You can close this tab.",
  },
  wrongHost: {
    status: 400,
    title: "Wrong address",
    text: "Nothing was taken: the request was addressed to another name than this computer's own.",
  },
  notHere: { status: 404, title: "Nothing here", text: "Only ShieldFive's page delivers here." },
  foreign: {
    status: 403,
    title: "Refused",
    text: "Nothing was taken: the request came from another page than ShieldFive's.",
  },
  used: {
    status: 409,
    title: "Already answered",
    text: "The request was answered before. Ask the program to connect again if that was not you.",
  },
  wrongState: {
    status: 403,
    title: "Refused",
    text: `Nothing was taken: the answer belongs to another request. ${TRY_AGAIN}`,
  },
  malformed: {
    status: 400,
    title: "Not a connection",
    text: `Nothing was taken: what was delivered is no connection string. ${TRY_AGAIN}`,
  },
} as const satisfies Record<string, Verdict>;

const STYLE =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:34em;margin:15vh auto;padding:0 1em;" +
  "color:#1d2433;background:#fff}@media(prefers-color-scheme:dark){body{color:#e6e9f0;background:#14171f}}";

/** The page for a verdict. */
export function pageFor({ title, text }: Verdict): string {
  return '<!doctype html><html lang="en"><meta charset="utf-8">' +
    '<meta name="viewport" content="width=device-width">' +
    `<title>${title} – ShieldFive</title><style>${STYLE}</style>` +
    `<h1>${title}</h1><p>${text}</p></html>\n`;
}
