// Why a release cannot be made.

/** Something that a release needs is missing or does not fit; nothing was left in the release folder. */
export class ReleaseFailure extends Error {
  override readonly name = "ReleaseFailure";
}
