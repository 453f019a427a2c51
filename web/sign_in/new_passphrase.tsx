// The two fields in which a new passphrase is typed, and what is wrong with them.

import { useState } from "preact/hooks";
import { SecretField } from "../components/mod.ts";
import { LEAST_CHARACTERS, passphraseFault, repeatFault } from "./passphrase.ts";

/** What was typed, and how to check it. */
export interface NewPassphrase {
  value: string;
  fields: NewPassphraseFieldsProps;
  /** Shows what is wrong; true when nothing is. */
  check(): boolean;
}

/** The state of the two fields. */
export function useNewPassphrase(): NewPassphrase {
  const [value, setValue] = useState("");
  const [repeated, setRepeated] = useState("");
  const [faults, setFaults] = useState<{ value?: string; repeated?: string }>({});
  return {
    value,
    fields: {
      value,
      repeated,
      faults,
      onValue(next) {
        setValue(next);
        setFaults({});
      },
      onRepeated(next) {
        setRepeated(next);
        setFaults({});
      },
    },
    check() {
      const first = passphraseFault(value);
      const found = first !== undefined
        ? { value: first }
        : { repeated: repeatFault(value, repeated) };
      setFaults(found);
      return found.value === undefined && found.repeated === undefined;
    },
  };
}

export interface NewPassphraseFieldsProps {
  value: string;
  repeated: string;
  faults: { value?: string; repeated?: string };
  onValue(value: string): void;
  onRepeated(value: string): void;
}

/** The two fields. */
export function NewPassphraseFields(
  { value, repeated, faults, onValue, onRepeated, first = false }: NewPassphraseFieldsProps & {
    first?: boolean;
  },
) {
  return (
    <>
      <SecretField
        label="New passphrase"
        value={value}
        onValue={onValue}
        error={faults.value}
        first={first}
        autoComplete="new-password"
        hint={`${LEAST_CHARACTERS} characters or more. Four or more unrelated words are easy to remember and hard to guess.`}
      />
      <SecretField
        label="The same passphrase again"
        value={repeated}
        onValue={onRepeated}
        error={faults.repeated}
        autoComplete="new-password"
      />
    </>
  );
}
