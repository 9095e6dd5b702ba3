import { folds, gaps, misfires, overlaps, resumes } from "../api/wire.js";
import { PayloadInput } from "../ui/draft-input.js";
import { cronWords } from "../schedules/cron-words.js";
import { DraftCheck, DraftSelect, NamedInput, type DraftFieldsProps } from "./draft-controls.js";
import { fieldNames } from "./field-names.js";
import { policyWords } from "../schedules/rule-words.js";
import type { ScheduleDraft } from "./schedule-draft.js";

interface ScheduleFieldsProps extends DraftFieldsProps {
  /** A schedule that there is keeps its name. */
  isNew: boolean;
}

/** The fields of the form; a fault stands at the field that its path points into. */
export function ScheduleFields({ isNew, ...props }: ScheduleFieldsProps) {
  return (
    <>
      <div class="fields-2">
        {isNew && <NamedInput {...props} name="name" hint="For example orders.settle; it stays" />}
        <NamedInput {...props} name="type" hint="Of the tasks that it creates" />
      </div>
      <WhenFields {...props} />
      <PayloadInput {...props} />
      <PolicyFields {...props} />
      <TaskFields {...props} />
    </>
  );
}

const choices: readonly { readonly when: ScheduleDraft["when"]; readonly text: string }[] = [
  { when: "cron", text: "By the clock" },
  { when: "every", text: "At a fixed rate" },
  { when: "after", text: "After the last end" },
];

function WhenFields(props: DraftFieldsProps) {
  const { draft, onChange } = props;
  return (
    <fieldset>
      <legend>{fieldNames.when}</legend>
      <div class="choices">
        {choices.map(({ when, text }) => (
          <label key={when} class="check">
            <input type="radio" name="when" checked={draft.when === when} onChange={() => onChange({ when })} /> {text}
          </label>
        ))}
      </div>
      {draft.when === "cron" && <NamedInput {...props} name="cron" hint={cronHint(draft.cron)} />}
      {draft.when === "every" && <NamedInput {...props} name="every" hint="15m, 1h30m, PT15M, or milliseconds" />}
      {draft.when === "after" && <NamedInput {...props} name="after" hint="10m, 1h30m, PT10M, or milliseconds" />}
      <div class="fields-2">
        <NamedInput {...props} name="timeZone" hint="Of the expression and of the days that are left out" />
        <NamedInput {...props} name="exclude" hint="For example 2026-12-24, 2026-12-25" />
        <NamedInput {...props} name="startsAt" hint="With its offset: 2026-12-01T00:00:00Z; empty: now" />
        <NamedInput {...props} name="endsAt" hint="From then on nothing runs; empty: never" />
      </div>
    </fieldset>
  );
}

/** The expression in words, as it is typed. */
function cronHint(cron: string): string {
  const fields = "5 fields, or 6 with the seconds first";
  const words = cronWords(cron);
  return words === null ? fields : `${words}; ${fields}`;
}

/** What only a clock or a rate has is left out of a delay: one run at a time comes of it by itself. */
function PolicyFields(props: DraftFieldsProps) {
  const { when, misfire } = props.draft;
  return (
    <fieldset>
      <legend>Rules</legend>
      <div class="fields-2">
        {when !== "after" && <DraftSelect {...props} name="misfire" choices={misfires} words={policyWords.misfires} />}
        {when !== "after" && misfire === "all" && (
          <NamedInput {...props} name="limit" hint="1 to 1,000; empty: 100" type="number" min={1} />
        )}
        {when !== "after" && <DraftSelect {...props} name="overlap" choices={overlaps} words={policyWords.overlaps} />}
        <DraftSelect {...props} name="onResume" choices={resumes} words={policyWords.resumes} />
        {when === "cron" && <DraftSelect {...props} name="gap" choices={gaps} words={policyWords.gaps} />}
        {when === "cron" && <DraftSelect {...props} name="fold" choices={folds} words={policyWords.folds} />}
        <NamedInput {...props} name="jitter" hint="For example 2m; empty: not at all" />
        <NamedInput {...props} name="catchUpLimit" hint="For example 6h; empty: without a limit" />
        <NamedInput {...props} name="startDeadline" hint="For example 5m; empty: however late" />
        <NamedInput {...props} name="pauseAfterFailures" hint="In a row; empty: never" type="number" min={1} />
      </div>
      <DraftCheck {...props} name="holdForRetry" />
    </fieldset>
  );
}

function TaskFields(props: DraftFieldsProps) {
  return (
    <fieldset>
      <legend>Its tasks</legend>
      <div class="fields-2">
        <NamedInput
          {...props}
          name="priority"
          hint="0 first … 9 last; empty: the type's"
          type="number"
          min={0}
          max={9}
        />
        <NamedInput {...props} name="maxAttempts" hint="At most; empty: the type's" type="number" min={1} />
        <NamedInput {...props} name="timeout" hint="Of an attempt, for example 90s; empty: the type's" />
        <NamedInput {...props} name="tags" hint="For example shop:7, vip" />
      </div>
    </fieldset>
  );
}
