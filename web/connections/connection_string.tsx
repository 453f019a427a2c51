// The connection string, the one time that it is shown, and what it is.

import { Banner, CopyField } from "../components/mod.ts";

/** The string to copy, under the warning that belongs to it. */
export function ConnectionString({ value }: { value: string }) {
  return (
    <>
      <Banner kind="danger">
        <strong>This is a live key.</strong>{" "}
        Whoever has it can do all that the connection may, until it expires or you revoke it. Paste
        it only into the program that it is for. Do not send it, and do not keep it in a note.
      </Banner>
      <CopyField
        label="Connection string"
        value={value}
        copied="The connection string is copied."
      />
      <p class="hint">
        It is shown this one time: neither this page nor the server keeps it. On the assistant's
        computer, <code>shieldfive login --paste</code> takes it.
      </p>
    </>
  );
}
