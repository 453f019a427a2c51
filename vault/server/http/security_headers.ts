// What every answer says to a browser about itself. The page may load what this server serves and talk to
// this server, and nothing else; its one way out is the form of the hand-off, to this machine.

const POLICY = [
  "default-src 'none'",
  // Argon2id runs as WebAssembly in the page.
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "form-action 'self' http://127.0.0.1:*",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const HEADERS = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

/** A year. */
const TRANSPORT = "max-age=31536000";

/** The headers for a server whose public address is this one. */
export function securityHeaders(origin: string): Record<string, string> {
  const { protocol, hostname } = new URL(origin);
  // A browser would apply it to every port of this name, and on `localhost` others serve without TLS.
  const strict = protocol === "https:" && hostname !== "localhost";
  return strict ? { ...HEADERS, "strict-transport-security": TRANSPORT } : HEADERS;
}
