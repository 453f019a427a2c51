// One picture. It is decoration: what it stands for is always said in words beside it or in a label.

import { ICON_SHAPES, type IconName } from "./icons.ts";

/** A picture in the colour and, unless a size is given, at 18 px. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      class="icon"
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={ICON_SHAPES[name]} />
    </svg>
  );
}
