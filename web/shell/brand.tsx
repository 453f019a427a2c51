// The product's mark and name.

/** Mark and name. */
export function Brand() {
  return (
    <span class="brand">
      <svg width="28" height="28" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
        <rect class="brand-ground" width="32" height="32" rx="8" />
        <path class="brand-line" d="M16 6l8 3v6c0 5.2-3.4 8.8-8 10.5-4.6-1.7-8-5.3-8-10.5v-6z" />
        <path class="brand-line" d="M12.2 15.6l2.8 2.8 5-5.4" />
      </svg>
      <span>ShieldFive</span>
    </span>
  );
}
