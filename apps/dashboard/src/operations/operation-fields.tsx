import type { OperationAction } from "../api/wire.js";
import { ownZone } from "../time/zone.js";
import { FormField } from "../ui/form-field.js";
import { isPaced, isTagging, type OperationDraft } from "./operation-question.js";

interface OperationFieldsProps {
  action: OperationAction;
  draft: OperationDraft;
  onChange: (change: Partial<OperationDraft>) => void;
}

/** What the action takes besides the tasks. */
export function OperationFields({ action, draft, onChange }: OperationFieldsProps) {
  return (
    <>
      {action === "reschedule" && <MoveFields draft={draft} onChange={onChange} />}
      {isTagging(action) && (
        <TextField label="Tag" value={draft.tag} onInput={(tag) => onChange({ tag })} hint="1 to 64 characters" />
      )}
      {action === "restore" && (
        <label class="check">
          <input
            type="checkbox"
            checked={draft.includeOverdue}
            onInput={(event) => onChange({ includeOverdue: event.currentTarget.checked })}
          />{" "}
          Also those whose time has passed: they run now
        </label>
      )}
      {isPaced(action) && <PaceFields draft={draft} onChange={onChange} />}
    </>
  );
}

type FieldsProps = Omit<OperationFieldsProps, "action">;

function MoveFields({ draft: { move, at, by }, onChange }: FieldsProps) {
  return (
    <>
      <FormField
        label="When"
        control={(control) => (
          <select
            {...control}
            value={move}
            onChange={(event) => onChange({ move: event.currentTarget.value === "at" ? "at" : "by" })}
          >
            <option value="by">Later than they are due</option>
            <option value="at">At a time</option>
          </select>
        )}
      />
      {move === "by" ? (
        <TextField
          label="By how much"
          value={by}
          onInput={(text) => onChange({ by: text })}
          hint="Such as 15m or 2h; -15m is earlier, but never in the past"
        />
      ) : (
        <FormField
          label="Time"
          hint={ownZone()}
          control={(control) => (
            <input
              {...control}
              type="datetime-local"
              value={at}
              onInput={(event) => onChange({ at: event.currentTarget.value })}
            />
          )}
        />
      )}
    </>
  );
}

function PaceFields({ draft: { rate, stopAt }, onChange }: FieldsProps) {
  return (
    <div class="grid-2">
      <TextField
        label="Tasks a second"
        hint="Empty: as fast as it goes"
        value={rate}
        isNumber
        onInput={(text) => onChange({ rate: text })}
      />
      <TextField
        label="Stop when so many % fail again"
        hint="Of the 200 changed last; only with a pace"
        value={stopAt}
        isNumber
        onInput={(text) => onChange({ stopAt: text })}
      />
    </div>
  );
}

interface TextFieldProps {
  label: string;
  hint?: string;
  value: string;
  isNumber?: boolean;
  onInput: (text: string) => void;
}

export function TextField({ label, hint, value, isNumber = false, onInput }: TextFieldProps) {
  return (
    <FormField
      label={label}
      {...(hint !== undefined && { hint })}
      control={(control) => (
        <input
          {...control}
          inputMode={isNumber ? "decimal" : "text"}
          autocomplete="off"
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    />
  );
}
