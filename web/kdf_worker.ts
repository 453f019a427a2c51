// Where the workers that derive keys begin: an entry of the build of its own.

import "../vault/owner/kdf_worker.ts";
