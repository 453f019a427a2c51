// Settings → Security: the two secrets that open the vault, and the session.

import { Card, Facts, Page } from "../components/mod.ts";
import { timeText } from "../text/format.ts";
import { relativeText } from "../text/relative.ts";
import { useVault } from "../vault/context.tsx";
import type { View } from "../view.ts";
import { ChangePassphrase } from "./change_passphrase.tsx";
import { NewRecoveryKey } from "./new_recovery_key.tsx";
import { SignOut } from "./sign_out.tsx";

/** The view. */
export const securityView: View = {
  address: ["settings", "security"],
  title: "Security",
  icon: "shield",
  component: Security,
};

function Security() {
  const { expiresAt } = useVault();
  return (
    <Page title="Security" lead="What opens your vault. Neither secret ever leaves this browser.">
      <div class="column">
        <Card title="Passphrase">
          <ChangePassphrase />
        </Card>
        <Card title="Recovery key">
          <NewRecoveryKey />
        </Card>
        <Card title="This session" actions={<SignOut />}>
          <Facts
            facts={[
              [
                "Signed in until",
                `${timeText(expiresAt)} at the latest (${relativeText(expiresAt)})`,
              ],
              [
                "Keys",
                "In the memory of this tab alone; they go when the vault locks or the tab closes",
              ],
            ]}
          />
        </Card>
      </div>
    </Page>
  );
}
