// The worker that the `serve-store` room runs: it holds the vault's rows and objects and decides about every
// request. It can reach its data folder and nothing else: no network, no other file, no program.

import { asToolError, ToolError } from "../../containment/error.ts";
import { serveRoom } from "../../containment/rooms/worker.ts";
import { serveBridge } from "./bridge/store.ts";
import { type CheckReport, checkVault } from "./check.ts";
import { keepGoing } from "./keep_going.ts";
import { FileObjects } from "./objects/files.ts";
import { type DataFolder, openDataFolder } from "./rows/data_folder.ts";
import type { Rows } from "./rows/rows.ts";
import { openRows } from "./rows/sqlite.ts";
import type { Limits } from "./service/context.ts";
import { issueSetupToken } from "./service/owner/setup_token.ts";
import { Service } from "./service/service.ts";

/** What the service is to know. */
export interface ServeOrders {
  /** The address that upload URLs begin with, without a slash at its end. */
  origin: string;
  version: string;
  limits: Limits;
}

/** What opening found. */
export interface OpenedStore {
  /** Lets the first visitor become the owner; absent once there is one. */
  setupToken?: string;
}

/** Milliseconds between two rounds of clearing away what expired. */
const SWEEP = 60_000;

const log = (line: string) => console.log(line);

/** A data folder with all that is in it. */
interface Store {
  folder: DataFolder;
  rows: Rows;
  objects: FileObjects;
}

/** @throws ToolError also for what the system or the database says. */
function openStore(path: string): Store {
  let folder: DataFolder | undefined;
  try {
    folder = openDataFolder(path);
    return { folder, rows: openRows(path, Date.now), objects: new FileObjects(path, Date.now) };
  } catch (error) {
    folder?.close();
    throw openingFailed(error, path);
  }
}

function openingFailed(error: unknown, path: string): unknown {
  const { code, message } = error as { code?: string; message?: string };
  if (code !== "ERR_SQLITE_ERROR") return asToolError(error, "opening the data folder", path);
  return new ToolError("data_unreadable", `the vault's database cannot be opened: ${message}`);
}

serveRoom((init, ports) => {
  keepGoing(log);
  const path = init as string;
  const closed = Promise.withResolvers<void>();
  let store: Store | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;

  function close(): void {
    clearInterval(timer);
    store?.rows.close();
    store?.folder.close();
    store = undefined;
    closed.resolve();
  }

  return {
    open(): OpenedStore {
      store = openStore(path);
      return { setupToken: issueSetupToken(store.rows, Date.now()) };
    },
    /** Answers what comes over the port; settles after `close`. */
    serve(args) {
      const { rows, objects } = store!;
      const service = new Service({ ...args as ServeOrders, rows, objects, now: Date.now });
      service.sweep();
      timer = setInterval(() => service.sweep(), SWEEP);
      serveBridge(ports.front, service, log);
      return closed.promise;
    },
    /** Reads everything and compares; see {@link CheckReport}. */
    check(_args, { progress }): CheckReport {
      const { folder, rows, objects } = openStore(path);
      try {
        return checkVault(
          rows,
          objects,
          (done) => progress({ done, unit: "files", label: "checking" }),
        );
      } finally {
        rows.close();
        folder.close();
      }
    },
    close,
  };
}, { concurrent: true });
