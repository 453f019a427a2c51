// What a person fills in. Each field has a label that is always in sight, and says what is wrong with it
// beside it, where a screen reader finds it too.

import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { IconButton } from "./button.tsx";

/** What of an input's own attributes a field takes. */
interface InputAttributes {
  type?: "text" | "password" | "search" | "number";
  /** What a password manager may put in; "off" for nothing. */
  autoComplete?: string;
  autocapitalize?: "off";
  spellcheck?: boolean;
  inputMode?: "text" | "numeric" | "decimal";
  placeholder?: string;
  name?: string;
  disabled?: boolean;
  maxLength?: number;
}

export interface TextFieldProps extends InputAttributes {
  label: string;
  value: string;
  onValue(value: string): void;
  /** What helps to fill it in. */
  hint?: ComponentChildren;
  /** What is wrong; the focus moves to the field when it appears. */
  error?: string;
  /** The field gets the focus when it appears. */
  first?: boolean;
  /** Selects the part before the ending of a file's name when it gets the focus so. */
  selectStem?: boolean;
  /** Stands behind the input, inside its frame. */
  trailing?: ComponentChildren;
}

/** One line of text. */
export function TextField(
  { label, value, onValue, hint, error, first, selectStem, trailing, type, ...rest }:
    TextFieldProps,
) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (!first) return;
    input.current!.focus();
    if (selectStem) selectBeforeEnding(input.current!);
  }, []);
  useEffect(() => {
    if (error !== undefined) input.current!.focus();
  }, [error]);
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="input-frame">
        <input
          {...rest}
          // Preact's types describe one kind of input at a time.
          type={(type ?? "text") as "text"}
          ref={input}
          id={id}
          data-first={first || undefined}
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
          aria-invalid={error !== undefined || undefined}
          aria-describedby={described || undefined}
        />
        {trailing}
      </div>
      {hint && <p class="hint" id={`${id}-hint`}>{hint}</p>}
      {error && <p class="fault" id={`${id}-error`}>{error}</p>}
    </div>
  );
}

function selectBeforeEnding(input: HTMLInputElement): void {
  const dot = input.value.lastIndexOf(".");
  input.setSelectionRange(0, dot > 0 ? dot : input.value.length);
}

/** A secret in one line, which can be shown while it is typed. */
export function SecretField(props: Omit<TextFieldProps, "type" | "trailing">) {
  const [shown, setShown] = useState(false);
  return (
    <TextField
      autocapitalize="off"
      spellcheck={false}
      {...props}
      type={shown ? "text" : "password"}
      trailing={
        <IconButton
          icon={shown ? "eyeOff" : "eye"}
          label={shown ? "Hide what was typed" : "Show what was typed"}
          aria-pressed={shown}
          onClick={() => setShown(!shown)}
        />
      }
    />
  );
}

export interface CheckboxProps {
  label: ComponentChildren;
  checked: boolean;
  onChecked(checked: boolean): void;
  hint?: ComponentChildren;
  disabled?: boolean;
  /** Some of what it stands for is checked. */
  mixed?: boolean;
  /** The label is for screen readers alone. */
  bare?: boolean;
}

/** One thing that is so or not. */
export function Checkbox(
  { label, checked, onChecked, hint, disabled, mixed = false, bare = false }: CheckboxProps,
) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    input.current!.indeterminate = mixed;
  }, [mixed]);
  return (
    <div class={bare ? "choice bare" : "choice"}>
      <input
        ref={input}
        type="checkbox"
        id={id}
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChecked(event.currentTarget.checked)}
        aria-describedby={hint ? `${id}-hint` : undefined}
      />
      <label for={id} class={bare ? "unseen" : undefined}>{label}</label>
      {hint && <p class="hint" id={`${id}-hint`}>{hint}</p>}
    </div>
  );
}

/** One of the values that can be chosen among. */
export interface Choice<Value extends string> {
  value: Value;
  label: string;
  hint?: ComponentChildren;
}

export interface ChoicesProps<Value extends string> {
  legend: string;
  choices: readonly Choice<Value>[];
  value: Value;
  onValue(value: Value): void;
}

/** One of a few, all in sight. */
export function RadioGroup<Value extends string>(
  { legend, choices, value, onValue }: ChoicesProps<Value>,
) {
  const id = useId();
  return (
    <fieldset class="choices">
      <legend>{legend}</legend>
      {choices.map((choice) => (
        <div class="choice" key={choice.value}>
          <input
            type="radio"
            name={id}
            id={`${id}-${choice.value}`}
            checked={choice.value === value}
            onChange={() => onValue(choice.value)}
            aria-describedby={choice.hint ? `${id}-${choice.value}-hint` : undefined}
          />
          <label for={`${id}-${choice.value}`}>{choice.label}</label>
          {choice.hint && <p class="hint" id={`${id}-${choice.value}-hint`}>{choice.hint}</p>}
        </div>
      ))}
    </fieldset>
  );
}

/** One of several, in a list that opens. */
export function Select<Value extends string>(
  { legend, choices, value, onValue, hint }: ChoicesProps<Value> & { hint?: ComponentChildren },
) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{legend}</label>
      <select
        id={id}
        value={value}
        onChange={(event) => onValue(event.currentTarget.value as Value)}
        aria-describedby={hint ? `${id}-hint` : undefined}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>{choice.label}</option>
        ))}
      </select>
      {hint && <p class="hint" id={`${id}-hint`}>{hint}</p>}
    </div>
  );
}
