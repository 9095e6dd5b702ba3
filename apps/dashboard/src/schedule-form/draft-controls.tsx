import type { ComponentProps } from "preact";
import { DraftInput, type Drafted, faultAt } from "../ui/draft-input.js";
import { FormField } from "../ui/form-field.js";
import { fieldNames } from "./field-names.js";
import type { ScheduleDraft } from "./schedule-draft.js";

export type DraftFieldsProps = Drafted<ScheduleDraft>;

type NamedInputProps = Omit<ComponentProps<typeof DraftInput<ScheduleDraft>>, "label">;

/** An input of the form under the name that its field has. */
export function NamedInput(props: NamedInputProps) {
  return <DraftInput<ScheduleDraft> {...props} label={fieldNames[props.name]} />;
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
