// The worker that the `serve-front` room runs: it speaks HTTP on one address and hands what it is asked to
// the room that holds the vault. It can reach nothing else: no file, no other address, no program.

import { type ProofRequest, PROVE, tryNet, tryRights } from "../../containment/rooms/proof.ts";
import { serveRoom } from "../../containment/rooms/worker.ts";
import { RemoteService } from "./bridge/front.ts";
import { assetsOf, pagesOf } from "./http/assets.ts";
import { HTTP_LIMITS } from "./http/limits.ts";
import { acceptedHosts, acceptedOrigins, originOf, type Whereabouts } from "./http/names.ts";
import { securityHeaders } from "./http/security_headers.ts";
import { HttpServer, type Tls } from "./http/server.ts";
import { keepGoing } from "./keep_going.ts";

/** How to listen, and what to hand out. */
export interface ListenOrders extends Omit<Whereabouts, "tls"> {
  tls?: Tls;
  /** The owner's page: its files by path. */
  page: ReadonlyMap<string, Uint8Array>;
}

/** Where the server listens, and the address that people open, without a slash at its end. */
export interface Listening {
  port: number;
  origin: string;
}

const log = (line: string) => console.log(line);

serveRoom((init, ports) => {
  keepGoing(log);
  const service = new RemoteService(ports.store, log);
  const stopped = Promise.withResolvers<void>();
  let server: HttpServer | undefined;

  async function listen({ tls, page, ...where }: ListenOrders): Promise<Listening> {
    const whereabouts = { ...where, tls: tls !== undefined };
    const hosts = new Set<string>();
    const origins = new Set<string>();
    server = new HttpServer({
      service,
      isReady: () => service.alive,
      pages: pagesOf(assetsOf(page)),
      hosts,
      origins,
      limits: HTTP_LIMITS,
      tls,
      headers: securityHeaders(originOf(whereabouts)),
      log,
    });
    const port = await server.listen(where.host, where.port);
    for (const host of acceptedHosts({ ...whereabouts, port })) hosts.add(host);
    for (const own of acceptedOrigins({ ...whereabouts, port })) origins.add(own);
    return { port, origin: originOf({ ...whereabouts, port }) };
  }

  return {
    listen: (orders) => listen(orders as ListenOrders),
    /** Settles after `stop`. */
    serve: () => stopped.promise,
    /** Lets answers that have begun finish, for so many milliseconds. */
    async stop(graceMs) {
      await server?.stop(graceMs as number);
      stopped.resolve();
    },
    /** The other room is no more. */
    lose: () => service.lose(),
    [PROVE]: (args) => [...tryRights(args as ProofRequest), ...tryNet(init as string[])],
  };
}, { concurrent: true });
