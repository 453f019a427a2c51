// One connection in the list: what it is, what it may, how long, what it has used; and what can be done about it.

import { useState } from "preact/hooks";
import type { Grant, Tree } from "../../vault/owner/mod.ts";
import { Badge, Button, ConfirmDialog, Facts, Icon, Name, Progress } from "../components/mod.ts";
import { sizeText, timeText } from "../text/format.ts";
import { relativeText } from "../text/relative.ts";
import { useVault } from "../vault/context.tsx";
import { clientName } from "./clients.ts";
import { ExtendDialog } from "./extend.tsx";
import { accessText } from "./terms.ts";

export interface ConnectionProps {
  grant: Grant;
  /** Something about the connection has changed. */
  onChanged(): Promise<void>;
}

/** Less than this before its end a connection is marked. */
const SOON_MS = 24 * 3_600_000;

function StateBadge({ grant }: { grant: Grant }) {
  if (grant.state === "revoked") return <Badge>Revoked</Badge>;
  if (grant.state === "expired") return <Badge>Expired</Badge>;
  const soon = Date.parse(grant.expiresAt) - Date.now() < SOON_MS;
  return soon ? <Badge kind="warning">Expires soon</Badge> : <Badge kind="good">Active</Badge>;
}

/** A connection that can be used. */
export function LiveConnection({ grant, onChanged }: ConnectionProps) {
  const [asking, setAsking] = useState<"extend" | "revoke">();
  const close = () => setAsking(undefined);
  return (
    <li class="card connection">
      <header class="card-head">
        <Heading grant={grant} />
        <div class="row">
          <Button icon="clock" onClick={() => setAsking("extend")}>Extend</Button>
          <Button onClick={() => setAsking("revoke")}>Revoke</Button>
        </div>
      </header>
      <Terms grant={grant} />
      {asking === "extend" && <ExtendDialog grant={grant} onClose={close} onExtended={onChanged} />}
      {asking === "revoke" && <RevokeDialog grant={grant} onClose={close} onRevoked={onChanged} />}
    </li>
  );
}

function Heading({ grant }: { grant: Grant }) {
  return (
    <div class="connection-title">
      <span class="connection-icon">
        <Icon name="robot" size={20} />
      </span>
      <div>
        <h2>
          <Name name={grant.label} />
        </h2>
        <p class="hint">
          {clientName(grant.clientHint)} <StateBadge grant={grant} />
        </p>
      </div>
    </div>
  );
}

function Terms({ grant }: { grant: Grant }) {
  const { tree } = useVault();
  return (
    <>
      <Facts
        facts={[
          ["May", accessText(grant)],
          ["Reaches", <Reach key="reach" grant={grant} tree={tree} />],
          ["Expires", `${timeText(grant.expiresAt)} (${relativeText(grant.expiresAt)})`],
          ["Last used", lastUse(grant)],
        ]}
      />
      {grant.scopes.includes("write") && <Used grant={grant} />}
    </>
  );
}

function lastUse({ lastUsedAt }: Grant): string {
  return lastUsedAt === null ? "Never" : `${timeText(lastUsedAt)} (${relativeText(lastUsedAt)})`;
}

function Reach({ grant, tree }: { grant: Grant; tree: Tree | undefined }) {
  if (grant.scopeAll) {
    return <>The whole vault{grant.includeMedia ? ", with the Media folder" : ""}</>;
  }
  return (
    <ul class="reach">
      {grant.rootIds.map((id) => {
        const folder = tree?.folders.get(id);
        return (
          <li key={id}>
            <Icon name="folder" size={16} />
            {folder === undefined
              ? <em class="hint">{tree === undefined ? "…" : "a folder that is gone"}</em>
              : <Name name={tree!.path(folder)} pending={folder.pending} />}
            {folder?.inBin && <Badge kind="warning">In the Bin</Badge>}
          </li>
        );
      })}
    </ul>
  );
}

function Used({ grant }: { grant: Grant }) {
  const { writeUsedBytes, writeReservedBytes, writeBudgetBytes } = grant;
  const used = writeUsedBytes + writeReservedBytes;
  if (writeBudgetBytes === null) {
    return <p class="hint">{sizeText(used)} added so far; there is no limit.</p>;
  }
  return (
    <Progress
      label="Upload allowance used"
      detail={`${sizeText(used)} of ${sizeText(writeBudgetBytes)}`}
      done={used}
      total={writeBudgetBytes}
    />
  );
}

function RevokeDialog(
  { grant, onClose, onRevoked }: { grant: Grant; onClose(): void; onRevoked(): Promise<void> },
) {
  const { vault } = useVault();
  return (
    <ConfirmDialog
      title={
        <>
          Revoke <Name name={grant.label} />?
        </>
      }
      action="Revoke"
      danger
      onClose={onClose}
      onConfirm={async () => {
        await vault.revokeGrant(grant.id);
        await onRevoked();
      }}
    >
      <p>
        Its next request is refused. It cannot be given back: for access again, make a new
        connection.
      </p>
      <p class="hint">
        What the assistant has read already, it has. What it changed stays, and can be undone under
        Activity.
      </p>
    </ConfirmDialog>
  );
}

/** A connection that has ended, in one line. */
export function PastConnection({ grant }: { grant: Grant }) {
  const ended = grant.revokedAt ?? grant.expiresAt;
  return (
    <li class="past">
      <div>
        <Name name={grant.label} />
        <p class="hint">
          {clientName(grant.clientHint)} · {accessText(grant)} · last used{" "}
          {grant.lastUsedAt === null ? "never" : timeText(grant.lastUsedAt)}
        </p>
      </div>
      <span class="hint">
        {grant.state === "revoked" ? "Revoked" : "Expired"} {timeText(ended)}
      </span>
    </li>
  );
}
