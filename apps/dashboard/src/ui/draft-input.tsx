import { useId } from "preact/hooks";
import type { FieldFault } from "../api/problem.js";
import { FormField } from "./form-field.js";

/** A form's draft, what is wrong with it, and what takes a change of it. */
export interface Drafted<Draft> {
  draft: Draft;
  faults: readonly FieldFault[];
  onChange: (fields: Partial<Draft>) => void;
}

/** The form's field that a path of the API points into: `payload.items[0]`, `/payload/items/0` → `payload`. */
export function fieldOf(path: string): string {
  return path.replace(/^[/.$]+/, "").split(/[/.[]/, 1)[0] ?? "";
}

/** What is wrong with a field; undefined: nothing. */
export function faultAt(name: string, faults: readonly FieldFault[]): string | undefined {
  const details = faults.filter(({ path }) => fieldOf(path) === name).map(({ detail }) => detail);
  return details.length === 0 ? undefined : details.join("; ");
}

/** The same, each with its path where it is about a part of the field. */
export function faultsWithin(name: string, faults: readonly FieldFault[]): string | undefined {
  const told = faults.map(({ path, detail }) => ({ path, detail: path === name ? detail : `${path} ${detail}` }));
  return faultAt(name, told);
}

/** The fields of a draft that hold a text. */
type TextOf<Draft> = { [Name in keyof Draft]: Draft[Name] extends string ? Name : never }[keyof Draft] & string;

interface DraftInputProps<Draft> extends Drafted<Draft> {
  name: TextOf<Draft>;
  label: string;
  hint: string;
  type?: "text" | "number" | "datetime-local";
  min?: number;
  max?: number;
  step?: number;
  placeholder?: string;
  /** What is offered for it. */
  choices?: readonly string[];
}

/** A line of text or a number in a form; a fault stands at it. */
export function DraftInput<Draft>(props: DraftInputProps<Draft>) {
  const { draft, faults, onChange, name, label, hint, type = "text", choices, ...range } = props;
  const list = useId();
  return (
    <FormField
      label={label}
      hint={hint}
      error={faultAt(name, faults)}
      control={(control) => (
        <>
          <input
            {...control}
            {...range}
            list={choices && list}
            // The types ask for one branch per kind of input.
            type={type as "text"}
            value={draft[name] as string}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => onChange({ [name]: event.currentTarget.value } as unknown as Partial<Draft>)}
          />
          {choices && (
            <datalist id={list}>
              {choices.map((choice) => (
                <option key={choice} value={choice} />
              ))}
            </datalist>
          )}
        </>
      )}
    />
  );
}

/** The payload of a draft, as JSON. */
export function PayloadInput<Draft extends { payload: string }>({ draft, faults, onChange }: Drafted<Draft>) {
  return (
    <FormField
      label="Payload (JSON)"
      error={faultsWithin("payload", faults)}
      control={(control) => (
        <textarea
          {...control}
          class="mono"
          rows={6}
          value={draft.payload}
          spellcheck={false}
          onInput={(event) => onChange({ payload: event.currentTarget.value } as Partial<Draft>)}
        />
      )}
    />
  );
}
