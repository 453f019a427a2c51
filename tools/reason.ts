// What a refusal says, where it is told as a part of something else.

/**
 * Why something was refused, for a call that did change something else: the refusal without its
 * promise that nothing was changed.
 */
export function reasonOf(refusal: unknown): string {
  return (refusal as Error).message.replace(/; nothing was changed|\. Nothing was changed/g, "");
}
