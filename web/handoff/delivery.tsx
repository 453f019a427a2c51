// A connection on its way to the program that asked: posted into a tab of its own, and seen to have arrived when
// the program uses it, since a page cannot see what is in that tab. Until then the string stays here to copy.

import { useEffect, useState } from "preact/hooks";
import {
  Banner,
  Button,
  Card,
  EmptyState,
  LoadingState,
  Page,
  useStatus,
} from "../components/mod.ts";
import { clientInSentence, clientName } from "../connections/clients.ts";
import { ConnectionString } from "../connections/connection_string.tsx";
import type { MadeConnection } from "../connections/form.tsx";
import { useRouter } from "../shell/router.tsx";
import { useVault } from "../vault/context.tsx";
import { useHandoff } from "./context.tsx";
import { deliver, mayOpenTab } from "./deliver.ts";
import type { HandoffRequest } from "./request.ts";
import { HANDOFF_QUERY } from "./take.ts";

/** Where the connection is: here, posted, posted some time ago, or in use. */
type Stage = "here" | "sent" | "overdue" | "used";

const LOOK_EVERY_MS = 2_000;
/** A program that got the string checks it at once. */
const OVERDUE_AFTER_MS = 12_000;
const LOOK_FOR_MS = 5 * 60_000;

/** Looks until the connection is used; gives up quietly, since the page says how to go on. */
function useFirstUse(grantId: string, looking: boolean, onUse: () => void): void {
  const { vault } = useVault();
  useEffect(() => {
    if (!looking) return;
    const begun = Date.now();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let stopped = false;
    const look = async () => {
      try {
        const grants = await vault.grants();
        if (stopped) return;
        if (grants.find(({ id }) => id === grantId)?.lastUsedAt) return onUse();
      } catch {
        // The server may be away for a moment: it is asked again, and nothing depends on it.
      }
      schedule();
    };
    const schedule = () => {
      if (stopped || Date.now() - begun > LOOK_FOR_MS) return;
      timer = setTimeout(look, LOOK_EVERY_MS);
    };
    schedule();
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }, [grantId, looking]);
}

/** Hands the connection over. */
export function Delivery({ request, made }: { request: HandoffRequest; made: MadeConnection }) {
  const [stage, setStage] = useState<Stage>("here");
  const { announce } = useStatus();
  const who = clientName(request.client);
  const send = () => {
    deliver(request.port, { state: request.state, connection_string: made.connectionString });
    setStage((before) => before === "here" ? "sent" : before);
  };
  useEffect(() => {
    if (mayOpenTab()) send();
  }, []);
  useEffect(() => {
    if (stage !== "sent") return;
    const timer = setTimeout(() => setStage("overdue"), OVERDUE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [stage]);
  useFirstUse(made.grant.id, stage === "sent" || stage === "overdue", () => {
    setStage("used");
    announce(`${who} is connected.`);
  });
  if (stage === "used") return <Connected who={who} />;
  return (
    <Page
      title="The connection is made"
      lead={`Now it has to get to ${clientInSentence(request.client)}.`}
    >
      <div class="column">
        <Card>
          {stage === "here" && <NotSent request={request} onSend={send} />}
          {stage === "sent" && (
            <LoadingState
              label={`Sent. Waiting for ${clientInSentence(request.client)} to use it…`}
            />
          )}
          {stage === "overdue" && <Overdue request={request} onSend={send} />}
        </Card>
        <details class="card" open={stage === "overdue"}>
          <summary>Copy the connection string instead</summary>
          <ConnectionString value={made.connectionString} />
        </details>
      </div>
      <div class="row">
        <Leave />
      </div>
    </Page>
  );
}

function NotSent({ request, onSend }: { request: HandoffRequest; onSend(): void }) {
  return (
    <div class="stack">
      <p>
        Send it to the program that waits at{" "}
        <code>127.0.0.1:{request.port}</code>. A new tab shows its answer.
      </p>
      <div class="row">
        <Button variant="primary" icon="link" onClick={onSend}>Send the connection</Button>
      </div>
    </div>
  );
}

function Overdue({ request, onSend }: { request: HandoffRequest; onSend(): void }) {
  const { notify } = useStatus();
  return (
    <div class="stack">
      <Banner kind="warning">
        {clientName(request.client)}{" "}
        has not used the connection yet. If the new tab says that it is connected, all is well. If
        it shows an error, or never opened, nothing listened at{" "}
        <code>127.0.0.1:{request.port}</code>: send it again, or copy the string below and paste it
        into the program.
      </Banner>
      <div class="row">
        <Button
          icon="refresh"
          onClick={() => {
            onSend();
            notify({ kind: "note", text: "Sent again: see the new tab." });
          }}
        >
          Send again
        </Button>
      </div>
    </div>
  );
}

function Connected({ who }: { who: string }) {
  return (
    <Page title={`${who} is connected`}>
      <EmptyState icon="check" title="It has used the connection" actions={<Leave />}>
        You can close this tab and the other one, and go on in the assistant. What it does is listed
        under Activity, and you can extend or revoke the connection at any time.
      </EmptyState>
    </Page>
  );
}

function Leave() {
  const { dismiss } = useHandoff();
  const router = useRouter();
  return (
    <Button
      onClick={() => {
        dismiss();
        router.go(HANDOFF_QUERY);
      }}
    >
      Go to your connections
    </Button>
  );
}
