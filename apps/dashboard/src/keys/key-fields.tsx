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
  onChange: (isChecked: boolean) => void;
}

export function Check({ text, isChecked, onChange }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={isChecked} onInput={(event) => onChange(event.currentTarget.checked)} /> {text}
    </label>
  );
}
