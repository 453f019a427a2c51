// The form that makes a connection, with a program that waits for it and without: what it reaches, what it may
// do, for how long; and what its owner has to know before.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Grant } from "../../vault/owner/mod.ts";
import {
  Banner,
  Button,
  Card,
  Checkbox,
  ErrorState,
  LoadingState,
  RadioGroup,
  Select,
  TextField,
} from "../components/mod.ts";
import { useVault } from "../vault/context.tsx";
import { CLIENT_HINTS, type ClientHint, clientName } from "./clients.ts";
import { FolderPicker } from "./folder_picker.tsx";
import { ACCESS_CHOICES, ALLOWANCE_CHOICES, LIFETIME_CHOICES } from "./terms.ts";
import { firstWish, LABEL_MAX, requestOf, type Wish, type WishFaults, wishFaults } from "./wish.ts";

/** A connection and the one time that its string is known. */
export interface MadeConnection {
  grant: Grant;
  connectionString: string;
}

export interface ConnectionFormProps {
  /** The proposed name; empty for none. */
  label: string;
  /** The program that asks; without it the person chooses. */
  client?: ClientHint;
  /** What the button that goes ahead says. */
  action: string;
  /** Stands beside that button. */
  aside?: ComponentChildren;
  onMade(made: MadeConnection): void;
}

interface PartProps {
  wish: Wish;
  change(part: Partial<Wish>): void;
  faults: WishFaults;
}

interface FormState extends PartProps {
  busy: boolean;
  /** Why the connection could not be made. */
  failure: string | undefined;
  submit(): Promise<void>;
}

/** What is filled in, and the making of the connection. */
function useForm(first: Wish, onMade: (made: MadeConnection) => void): FormState {
  const { vault } = useVault();
  const [wish, setWish] = useState(first);
  const [faults, setFaults] = useState<WishFaults>({});
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  return {
    wish,
    faults,
    busy,
    failure,
    change(part) {
      setWish((before) => ({ ...before, ...part }));
      setFaults({});
    },
    async submit() {
      const found = wishFaults(wish);
      setFaults(found);
      if (busy || Object.keys(found).length > 0) return;
      setBusy(true);
      setFailure(undefined);
      try {
        onMade(await vault.createGrant(requestOf(wish)));
      } catch (error) {
        setFailure((error as Error).message);
      } finally {
        setBusy(false);
      }
    },
  };
}

/** The form. */
export function ConnectionForm({ label, client, action, aside, onMade }: ConnectionFormProps) {
  const { busy, failure, submit, ...part } = useForm(
    firstWish(label, client ?? "claude-desktop"),
    onMade,
  );
  return (
    <form
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Card>
        <Identity {...part} choosesClient={client === undefined} />
      </Card>
      <Card>
        <Reach {...part} />
      </Card>
      <Card>
        <Terms {...part} />
      </Card>
      <ProviderNote client={part.wish.client} />
      {failure !== undefined && <p class="fault" role="alert">{failure}</p>}
      <div class="row">
        <Button type="submit" variant="primary" icon="link" busy={busy}>
          {busy ? "Making the connection…" : action}
        </Button>
        {aside}
      </div>
    </form>
  );
}

function Identity({ wish, change, faults, choosesClient }: PartProps & { choosesClient: boolean }) {
  return (
    <>
      <TextField
        label="Name"
        value={wish.label}
        onValue={(value) => change({ label: value })}
        error={faults.label}
        maxLength={LABEL_MAX}
        autoComplete="off"
        hint="How you will know this connection in the list and in the activity."
      />
      {choosesClient && (
        <Select
          legend="Assistant"
          choices={CLIENT_HINTS.map((value) => ({ value, label: clientName(value) }))}
          value={wish.client}
          onValue={(value) => change({ client: value })}
        />
      )}
    </>
  );
}

function Reach({ wish, change, faults }: PartProps) {
  const { tree, failure, refresh } = useVault();
  return (
    <>
      <RadioGroup
        legend="What it reaches"
        choices={[
          { value: "some", label: "Only folders that I pick" },
          {
            value: "all",
            label: "The whole vault",
            hint:
              "All but the Bin. Folders that you add at the top later stay closed to it until you open them.",
          },
        ]}
        value={wish.reach}
        onValue={(reach) => change({ reach })}
      />
      {tree === undefined && failure === undefined && (
        <LoadingState label="Opening the names of your folders…" />
      )}
      {tree === undefined && failure !== undefined && (
        <ErrorState title="Your folders could not be loaded" error={failure} onRetry={refresh} />
      )}
      {tree !== undefined && wish.reach === "some" && (
        <FolderPicker
          tree={tree}
          picked={wish.folderIds}
          onPicked={(folderIds) => change({ folderIds })}
          error={faults.folders}
        />
      )}
      {tree?.mediaId && wish.reach === "all" && (
        <Checkbox
          label="Include the Media folder"
          checked={wish.includeMedia}
          onChecked={(includeMedia) => change({ includeMedia })}
        />
      )}
    </>
  );
}

function Terms({ wish, change }: PartProps) {
  return (
    <>
      <RadioGroup
        legend="What it may do"
        choices={ACCESS_CHOICES}
        value={wish.access}
        onValue={(access) => change({ access })}
      />
      {wish.access === "write" && (
        <Select
          legend="Upload allowance"
          choices={ALLOWANCE_CHOICES}
          value={wish.allowance}
          onValue={(allowance) => change({ allowance })}
          hint="How much it can add in all. Only you can raise it."
        />
      )}
      <Select
        legend="Expires after"
        choices={LIFETIME_CHOICES}
        value={wish.lifetime}
        onValue={(lifetime) => change({ lifetime })}
        hint="You can revoke it at any time before, or extend it."
      />
    </>
  );
}

function ProviderNote({ client }: { client: ClientHint }) {
  return (
    <Banner kind={client === "local" ? "note" : "warning"}>
      {client === "local"
        ? "The assistant receives what its tools return: names, and the text of files that it opens. "
        : "The assistant receives what its tools return: names, and the text of files that it opens. For a cloud assistant, that means its provider receives it too. "}
      Revoking the connection ends its access at once, and cannot take back what was read.
    </Banner>
  );
}
