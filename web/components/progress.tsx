// How far something has come.

import { useId } from "preact/hooks";

export interface ProgressProps {
  /** What is under way. */
  label: string;
  /** Undefined as long as nobody knows how far it is. */
  done?: number;
  total?: number;
  /** Said beside the label, such as "3 of 8". */
  detail?: string;
}

/** A bar with a label. */
export function Progress({ label, done, total, detail }: ProgressProps) {
  const id = useId();
  const known = done !== undefined && total !== undefined && total > 0;
  return (
    <div class="progress">
      <div class="progress-text">
        <label for={id}>{label}</label>
        {detail && <span class="hint">{detail}</span>}
      </div>
      {known
        ? <progress id={id} value={Math.min(done, total)} max={total} />
        : <progress id={id} />}
    </div>
  );
}
