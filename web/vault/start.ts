// Starts the worker that holds the vault. Where its script and that of its helpers lie is in the page's head,
// since their names change with what is in them.

import { VaultClient } from "./client.ts";

function scriptNamed(name: string): string {
  const element = document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`);
  if (element === null) throw new Error(`the page does not say where its ${name} is`);
  return element.content;
}

/** A client with a worker of its own, which knows nothing yet. */
export function startVault(): VaultClient {
  const helpers = new URLSearchParams({ kdf: scriptNamed("kdf-worker") });
  const script = `${scriptNamed("vault-worker")}#${helpers}`;
  return new VaultClient(new Worker(script, { type: "module", name: "vault" }));
}
