// The owner's page as this server hands it out: its files under the addresses that the page names, held in
// memory, so that serving them takes no right to read.

/** A file of the page. */
export interface Asset {
  /** What it is requested as: `/assets/….js`. */
  path: string;
  contentType: string;
  bytes: Uint8Array;
}

/** The file that every address of the page is answered with. */
const INDEX = "index.html";

const TYPES: Record<string, string> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  json: "application/json",
  wasm: "application/wasm",
  svg: "image/svg+xml",
  png: "image/png",
  ico: "image/x-icon",
  woff2: "font/woff2",
  webmanifest: "application/manifest+json",
  txt: "text/plain; charset=utf-8",
};

/** The page's files by the paths that they are built under; what has no known type is not served. */
export function assetsOf(page: ReadonlyMap<string, Uint8Array>): Asset[] {
  return [...page].flatMap(([path, bytes]) => {
    const contentType = TYPES[path.slice(path.lastIndexOf(".") + 1)];
    return contentType === undefined ? [] : [{ path: `/${path}`, contentType, bytes }];
  });
}

/** What a path is answered with, and how long that may be kept. */
export interface Page extends Asset {
  cacheControl: string;
  /** What a log calls it. */
  route: string;
}

/** Addresses of the page, which finds out by itself what to show. */
const ADDRESSES = ["/", "/files"];

/** The page's files and addresses by path. */
export function pagesOf(assets: readonly Asset[]): ReadonlyMap<string, Page> {
  const pages = assets.filter(({ path }) => path !== `/${INDEX}`).map((asset): [string, Page] => {
    // These have their content's hash in their name, so under a name there is only ever one content.
    const lasting = asset.path.startsWith("/assets/");
    return [asset.path, {
      ...asset,
      cacheControl: lasting ? "public, max-age=31536000, immutable" : "no-cache",
      route: lasting ? "/assets/:name" : "/:name",
    }];
  });
  const index = assets.find(({ path }) => path === `/${INDEX}`);
  if (index === undefined) return new Map(pages);
  const addresses = ADDRESSES.map((path): [string, Page] => [
    path,
    { ...index, cacheControl: "no-store", route: path },
  ]);
  return new Map([...pages, ...addresses]);
}
