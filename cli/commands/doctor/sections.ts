// The parts of the report, in its order.

import type { Section } from "./section.ts";
import { assistants } from "./sections/assistants.ts";
import { connection } from "./sections/connection.ts";
import { operations } from "./sections/operations.ts";
import { places } from "./sections/places.ts";
import { program } from "./sections/program.ts";
import { protectedPlaces } from "./sections/protected.ts";
import { remains } from "./sections/remains.ts";
import { rooms } from "./sections/rooms.ts";
import { roots } from "./sections/roots.ts";
import { surroundings } from "./sections/surroundings.ts";
import { trash } from "./sections/trash.ts";

export const SECTIONS: readonly Section[] = [
  program,
  surroundings,
  places,
  protectedPlaces,
  roots,
  trash,
  rooms,
  remains,
  operations,
  connection,
  assistants,
];
