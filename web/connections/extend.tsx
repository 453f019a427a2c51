// Gives a connection more time, more allowance, or the folders that came to the top of the vault since.

import { useState } from "preact/hooks";
import type { Grant, GrantExtension } from "../../vault/owner/mod.ts";
import {
  Checkbox,
  type Choice,
  ConfirmDialog,
  Name,
  Select,
  useStatus,
} from "../components/mod.ts";
import { sizeText, timeText } from "../text/format.ts";
import { useVault } from "../vault/context.tsx";
import {
  type Allowance,
  ALLOWANCE_CHOICES,
  allowanceBytes,
  type Lifetime,
  LIFETIME_CHOICES,
  lifetimeMs,
} from "./terms.ts";

export interface ExtendDialogProps {
  grant: Grant;
  onClose(): void;
  onExtended(): Promise<void>;
}

const KEEP = "keep";

/** What a person asks for in the dialog. */
interface Wish {
  lifetime: Lifetime | typeof KEEP;
  allowance: Allowance | typeof KEEP;
  addFolders: boolean;
}

function extensionOf({ lifetime, allowance, addFolders }: Wish): GrantExtension {
  return {
    ...(lifetime === KEEP ? {} : { expiresInMs: lifetimeMs(lifetime) }),
    ...(allowance === KEEP ? {} : { writeBudgetBytes: allowanceBytes(allowance) }),
    ...(addFolders ? { addFolders } : {}),
  };
}

/** Asks how to extend a connection, and does it. */
export function ExtendDialog({ grant, onClose, onExtended }: ExtendDialogProps) {
  const { vault } = useVault();
  const { notify } = useStatus();
  const [wish, setWish] = useState<Wish>({ lifetime: "7d", allowance: KEEP, addFolders: false });
  const extend = async () => {
    const extension = extensionOf(wish);
    if (Object.keys(extension).length === 0) return;
    await vault.extendGrant(grant.id, extension);
    await onExtended();
    notify({ kind: "done", text: "The connection is extended." });
  };
  return (
    <ConfirmDialog
      title={
        <>
          Extend <Name name={grant.label} />
        </>
      }
      action="Extend"
      onClose={onClose}
      onConfirm={extend}
    >
      <Extension
        grant={grant}
        wish={wish}
        change={(part) => setWish((before) => ({ ...before, ...part }))}
      />
      <p class="hint">What it may do, and which folders you picked, stays as it was agreed.</p>
    </ConfirmDialog>
  );
}

function Extension(
  { grant, wish, change }: { grant: Grant; wish: Wish; change(part: Partial<Wish>): void },
) {
  const kept = grant.writeBudgetBytes === null ? "no limit" : sizeText(grant.writeBudgetBytes);
  const lifetimes: Choice<Wish["lifetime"]>[] = [
    { value: KEEP, label: `As it is: ${timeText(grant.expiresAt)}` },
    ...LIFETIME_CHOICES.map(({ value, label }) => ({ value, label: `${label} from now` })),
  ];
  const allowances: Choice<Wish["allowance"]>[] = [
    { value: KEEP, label: `As it is: ${kept}` },
    ...ALLOWANCE_CHOICES,
  ];
  return (
    <>
      <Select
        legend="Expires"
        choices={lifetimes}
        value={wish.lifetime}
        onValue={(lifetime) => change({ lifetime })}
      />
      {grant.scopes.includes("write") && (
        <Select
          legend="Upload allowance, in all"
          choices={allowances}
          value={wish.allowance}
          onValue={(allowance) => change({ allowance })}
          hint={`${sizeText(grant.writeUsedBytes)} of it is used.`}
        />
      )}
      {grant.scopeAll && (
        <Checkbox
          label="Open new folders to it"
          checked={wish.addFolders}
          onChecked={(addFolders) => change({ addFolders })}
          hint="Those that came to the top of the vault since the connection was made."
        />
      )}
    </>
  );
}
