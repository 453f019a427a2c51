// The icon of the bundle, drawn anew for each release so that no picture has to be kept: a shield
// that holds five lines of a list. A PNG with transparency, 512 by 512, the size that hosts
// recommend.

import { crc32 } from "node:zlib";
import { zlibSync } from "fflate";

const SIZE = 512;
/** Samples along each side of a pixel, for smooth edges. */
const SAMPLES = 4;

type Colour = readonly [red: number, green: number, blue: number];
const SHIELD: Colour = [31, 78, 121];
const LINES: Colour = [255, 255, 255];

/** Half the length of each line, as a part of the picture's width. */
const LENGTHS = [0.26, 0.26, 0.22, 0.16, 0.08];
const THICKNESS = 0.05;

/** The picture as a PNG file. */
export function icon(): Uint8Array {
  const header = new DataView(new ArrayBuffer(13));
  header.setUint32(0, SIZE);
  header.setUint32(4, SIZE);
  header.setUint8(8, 8); // bits a channel
  header.setUint8(9, 6); // colour with transparency
  return joined([
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    chunk("IHDR", new Uint8Array(header.buffer)),
    chunk("IDAT", zlibSync(rows(), { level: 9 })),
    chunk("IEND", new Uint8Array()),
  ]);
}

/** All rows, each behind a byte that says that it is not filtered. */
function rows(): Uint8Array {
  const bytes = new Uint8Array(SIZE * (1 + SIZE * 4));
  let above = corners(0);
  for (let y = 0; y < SIZE; y++) {
    const below = corners(y + 1);
    for (let x = 0; x < SIZE; x++) {
      const around = [above[x], above[x + 1], below[x], below[x + 1]];
      // Nothing in the picture is smaller than a pixel.
      const whole = around.every((colour) => colour === around[0]);
      bytes.set(whole ? mean([around[0]]) : mean(samples(x, y)), y * (1 + SIZE * 4) + 1 + x * 4);
    }
    above = below;
  }
  return bytes;
}

/** The colours at the corners of a row's pixels. */
function corners(y: number): (Colour | undefined)[] {
  return Array.from({ length: SIZE + 1 }, (_, x) => colourAt(x / SIZE, y / SIZE));
}

/** The colours at points spread over a pixel. */
function samples(x: number, y: number): (Colour | undefined)[] {
  return Array.from({ length: SAMPLES * SAMPLES }, (_, i) =>
    colourAt(
      (x + (i % SAMPLES + 0.5) / SAMPLES) / SIZE,
      (y + (Math.floor(i / SAMPLES) + 0.5) / SAMPLES) / SIZE,
    ));
}

/** The mean of the colours, and how much they cover. */
function mean(colours: (Colour | undefined)[]): number[] {
  const seen = colours.filter((colour) => colour !== undefined);
  if (seen.length === 0) return [0, 0, 0, 0];
  const channel = (i: number) => seen.reduce((sum, colour) => sum + colour[i], 0) / seen.length;
  return [channel(0), channel(1), channel(2), 255 * seen.length / colours.length].map(Math.round);
}

/** The colour at a point of the unit square, or undefined outside of the shield. */
function colourAt(x: number, y: number): Colour | undefined {
  const fromMiddle = Math.abs(x - 0.5);
  if (fromMiddle > shieldHalf(y)) return undefined;
  return LENGTHS.some((length, i) => onLine(fromMiddle, y - (0.24 + i * 0.115), length))
    ? LINES
    : SHIELD;
}

/** Half the width of the shield at this height: straight above, then drawn together to a point. */
function shieldHalf(y: number): number {
  const [top, waist, bottom, half, corner] = [0.05, 0.42, 0.96, 0.4, 0.07];
  if (y < top || y > bottom) return -1;
  if (y < top + corner) {
    return half - corner + Math.sqrt(corner ** 2 - (top + corner - y) ** 2);
  }
  if (y < waist) return half;
  const down = (y - waist) / (bottom - waist);
  return half * (1 - down * down * Math.sqrt(down));
}

/** Whether a point lies on a line with round ends; distances from the line's middle. */
function onLine(across: number, down: number, length: number): boolean {
  const beyond = Math.max(0, across - (length - THICKNESS / 2));
  return beyond ** 2 + down ** 2 <= (THICKNESS / 2) ** 2;
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const body = joined([new TextEncoder().encode(type), data]);
  return joined([bigEndian(data.length), body, bigEndian(crc32(body))]);
}

function bigEndian(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

function joined(parts: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
