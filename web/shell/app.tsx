// The page as a whole: the way in while the vault is locked, the views once it is open.

import { useMemo } from "preact/hooks";
import { ErrorState, LoadingState, StatusProvider, useStatus } from "../components/mod.ts";
import { HandoffProvider } from "../handoff/context.tsx";
import type { Handoff } from "../handoff/request.ts";
import { CreateVault } from "../sign_in/create.tsx";
import { Entrance } from "../sign_in/entrance.tsx";
import { SaveRecoveryKey } from "../sign_in/save_recovery_key.tsx";
import { UnlockVault } from "../sign_in/unlock.tsx";
import { TransferQueue } from "../transfers/queue.ts";
import { TransfersProvider } from "../transfers/context.tsx";
import type { LockReason } from "../vault/context.tsx";
import { VaultProvider } from "../vault/provider.tsx";
import { Layout } from "./layout.tsx";
import { RouterProvider } from "./router.tsx";
import { type Gate as GateState, type Session, useSession } from "./session.ts";

/** The page, and the request of a program that it was opened for. */
export function App({ handoff }: { handoff: Handoff | undefined }) {
  return (
    <StatusProvider>
      <RouterProvider>
        <HandoffProvider taken={handoff}>
          <Gate />
        </HandoffProvider>
      </RouterProvider>
    </StatusProvider>
  );
}

function Gate() {
  const status = useStatus();
  const transfers = useMemo(() => new TransferQueue(), []);
  const lock = (reason: LockReason) => {
    status.clear();
    if (reason === "asked") transfers.forget();
    session.lock(reason);
  };
  const session = useSession(lock);
  const { gate, client } = session;
  if (gate.at !== "open") return <WayIn session={session} gate={gate} />;
  return (
    <VaultProvider key={gate.opened.expiresAt} client={client} opened={gate.opened} lock={lock}>
      <TransfersProvider queue={transfers} client={client}>
        <Layout />
      </TransfersProvider>
    </VaultProvider>
  );
}

function WayIn({ session, gate }: { session: Session; gate: Exclude<GateState, { at: "open" }> }) {
  const { client, setGate, restart } = session;
  const status = useStatus();
  switch (gate.at) {
    case "starting":
      return (
        <Entrance title="ShieldFive">
          <LoadingState label="Connecting to your vault…" />
        </Entrance>
      );
    case "unreachable":
      return (
        <Entrance title="ShieldFive">
          <ErrorState title="The server does not answer" error={gate.error} onRetry={restart} />
        </Entrance>
      );
    case "new":
      return (
        <CreateVault
          client={client}
          setupToken={gate.setupToken}
          onMade={(opened, recoveryKey) => setGate({ at: "made", opened, recoveryKey })}
        />
      );
    case "made":
      return (
        <SaveRecoveryKey
          title="Save your recovery key"
          recoveryKey={gate.recoveryKey}
          onSaved={() => setGate({ at: "open", opened: gate.opened })}
        />
      );
    case "locked":
      return (
        <UnlockVault
          client={client}
          reason={gate.reason}
          onOpened={(opened, message) => {
            setGate({ at: "open", opened });
            if (message !== undefined) status.notify({ kind: "done", text: message });
          }}
        />
      );
  }
}
