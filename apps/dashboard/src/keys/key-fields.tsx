import { type Role, roles } from "../api/wire.js";
import { mayAs } from "../session/session.js";
import { FormField } from "../ui/form-field.js";

/** A role, of those that the caller may give. */
export function RoleField({ role, onChange }: { role: Role; onChange: (role: Role) => void }) {
  return (
    <FormField
      label="Role"
      hint="A viewer reads; an operator also changes tasks, types and schedules; an admin also manages keys and limits."
      control={(control) => (
        <select
          {...control}
          value={role}
          onChange={(event) => onChange(roles.find((one) => one === event.currentTarget.value) ?? role)}
        >
          {roles.filter(mayAs).map((one) => (
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
  role: Role;
  payload: boolean;
  onChange: (payload: boolean) => void;
}

/** The right `payload`, for those that do not see payloads by their role. */
export function PayloadField({ role, payload, onChange }: PayloadFieldProps) {
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
