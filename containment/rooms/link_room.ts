// The worker that the `link` room runs.

import { serveLinks } from "./link.ts";
import { serveRoom } from "./worker.ts";

serveRoom((init, ports) => {
  serveLinks(ports.links, init as string[]);
  return {};
});
