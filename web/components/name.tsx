// A name that somebody else may have chosen. It is text and never markup; what does not show in it, or would
// turn its direction, is written out; and it cannot reach into the text beside it.

import { visible } from "../../containment/text.ts";

export interface NameProps {
  /** Null: it does not open. */
  name: string | null;
  /** It has not been opened yet. */
  pending?: boolean;
}

/** What a name looks like in a sentence. */
export function shownName(name: string | null): string {
  return name === null ? "[name unavailable]" : visible(name);
}

/** A name as it may be shown. */
export function Name({ name, pending = false }: NameProps) {
  if (pending && name === null) {
    return (
      <span class="name-pending">
        <span class="unseen">name not opened yet</span>
      </span>
    );
  }
  if (name === null) return <em class="hint">{shownName(name)}</em>;
  return <bdi class="name">{visible(name)}</bdi>;
}
