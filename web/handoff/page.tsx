// The page that a program opens to be given a connection: who asks and where the answer would go, the form that
// makes the connection, and what became of it (vault spec, 9). Nothing is sent before a click.

import { useEffect, useState } from "preact/hooks";
import { Banner, Button, Card, EmptyState, Facts, Page, useStatus } from "../components/mod.ts";
import { clientInSentence, clientName } from "../connections/clients.ts";
import { ConnectionForm, type MadeConnection } from "../connections/form.tsx";
import { useRouter } from "../shell/router.tsx";
import { useHandoff } from "./context.tsx";
import { clockText, useSecondsLeft } from "./deadline.ts";
import { Delivery } from "./delivery.tsx";
import type { Handoff, HandoffRequest } from "./request.ts";
import { HANDOFF_QUERY } from "./take.ts";

/** Where a connection is made that no program waits for. */
const NEW_CONNECTION = `${HANDOFF_QUERY}&show=new`;

/** The hand-off, until it is decided. */
export function HandoffPage({ handoff }: { handoff: Handoff }) {
  return "fault" in handoff
    ? <Unusable fault={handoff.fault} />
    : <Request request={handoff.request} />;
}

function Request({ request }: { request: HandoffRequest }) {
  const [made, setMade] = useState<MadeConnection>();
  const { refused, refuse } = useHandoff();
  const left = useSecondsLeft(request.deadline);
  if (refused) return <Refused request={request} />;
  if (made !== undefined) return <Delivery request={request} made={made} />;
  if (left === 0) return <Expired request={request} />;
  const who = clientName(request.client);
  return (
    <Page
      title={`${who} asks to connect`}
      lead="Choose what it gets, or refuse. Nothing is sent to it before you authorize."
    >
      <div class="column">
        <Card>
          <Facts
            facts={[
              ["Program", `${who}, as it says of itself`],
              ["Answer goes to", <code key="port">127.0.0.1:{request.port}</code>],
              ["Time left", <TimeLeft key="left" seconds={left} />],
            ]}
          />
          <Banner kind="note">
            Authorize only if you have just asked {clientInSentence(request.client)}{" "}
            to connect. The answer goes to a program on this computer and nowhere else.
          </Banner>
        </Card>
        <ConnectionForm
          label={request.label ?? who}
          client={request.client}
          action="Authorize"
          aside={<Button onClick={refuse}>Refuse</Button>}
          onMade={setMade}
        />
      </div>
    </Page>
  );
}

/** The time that is left; a screen reader hears of it when it becomes short. */
function TimeLeft({ seconds }: { seconds: number }) {
  const { announce } = useStatus();
  useEffect(() => {
    if (seconds === 60) announce("One minute is left to authorize.");
  }, [seconds]);
  return <span role="timer" class="time-left">{clockText(seconds)}</span>;
}

function Ways({ other }: { other: "new" | "list" }) {
  const { dismiss } = useHandoff();
  const router = useRouter();
  const leave = (query: string) => {
    dismiss();
    router.go(query);
  };
  return (
    <>
      {other === "new" && (
        <Button icon="plus" onClick={() => leave(NEW_CONNECTION)}>
          Make a connection to copy
        </Button>
      )}
      <Button variant="primary" onClick={() => leave(HANDOFF_QUERY)}>
        Go to your connections
      </Button>
    </>
  );
}

function Unusable({ fault }: { fault: string }) {
  return (
    <Page title="This link cannot be used">
      <EmptyState
        icon="warning"
        title="No program is asked for here"
        actions={<Ways other="new" />}
      >
        {fault}{" "}
        Nothing was sent. Ask the assistant to connect again; if it opens the same page, make a
        connection here and paste its string there.
      </EmptyState>
    </Page>
  );
}

function Expired({ request }: { request: HandoffRequest }) {
  const { announce } = useStatus();
  useEffect(() => announce("The request has expired."), []);
  return (
    <Page title="The request has expired">
      <EmptyState
        icon="clock"
        title={`${clientName(request.client)} no longer waits`}
        actions={<Ways other="new" />}
      >
        Nothing was sent. Ask {clientInSentence(request.client)}{" "}
        to connect again, and it opens a new page like this one.
      </EmptyState>
    </Page>
  );
}

function Refused({ request }: { request: HandoffRequest }) {
  return (
    <Page title="You refused the request">
      <EmptyState icon="shield" title="No connection was made" actions={<Ways other="list" />}>
        {clientName(request.client)}{" "}
        is told so in the other tab. If that tab shows an error, the program is gone already. You
        can close both.
      </EmptyState>
    </Page>
  );
}
