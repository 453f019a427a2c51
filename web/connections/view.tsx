// Settings → AI assistants: the connections, a new one, and the activity, one at a time; and before all of
// them the request of a program that waits.

import { ActivityPage } from "../activity/page.tsx";
import { Button, Page } from "../components/mod.ts";
import { useHandoff } from "../handoff/context.tsx";
import { HandoffPage } from "../handoff/page.tsx";
import { HANDOFF_QUERY } from "../handoff/take.ts";
import { Link, useRouter } from "../shell/router.tsx";
import { useVault } from "../vault/context.tsx";
import { useLoaded } from "../vault/loaded.ts";
import type { View } from "../view.ts";
import { CreateConnection } from "./create.tsx";
import { ConnectionList } from "./list.tsx";

const LIST = HANDOFF_QUERY;
const NEW = `${LIST}&show=new`;
const ACTIVITY = `${LIST}&show=activity`;

/** The view. */
export const assistantsView: View = {
  address: ["settings", "agents"],
  title: "AI assistants",
  icon: "robot",
  component: Assistants,
};

function Assistants() {
  const { handoff } = useHandoff();
  const { query } = useRouter();
  if (handoff !== undefined) return <HandoffPage handoff={handoff} />;
  switch (query.get("show")) {
    case "new":
      return <NewConnection />;
    case "activity":
      return <ActivityPage tabs={<Tabs current={ACTIVITY} />} />;
    default:
      return <Connections />;
  }
}

function Tabs({ current }: { current: string }) {
  return (
    <nav class="tabs" aria-label="AI assistants">
      <Link class="tab" to={LIST} current={current === LIST}>Connections</Link>
      <Link class="tab" to={ACTIVITY} current={current === ACTIVITY}>Activity</Link>
    </nav>
  );
}

function Connections() {
  const { vault } = useVault();
  const router = useRouter();
  const grants = useLoaded(() => vault.grants());
  // Where there is none, the list itself offers to make one.
  const any = grants.value?.some(({ state }) => state === "live");
  const create = () => router.go(NEW);
  return (
    <Page
      title="AI assistants"
      lead="What can work with your vault, and how far it reaches. The server enforces it on every request."
      actions={any && (
        <Button variant="primary" icon="plus" onClick={create}>
          New connection
        </Button>
      )}
    >
      <Tabs current={LIST} />
      <ConnectionList grants={grants} onCreate={create} />
    </Page>
  );
}

function NewConnection() {
  const router = useRouter();
  const back = () => router.replace(LIST);
  return (
    <Page
      title="New connection"
      lead="For an assistant that cannot open this page itself. You get a string to paste there."
    >
      <div class="column">
        <CreateConnection onCancel={back} onDone={back} />
      </div>
    </Page>
  );
}
