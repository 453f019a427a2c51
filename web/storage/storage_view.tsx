// How much the vault holds, and the way out of it: everything as plain files.

import { Badge, Card, ErrorState, Facts, LoadingState, Page } from "../components/mod.ts";
import { countText, sizeText } from "../text/format.ts";
import { useVault } from "../vault/context.tsx";
import { useLoaded } from "../vault/loaded.ts";
import { ExportCard } from "./export_card.tsx";
import type { Stats } from "../../vault/owner/mod.ts";

/** The view. */
export function StorageView() {
  const { vault } = useVault();
  const { value, failure, reload } = useLoaded(() => vault.stats());
  return (
    <Page title="Storage">
      <Card title="What the vault holds">
        {value
          ? <Numbers stats={value} />
          : failure
          ? <ErrorState title="The numbers could not be loaded" error={failure} onRetry={reload} />
          : <LoadingState label="Counting…" />}
      </Card>
      <ExportCard />
    </Page>
  );
}

function Numbers({ stats }: { stats: Stats }) {
  const { files, bytes, bin, objects, egress } = stats;
  return (
    <Facts
      facts={[
        ["Files", `${countText(files, "file")}, ${sizeText(bytes)}`],
        ["In the Bin", `${countText(bin.files, "file")}, ${sizeText(bin.bytes)}`],
        [
          "On the server",
          <span key="server">
            {sizeText(objects.bytes)} in {countText(objects.count, "object")}{" "}
            <Badge kind="good">encrypted</Badge>
          </span>,
        ],
        ["Downloaded", `${sizeText(egress.day)} today, ${sizeText(egress.month)} this month`],
      ]}
    />
  );
}
