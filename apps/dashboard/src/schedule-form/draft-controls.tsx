import type { FieldFault } from "../api/problem.js";
import { fieldOf } from "../tasks/task-draft.js";
import { FormField } from "../ui/form-field.js";
import { fieldNames } from "./field-names.js";
import type { DraftField, ScheduleDraft } from "./schedule-draft.js";

export interface DraftFieldsProps {
  draft: ScheduleDraft;
  faults: readonly FieldFault[];
  onChange: (fields: Partial<ScheduleDraft>) => void;
}

/** What is wrong with a field; undefined: nothing. */
export function faultAt(name: DraftField, faults: readonly FieldFault[]): string | undefined {
  const details = faults.filter(({ path }) => fieldOf(path) === name).map(({ detail }) => detail);
  return details.length === 0 ? undefined : details.join("; ");
}

interface DraftInputProps extends DraftFieldsProps {
  name: Exclude<DraftField, "holdForRetry">;
  hint: string;
  type?: "text" | "number";
  min?: number;
  max?: number;
}

export function DraftInput({ draft, faults, onChange, name, hint, type = "text", ...range }: DraftInputProps) {
  return (
    <FormField
      label={fieldNames[name]}
      hint={hint}
      error={faultAt(name, faults)}
      control={(control) => (
        <input
          {...control}
          {...range}
          // The types ask for one branch per kind of input.
          type={type as "text"}
          value={draft[name]}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => onChange({ [name]: event.currentTarget.value })}
        />
      )}
    />
  );
}

interface DraftSelectProps extends DraftFieldsProps {
  name: "misfire" | "overlap" | "onResume" | "gap" | "fold";
  choices: readonly string[];
  /** What each choice does. */
  words: Readonly<Record<string, string>>;
}

export function DraftSelect({ draft, faults, onChange, name, choices, words }: DraftSelectProps) {
  return (
    <FormField
      label={fieldNames[name]}
      error={faultAt(name, faults)}
      control={(control) => (
        <select {...control} value={draft[name]} onChange={(event) => onChange({ [name]: event.currentTarget.value })}>
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}: {words[choice]}
            </option>
          ))}
        </select>
      )}
    />
  );
}

export function DraftCheck({ draft, onChange, name }: DraftFieldsProps & { name: "holdForRetry" }) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={draft[name]}
        onChange={(event) => onChange({ [name]: event.currentTarget.checked })}
      />{" "}
      {fieldNames[name]}
    </label>
  );
}
