// How far the vault's tree is, and that it could not be brought up to date. Opening names takes a while, since
// each is sealed so that it costs time to open.

import { Banner, Button, IconButton, Progress } from "../components/mod.ts";
import { useVault } from "./context.tsx";

/** Names that are opened at once are not worth a bar. */
const FEW = 12;

/** A bar while names are opened, what went wrong when something did, and nothing otherwise. */
export function RefreshState() {
  const { loading, failure, refresh } = useVault();
  if (failure !== undefined) {
    return (
      <Banner kind="warning">
        <p>What is shown may be out of date. {failure.message}</p>
        <Button icon="refresh" onClick={refresh}>Try again</Button>
      </Banner>
    );
  }
  if (loading === undefined || !("phase" in loading) || loading.phase !== "names") return null;
  const { done, total } = loading;
  if (total < FEW) return null;
  return (
    <Progress label="Opening names…" done={done} total={total} detail={`${done} of ${total}`} />
  );
}

/** Looks for what others changed. */
export function RefreshButton() {
  const { loading, refresh } = useVault();
  return (
    <IconButton
      icon="refresh"
      label="Look for changes"
      disabled={loading !== undefined}
      onClick={refresh}
    />
  );
}
