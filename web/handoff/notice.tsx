// Says before signing in that a program waits, and lets it be refused right there.

import { Banner, Button } from "../components/mod.ts";
import { clientName } from "../connections/clients.ts";
import { useHandoff } from "./context.tsx";
import { clockText, useSecondsLeft } from "./deadline.ts";
import type { HandoffRequest } from "./request.ts";

/** The notice; nothing when no program waits. */
export function HandoffNotice() {
  const { handoff } = useHandoff();
  if (handoff === undefined) return null;
  if ("fault" in handoff) {
    return (
      <Banner kind="warning">The link that opened this page cannot be used. {handoff.fault}</Banner>
    );
  }
  return <Waiting request={handoff.request} />;
}

function Waiting({ request }: { request: HandoffRequest }) {
  const left = useSecondsLeft(request.deadline);
  const { refused, refuse } = useHandoff();
  const who = clientName(request.client);
  if (refused) {
    return <Banner kind="note">You refused the request of {who}. You can close this tab.</Banner>;
  }
  if (left === 0) {
    return (
      <Banner kind="warning">
        {who} asked for a connection to this vault and no longer waits. Ask it to connect again.
      </Banner>
    );
  }
  return (
    <Banner kind="note">
      <p>
        <strong>{who}</strong> on this computer (port{" "}
        {request.port}) asks to connect to this vault. Unlock it to decide; nothing is sent before.
        {" "}
        <span class="time-left">{clockText(left)}</span> left.
      </p>
      <Button onClick={refuse}>Refuse</Button>
    </Banner>
  );
}
