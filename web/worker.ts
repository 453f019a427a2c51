// Where the worker that holds the vault begins: an entry of the build of its own.

import "./worker/main.ts";
