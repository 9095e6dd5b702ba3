import { type ApiKeyRole, roles } from "../api/wire.js";
import { type Drafted, faultsWithin } from "../ui/draft-input.js";
import { FormField } from "../ui/form-field.js";

/** A role: a user who manages keys may give all of them. */
export function RoleField({ role, onChange }: { role: ApiKeyRole; onChange: (role: ApiKeyRole) => void }) {
  return (
    <FormField
      label="Role"
      hint="A viewer reads; an operator also changes tasks, types and schedules; an admin also manages keys and limits. A worker claims tasks of its types, and nothing else."
      control={(control) => (
        <select
          {...control}
          value={role}
          onChange={(event) => onChange(roles.find((one) => one === event.currentTarget.value) ?? role)}
        >
          {roles.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      )}
    />
  );
}

interface CheckProps {
  text: string;
  isChecked: boolean;
  /** Default false. */
  isDisabled?: boolean;
  onChange: (isChecked: boolean) => void;
}

export function Check({ text, isChecked, isDisabled = false, onChange }: CheckProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isChecked}
        disabled={isDisabled}
        onInput={(event) => onChange(event.currentTarget.checked)}
      />{" "}
      {text}
    </label>
  );
}

interface PayloadFieldProps {
  role: ApiKeyRole;
  payload: boolean;
  onChange: (payload: boolean) => void;
}

/** The right `payload`, for those that do not see payloads by their role. A worker may not have it. */
export function PayloadField({ role, payload, onChange }: PayloadFieldProps) {
  if (role === "worker") return null;
  const isAdmin = role === "admin";
  return (
    <Check
      text={isAdmin ? "Sees payloads: an admin does anyway" : "Sees payloads, results and checkpoints, not their shape"}
      isChecked={!isAdmin && payload}
      isDisabled={isAdmin}
      onChange={onChange}
    />
  );
}

/** The types whose tasks a worker may claim; of another role nothing. */
export function TypesField<Draft extends { types: string }>(props: Drafted<Draft> & { role: ApiKeyRole }) {
  const { role, draft, faults, onChange } = props;
  if (role !== "worker") return null;
  return (
    <FormField
      label="Types"
      hint="Whose tasks it may claim, 1 to 100, one on a line; image.* stands for all that begin with image."
      error={faultsWithin("types", faults)}
      control={(control) => (
        <textarea
          {...control}
          class="mono"
          rows={3}
          value={draft.types}
          spellcheck={false}
          onInput={(event) => onChange({ types: event.currentTarget.value } as Partial<Draft>)}
        />
      )}
    />
  );
}
