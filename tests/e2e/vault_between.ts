// Something between the program and its vault's server: it passes everything on, and a test may act at any
// request, answer in the server's place, or keep the answer.

export interface Passing {
  method: string;
  /** Behind `/api/agent/v1` for the API's own; `/storage` for what goes there. Ids are cut out. */
  path: string;
  /** The body's first bytes, to act when only these have come. */
  firstBytes(): Promise<void>;
  /** Asks the server. */
  forward(): Promise<Response>;
}

export type Meddler = (passing: Passing) => Promise<Response>;

export interface Between extends AsyncDisposable {
  origin: string;
}

const BASE = "/api/agent/v1";

function lineOf(pathname: string): string {
  if (!pathname.startsWith(BASE)) return "/storage";
  return pathname.slice(BASE.length).replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, ":id");
}

/** Listens on this machine, and passes on what comes to the server at the origin. */
export function between(origin: string, meddler: Meddler): Between {
  const server: Deno.HttpServer<Deno.NetAddr> = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request): Promise<Response> => {
      const { pathname, search } = new URL(request.url);
      const reader = request.body?.getReader();
      const pieces: Uint8Array<ArrayBuffer>[] = [];
      const read = async () => {
        const piece = await reader?.read();
        if (piece?.value !== undefined) pieces.push(piece.value);
        return piece?.done ?? true;
      };
      const { method, headers } = request;
      return await meddler({
        method,
        path: lineOf(pathname),
        firstBytes: async () => void await read(),
        async forward() {
          while (!await read()) { /* the body is small */ }
          const body = reader === undefined ? undefined : await new Blob(pieces).bytes();
          const response = await fetch(`${origin}${pathname}${search}`, { method, headers, body });
          return await comingFrom(response, origin, here);
        },
      });
    },
  );
  const here: string = `http://127.0.0.1:${server.addr.port}`;
  return { origin: here, [Symbol.asyncDispose]: () => server.shutdown() };
}

/** The answer, with the addresses of this place in it in place of the server's. */
async function comingFrom(response: Response, there: string, here: string): Promise<Response> {
  const { status, headers } = response;
  if (!headers.get("content-type")?.startsWith("application/json")) return response;
  const text = (await response.text()).replaceAll(there, here);
  return new Response(text, { status, headers: { "content-type": "application/json" } });
}
