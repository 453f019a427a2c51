// The worker that the `link` room runs.

import { serveLinks } from "./link.ts";
import { type ProofRequest, PROVE, tryLinks, tryRights } from "./proof.ts";
import { serveRoom } from "./worker.ts";

serveRoom((init, ports) => {
  const folders = init as string[];
  serveLinks(ports.links, folders);
  return {
    [PROVE](args) {
      const request = args as ProofRequest;
      return [...tryRights(request), ...tryLinks(request, folders)];
    },
  };
});
