// What costs an Argon2id: names, their keys, and master secrets out of passphrases.

import { ascii, hex, join } from "../../second/primitives.ts";
import {
  masterSecret,
  nameKey,
  type NameLevel,
  type Preset,
  sealName,
} from "../../second/vault.ts";
import type { Argon2Vectors } from "../format.ts";
import { draw } from "./draw.ts";

const PARENT = draw("parent of names", 32);
const SALT = draw("salt of names", 16);
const BOUND = "0199c0ff-ee00-7abc-8def-0123456789ab";
const UNBOUND = "6f1c2a3b-4d5e-4f60-8a71-92b3c4d5e6f7";

/** Names that software likes to change. */
const NAMES = {
  "letters": "Tax return 2025.pdf",
  "one letter": "a",
  "composed accents": "r\u00e9sum\u00e9.txt",
  "combining accents": "re\u0301sume\u0301.txt",
  "a family of emoji": "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}.jpg",
  "255 bytes": "é".repeat(125) + ".pdf" + "x",
  "text that runs to the left": "\u202egpj.exe",
  "a mark of the byte order": "\ufeffreport.txt",
  "spaces at both ends": " . ",
  "controls and slashes": "a/b\\c\n\u0000d",
};

type Name = Argon2Vectors["names"][number];

export function makeArgon2(): Argon2Vectors {
  const keys = {
    interactive: nameKey(PARENT, SALT, "interactive"),
    moderate: nameKey(PARENT, SALT, "moderate"),
  };
  const sealed = (
    name: string,
    plaintext: Uint8Array,
    sealing: { level?: NameLevel; kdf?: NameLevel; rowId?: string; refused?: string; v?: 4 } = {},
  ): Name => {
    const { level = "interactive", rowId = BOUND, refused } = sealing;
    const bound = sealing.v === 4 ? {} : { rowId };
    const kdf = "kdf" in sealing ? sealing.kdf : level;
    const iv = draw(`iv of ${name}`, 12);
    return {
      name,
      parent: hex(PARENT),
      nameKey: hex(keys[level]),
      rowId,
      ...(refused ? { code: refused } : { plaintext: hex(plaintext) }),
      envelope: sealName({ key: keys[level], name: plaintext, iv, salt: SALT, ...bound, kdf }),
    };
  };
  const plain = ascii("Holiday.mov");
  const notText = join(ascii("a"), Uint8Array.of(0xc3, 0x28));
  const failed = "name_decrypt_failed";
  return {
    nameKeys: (["interactive", "moderate"] as const).map((level) => ({
      parent: hex(PARENT),
      salt: hex(SALT),
      level,
      key: hex(keys[level]),
    })),
    names: [
      ...Object.entries(NAMES).map(([name, text]) => sealed(name, ascii(text))),
      sealed("version 4", plain, { v: 4, rowId: UNBOUND }),
      sealed("version 4 without a level", plain, { v: 4, rowId: UNBOUND, kdf: undefined }),
      sealed("moderate", plain, { level: "moderate" }),
      sealed("interactive under the label of moderate", plain, { kdf: "moderate" }),
      sealed("moderate without a level", plain, { level: "moderate", kdf: undefined }),
      sealed("moderate under the label of interactive", plain, {
        level: "moderate",
        kdf: "interactive",
        refused: failed,
      }),
      sealed("bytes that are no text", notText, { refused: failed }),
    ],
    passphrases: ([[16, "moderate"], [24, "moderate"], [16, "sensitive"]] as [number, Preset][])
      .map(
        ([length, preset]) => {
          const passphrase = "pässphrase of \u{1f510} several words";
          const salt = draw(`salt ${length}`, length);
          const secret = hex(masterSecret(passphrase, salt, preset));
          return { passphrase, salt: hex(salt), preset, masterSecret: secret };
        },
      ),
  };
}
