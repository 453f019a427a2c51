// A real browser for tests: the system's Chromium, without a window, on a page that a local server gives.
// The server is on 127.0.0.1, which counts as a secure context, so that crypto.subtle is there.

import { type Browser, chromium, type Page } from "playwright-core";

/** Where systems keep it; SHIELDFIVE_TEST_CHROMIUM comes first. */
const PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** The browser's program; undefined, after saying so, where there is none. */
export function findChromium(): string | undefined {
  const chosen = Deno.env.get("SHIELDFIVE_TEST_CHROMIUM");
  const found = (chosen ? [chosen] : PLACES).find(isFile);
  if (found === undefined) console.log("skipped: there is no Chromium here");
  return found;
}

/** What a page printed as errors, what it threw, and what it asked for in vain. */
export interface Complaints {
  readonly all: string[];
}

/** Listens to a page from now on. */
export function collectComplaints(page: Page): Complaints {
  const all: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") all.push(message.text());
  });
  page.on("pageerror", (error) => all.push(error.stack ?? error.message));
  page.on(
    "requestfailed",
    (request) => all.push(`${request.url()}: ${request.failure()?.errorText}`),
  );
  return { all };
}

export interface InBrowser {
  page: Page;
  /** Where the server answers, with a slash at its end. */
  url: string;
  complaints: Complaints;
}

/**
 * Opens a browser without a window and closes it when the body is done.
 *
 * @param program from `findChromium`.
 */
export async function withBrowser<Result>(
  program: string,
  body: (browser: Browser) => Promise<Result>,
): Promise<Result> {
  const browser = await chromium.launch({
    executablePath: program,
    // The browser's own sandbox does not start for root, and containers have a small /dev/shm.
    args: [...(Deno.uid() === 0 ? ["--no-sandbox"] : []), "--disable-dev-shm-usage"],
  });
  try {
    return await body(browser);
  } finally {
    await browser.close();
  }
}

/**
 * Opens an empty page in a browser of its own beside a server, and closes both when the body is done.
 *
 * @param program from `findChromium`.
 */
export async function inBrowser<Result>(
  program: string,
  serve: (request: Request) => Response | Promise<Response>,
  body: (inside: InBrowser) => Promise<Result>,
): Promise<Result> {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, serve);
  try {
    return await withBrowser(program, async (browser) => {
      const page = await browser.newPage();
      const complaints = collectComplaints(page);
      return await body({ page, url: `http://127.0.0.1:${server.addr.port}/`, complaints });
    });
  } finally {
    await server.shutdown();
  }
}
