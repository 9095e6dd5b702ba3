import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

/** What a control needs to belong to its label, hint and error. */
export interface FieldControl {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": boolean;
}

interface FormFieldProps {
  label: string;
  hint?: string;
  error?: string;
  control: (control: FieldControl) => ComponentChildren;
}

export function FormField({ label, hint, error, control }: FormFieldProps) {
  const id = useId();
  const note = error ?? hint;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {control({ id, "aria-describedby": note ? `${id}-note` : undefined, "aria-invalid": error !== undefined })}
      {note && (
        <p id={`${id}-note`} class={error ? "hint ink is-dead" : "hint"}>
          {note}
        </p>
      )}
    </div>
  );
}
