import { conflictPolicies, type ConflictPolicy } from "../api/wire.js";
import { ownZone } from "../time/zone.js";
import { DraftInput, type Drafted, faultAt, PayloadInput } from "../ui/draft-input.js";
import { FormField } from "../ui/form-field.js";
import { type KnownType, SchemaFields } from "./schema-fields.js";
import { newIdempotencyKey, takesMaxWait, takesReducers, type TaskDraft } from "./task-draft.js";

interface DraftFieldsProps extends Drafted<TaskDraft> {
  /** What is known of the draft's type; null: nothing. */
  details: KnownType | null;
  /** Those that there are; null: that is not known yet. */
  types: readonly string[] | null;
}

/** A type that there is not may be a slip of the pen. */
function typeHint({ draft, types }: DraftFieldsProps): string {
  const type = draft.type.trim();
  if (type === "" || types === null || types.includes(type)) return "For example order.cancel";
  return "No task of this type is known, and no node runs it: look at its spelling.";
}

const placeholderOf = (value: number | undefined): string | undefined => (value === undefined ? undefined : `${value}`);

const policyTexts: Record<ConflictPolicy, string> = {
  reject: "reject: answer with a conflict",
  return: "return: answer with the live task",
  replace: "replace: cancel the live task",
  refresh: "refresh: move the live task",
  merge: "merge: add to the live task and move it",
};

/** The fields of the form; a fault stands at the field that its path points into. */
export function DraftFields(props: DraftFieldsProps) {
  const { onChange, details, types } = props;
  const { maxAttempts, priority } = details?.defaults ?? {};
  return (
    <>
      <DraftInput {...props} name="type" label="Type" hint={typeHint(props)} choices={types ?? []} />
      <PayloadInput {...props} />
      <SchemaFields details={details} onExample={(payload) => onChange({ payload })} />
      <WhenFields {...props} />
      <div class="fields-2">
        <DraftInput {...props} name="key" label="Key" hint="At most one live task has it" />
        <PolicyField {...props} />
        <DraftInput
          {...props}
          name="priority"
          label="Priority"
          hint="0 first … 9 last; empty: as its type says"
          type="number"
          min={0}
          max={9}
          placeholder={placeholderOf(priority)}
        />
        <DraftInput
          {...props}
          name="maxAttempts"
          label="Attempts"
          hint="At most; empty: as its type says"
          type="number"
          min={1}
          placeholder={placeholderOf(maxAttempts)}
        />
      </div>
      <MergeFields {...props} />
      <DraftInput
        {...props}
        name="startDeadline"
        label="Starts within"
        hint="For example 5m from its time, else it expires; empty: however late"
      />
      <DraftInput {...props} name="tags" label="Tags" hint="For example shop:7, vip; lists can be filtered by them" />
      <IdempotencyKeyFields {...props} />
    </>
  );
}

function IdempotencyKeyFields(props: DraftFieldsProps) {
  return (
    <>
      <DraftInput
        {...props}
        name="idempotencyKey"
        label="Idempotency key"
        hint="Sent again with the same task, it creates nothing twice"
      />
      <button type="button" class="tiny" onClick={() => props.onChange({ idempotencyKey: newIdempotencyKey() })}>
        Another idempotency key
      </button>
    </>
  );
}

function PolicyField({ draft, faults, onChange }: DraftFieldsProps) {
  const hasKey = draft.key !== "";
  return (
    <FormField
      label="If the key is taken"
      error={faultAt("onConflict", faults)}
      hint={hasKey ? undefined : "Needs a key"}
      control={(control) => (
        <select
          {...control}
          value={draft.onConflict}
          disabled={!hasKey}
          onChange={(event) => onChange({ onConflict: event.currentTarget.value as ConflictPolicy })}
        >
          {conflictPolicies.map((policy) => (
            <option key={policy} value={policy}>
              {policyTexts[policy]}
            </option>
          ))}
        </select>
      )}
    />
  );
}

/** What only some policies take. */
function MergeFields(props: DraftFieldsProps) {
  const { draft } = props;
  return (
    <div class="fields-2">
      {takesReducers(draft) && (
        <DraftInput
          {...props}
          name="merge"
          label="Reducers"
          hint="For example bytes: add, files: append (or JSON); also max, min, and replace, as of all other fields"
        />
      )}
      {takesMaxWait(draft) && (
        <DraftInput {...props} name="maxWait" label="Waits at most" hint="From the task's creation; empty: no bound" />
      )}
    </div>
  );
}

const choices: readonly { readonly when: TaskDraft["when"]; readonly text: string }[] = [
  { when: "now", text: "Now" },
  { when: "delay", text: "After a delay" },
  { when: "scheduledAt", text: "At a local time" },
];

function WhenFields(props: DraftFieldsProps) {
  const { draft, onChange } = props;
  const timeZone = ownZone();
  return (
    <fieldset>
      <legend>Runs</legend>
      <div class="choices">
        {choices.map(({ when, text }) => (
          <label key={when} class="check">
            <input type="radio" name="when" checked={draft.when === when} onChange={() => onChange({ when })} /> {text}
          </label>
        ))}
      </div>
      {draft.when === "delay" && (
        <DraftInput {...props} name="delay" label="Delay" hint="15m, 1h30m, PT15M, or milliseconds" />
      )}
      {draft.when === "scheduledAt" && (
        <DraftInput {...props} name="scheduledAt" label="Time" hint={timeZone} type="datetime-local" step={1} />
      )}
    </fieldset>
  );
}
