// A program for tests: opens the rooms that derive keys, gives up its own rights as the main thread does,
// has so many names' keys derived at once, and tells what it came to and what memory it took.

import { KeyDerivationPool } from "@shieldfive/crypto/extra/kdf_pool.ts";
import { pooledNameKeys } from "@shieldfive/crypto/extra/pooled_name_keys.ts";
import { giveUpRights } from "../../cli/rights.ts";
import { KdfRooms, type KdfRoomStatus } from "../../vault/kdf.ts";

/** What it prints, as JSON. */
export interface Told {
  status: KdfRoomStatus;
  /** Of the first name, in hex. */
  key: string;
  /** How many keys there were that no other equals. */
  different: number;
  /** Bytes of memory at most, above what there was before the first derivation. */
  grown: number;
}

if (import.meta.main) {
  const rooms = await KdfRooms.open({ concurrency: 2, log: (line) => console.error(line) });
  giveUpRights();
  const pool = new KeyDerivationPool({ backend: rooms });
  const derive = pooledNameKeys(pool);
  const folderKey = Uint8Array.from({ length: 32 }, (_, i) => 0x40 + i);
  const before = Deno.memoryUsage().rss;
  let most = before;
  const looking = setInterval(() => most = Math.max(most, Deno.memoryUsage().rss), 5);
  const keys = await Promise.all(
    Array.from({ length: Number(Deno.args[0]) }, (_, name) => {
      const salt = Uint8Array.from({ length: 16 }, (_, i) => 0xc0 + i);
      salt[15] ^= name;
      return derive(folderKey, salt, "interactive");
    }),
  );
  clearInterval(looking);
  const hex = keys.map((key) => key.toHex());
  const told: Told = {
    status: rooms.status,
    key: hex[0],
    different: new Set(hex).size,
    grown: most - before,
  };
  console.log(JSON.stringify(told));
  pool.close();
  rooms.close();
}
