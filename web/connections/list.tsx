// The connections of the vault: those that can be used, and those that have ended.

import { Button, EmptyState, ErrorState, LoadingState } from "../components/mod.ts";
import { countText } from "../text/format.ts";
import type { Loaded } from "../vault/loaded.ts";
import type { Grant } from "../../vault/owner/mod.ts";
import { LiveConnection, PastConnection } from "./card.tsx";

/** The list, whatever there is to show. */
export function ConnectionList(
  { grants, onCreate }: { grants: Loaded<Grant[]>; onCreate(): void },
) {
  const { value, failure, reload } = grants;
  if (failure !== undefined) {
    return (
      <ErrorState
        title="Your connections could not be loaded"
        error={failure}
        onRetry={reload}
      />
    );
  }
  if (value === undefined) return <LoadingState label="Loading your connections…" />;
  const live = value.filter(({ state }) => state === "live");
  const past = value.filter(({ state }) => state !== "live");
  return (
    <>
      {live.length === 0 ? <NoConnections onCreate={onCreate} /> : (
        <ul class="stack">
          {live.map((grant) => <LiveConnection key={grant.id} grant={grant} onChanged={reload} />)}
        </ul>
      )}
      {past.length > 0 && (
        <details class="card">
          <summary>{countText(past.length, "connection")} that ended</summary>
          <ul class="past-list">
            {past.map((grant) => <PastConnection key={grant.id} grant={grant} />)}
          </ul>
        </details>
      )}
    </>
  );
}

function NoConnections({ onCreate }: { onCreate(): void }) {
  return (
    <EmptyState
      icon="robot"
      title="No assistant is connected"
      actions={<Button variant="primary" icon="plus" onClick={onCreate}>New connection</Button>}
    >
      <p>
        A connection lets an assistant such as Claude, ChatGPT or a local model work with folders
        that you pick. Ask it to connect to your vault, and it opens this page; or make a connection
        here and paste its string there.
      </p>
    </EmptyState>
  );
}
