// The names under which a server answers. A page of another site can have its own name resolve to this
// machine and then read what it is answered (DNS rebinding); its requests still carry that name. One that
// asks under the server's own name cannot read the answer and could still guess the owner's passphrase until
// the owner has to wait; its requests carry its origin.

/** Where a server can be found. */
export interface Whereabouts {
  /** The address that is listened on. */
  host: string;
  port: number;
  tls: boolean;
  /** The public address, where there is another one: `https://vault.example`. */
  publicUrl?: string;
}

/** How an address looks in a URL and in a Host header. */
function urlHost(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** The address that people open, without a slash at its end. */
export function originOf({ host, port, tls, publicUrl }: Whereabouts): string {
  const scheme = tls ? "https" : "http";
  return publicUrl ?? new URL(`${scheme}://${urlHost(host)}:${port}`).origin;
}

/** Addresses that stand for every address of the machine, and name none. */
const UNSPECIFIED = new Set(["0.0.0.0", "::"]);

/** The names of the address that is listened on. */
function localNames(host: string): string[] {
  const names = UNSPECIFIED.has(host) ? [] : [urlHost(host)];
  return host === "127.0.0.1" || host === "::1" ? [...names, "localhost"] : names;
}

/** Every Host header, in lower case, that a server answers to. */
export function acceptedHosts(whereabouts: Whereabouts): ReadonlySet<string> {
  const { host, port, tls, publicUrl } = whereabouts;
  const accepted = localNames(host).flatMap((name) => withPort(name, port, tls ? 443 : 80));
  if (publicUrl !== undefined) {
    const { hostname, port } = new URL(publicUrl);
    accepted.push(...withPort(hostname, port === "" ? 443 : Number(port), 443));
  }
  return new Set(accepted);
}

/** Every Origin header that the server's own page can have. */
export function acceptedOrigins(whereabouts: Whereabouts): ReadonlySet<string> {
  const { host, port, tls, publicUrl } = whereabouts;
  const scheme = tls ? "https" : "http";
  const local = localNames(host).map((name) => new URL(`${scheme}://${name}:${port}`).origin);
  return new Set(publicUrl === undefined ? local : [...local, new URL(publicUrl).origin]);
}

/** A client may leave the standard port out. */
function withPort(name: string, port: number, standard: number): string[] {
  return port === standard ? [name, `${name}:${port}`] : [`${name}:${port}`];
}
