// What a vault's room carries its tools out with. The tools load it when they run, so that a program that
// only lists them does without; the room loads it before it takes calls, since later it can load nothing.

export * from "./create_folder.ts";
export * from "./duplicates.ts";
export * from "./list.ts";
export * from "./move.ts";
export * from "./move_in.ts";
export * from "./move_in_plan.ts";
export * from "./read.ts";
export * from "./rename.ts";
export * from "./resolve.ts";
export * from "./search.ts";
export * from "./stats.ts";
export * from "./trash.ts";
export * from "./upload.ts";
