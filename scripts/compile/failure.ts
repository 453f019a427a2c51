// Why an executable cannot be made.

/** Something that it takes is missing or does not fit. The message is one sentence for whoever builds. */
export class BuildFailure extends Error {
  override readonly name = "BuildFailure";
}
