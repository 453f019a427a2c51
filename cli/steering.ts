// The self-extracting executable keeps from its runtime what would steer it: a folder for caches, flags for
// V8, a broker for permissions, a collector for telemetry. It sets these variables aside, and here they are
// put back before the program does anything, so that what it starts finds the environment of its user.

/** The variables that steer the runtime, with `*` for the rest of a name. */
export const STEERING = [
  "DENO_*",
  "JSR_*",
  "NODE_*",
  "NPM_CONFIG_*",
  "npm_config_*",
  "OTEL_*",
  "RUST_*",
  // The runtime would write the keys of every connection into that file.
  "SSLKEYLOGFILE",
];

/** One that begins like these and stays: whom to trust is for the machine's administrator to say. */
export const SPARED = ["NODE_EXTRA_CA_CERTS"];

/** The names of what was set aside, separated by spaces. */
export const KEPT = "SHIELDFIVE_KEPT";

/** What putting back takes: rights that nothing else needs, and that are given up with it. */
export const PUTTING_BACK = [...STEERING, `${KEPT}*`];

/** What it sets for the runtime in their place. */
const OWN = [
  // Folders of its own. In the home folder the runtime would read a `.npmrc`, though it uses no package.
  "DENO_DIR",
  "HOME",
  "DENO_NO_UPDATE_CHECK",
  "DENO_NO_PACKAGE_JSON",
  // Without this, whatever the program starts would find the runtime under the name `node`.
  "DENO_DISABLE_NODE_SHIM",
];

/**
 * Puts the variables back as they were before the self-extracting executable. Does nothing where it was
 * not what started this process.
 */
export function putBackVariables(): void {
  if (Deno.permissions.querySync({ name: "env", variable: KEPT }).state !== "granted") return;
  const kept = Deno.env.get(KEPT);
  if (kept === undefined) return;
  for (const name of OWN) Deno.env.delete(name);
  for (const name of kept.split(" ").filter((name) => name !== "")) {
    const aside = `${KEPT}_${name}`;
    const value = Deno.env.get(aside);
    if (value !== undefined) Deno.env.set(name, value);
    Deno.env.delete(aside);
  }
  Deno.env.delete(KEPT);
  for (const variable of PUTTING_BACK) Deno.permissions.revokeSync({ name: "env", variable });
}
