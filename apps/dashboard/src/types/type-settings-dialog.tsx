import { type Signal, useSignal } from "@preact/signals";
import type { Answer } from "../api/api-client.js";
import { localProblem } from "../api/problem.js";
import type { TypeFigures } from "../api/wire.js";
import { AskingDialog } from "../session/asking-dialog.js";
import { api } from "../session/session.js";
import { FormField } from "../ui/form-field.js";
import { toast } from "../ui/toast.js";
import { draftOf, readDraft, type TypeSettingsDraft } from "./type-settings-draft.js";
import { changeText } from "./type-words.js";

interface SettingField {
  readonly name: keyof TypeSettingsDraft;
  readonly label: string;
  readonly hint: string;
}

const concurrency: SettingField = {
  name: "concurrency",
  label: "At once on each node",
  hint: "1 to 10,000; empty: as its handler says, else the node. What runs beyond it goes on to its end.",
};
const maxRunning: SettingField = {
  name: "maxRunning",
  label: "At once in the whole cluster",
  hint: "1 to 1,000; empty: as many as there is room for. Never more run; beyond a lowered limit what runs goes on to its end.",
};
const count: SettingField = {
  name: "count",
  label: "Starts in the whole cluster",
  hint: "1 to 1,000,000; empty: as often as they are due.",
};
const per: SettingField = { name: "per", label: "In", hint: "Up to 1d, such as 1s or 15m." };
const burst: SettingField = {
  name: "burst",
  label: "At once after a rest",
  hint: "1 to 1,000,000; empty: as many as may start in a second.",
};
const keepSucceeded: SettingField = {
  name: "keepSucceeded",
  label: "Keep succeeded tasks for",
  hint: "From 1h on, such as 7d; empty: as long as all others. 0: not at all, so such a task cannot be found after its end, and runs of schedules do not tell how they ended.",
};
const keepDead: SettingField = {
  name: "keepDead",
  label: "Keep dead tasks for",
  hint: "From 1h on, such as 30d; empty: as long as all others. What is gone cannot be retried.",
};

/** Asks what a type may do: how many run, how often they start, and how long those that have ended are kept. */
export function TypeSettingsDialog({ figures, onClose }: { figures: TypeFigures; onClose: () => void }) {
  const { type } = figures;
  const draft = useSignal(draftOf(figures));
  const send = async (): Promise<Answer<unknown>> => {
    const reading = readDraft(draft.value);
    if (!reading.ok) return { ok: false, problem: localProblem("Not sent", reading.why) };
    const answer = await api.settings.updateType(type, reading.body);
    if (answer.ok) toast(changeText("Set.", answer.value));
    return answer;
  };
  const fieldOf = (field: SettingField) => <DraftField key={field.name} field={field} draft={draft} />;
  return (
    <AskingDialog title={`Settings of ${type}`} confirm="Set" send={send} onSent={onClose} onClose={onClose}>
      {[concurrency, maxRunning].map(fieldOf)}
      <div class="grid-2">{[count, per].map(fieldOf)}</div>
      {[burst, keepSucceeded, keepDead].map(fieldOf)}
    </AskingDialog>
  );
}

function DraftField({ field, draft }: { field: SettingField; draft: Signal<TypeSettingsDraft> }) {
  const { name, label, hint } = field;
  return (
    <FormField
      label={label}
      hint={hint}
      control={(control) => (
        <input
          {...control}
          value={draft.value[name]}
          autocomplete="off"
          onInput={(event) => (draft.value = { ...draft.value, [name]: event.currentTarget.value })}
        />
      )}
    />
  );
}
