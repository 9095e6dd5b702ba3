import { type Signal, useSignal } from "@preact/signals";
import type { Answer } from "../api/api-client.js";
import { localProblem } from "../api/problem.js";
import type { TypeFigures } from "../api/wire.js";
import { AskingDialog } from "../session/asking-dialog.js";
import { api } from "../session/session.js";
import { durationOf } from "../tasks/task-draft.js";
import { durationInput } from "../time/exact.js";
import { FormField } from "../ui/form-field.js";
import { toast } from "../ui/toast.js";
import { changeText } from "./type-words.js";

const most = 10_000;

/** Asks how many tasks of a type each node is to run at once, and how long those that have ended are kept. */
export function TypeSettingsDialog({ figures, onClose }: { figures: TypeFigures; onClose: () => void }) {
  const { type, settings } = figures;
  const concurrency = useSignal(settings.concurrency === null ? "" : String(settings.concurrency));
  const keepSucceeded = useSignal(lengthText(settings.keepSucceeded));
  const keepDead = useSignal(lengthText(settings.keepDead));
  const send = async (): Promise<Answer<unknown>> => {
    const text = concurrency.value.trim();
    const isNumber = /^[1-9]\d{0,4}$/.test(text) && Number(text) <= most;
    if (text !== "" && !isNumber)
      return { ok: false, problem: localProblem("Not sent", "Give a whole number from 1 to 10,000, or nothing.") };
    const answer = await api.settings.updateType(type, {
      concurrency: text === "" ? null : Number(text),
      keepSucceeded: durationOrNull(keepSucceeded.value),
      keepDead: durationOrNull(keepDead.value),
    });
    if (answer.ok) toast(changeText("Set.", answer.value));
    return answer;
  };
  return (
    <AskingDialog title={`Settings of ${type}`} confirm="Set" send={send} onSent={onClose} onClose={onClose}>
      <TextField
        label="At once on each node"
        hint="1 to 10,000; empty: as its handler says, else the node. What runs beyond it goes on to its end."
        typed={concurrency}
      />
      <TextField
        label="Keep succeeded tasks for"
        hint="From 1h on, such as 7d; empty: as long as all others. 0: not at all, so such a task cannot be found after its end, and runs of schedules do not tell how they ended."
        typed={keepSucceeded}
      />
      <TextField
        label="Keep dead tasks for"
        hint="From 1h on, such as 30d; empty: as long as all others. What is gone cannot be retried."
        typed={keepDead}
      />
    </AskingDialog>
  );
}

function TextField({ label, hint, typed }: { label: string; hint: string; typed: Signal<string> }) {
  return (
    <FormField
      label={label}
      hint={hint}
      control={(control) => (
        <input
          {...control}
          value={typed.value}
          autocomplete="off"
          onInput={(event) => (typed.value = event.currentTarget.value)}
        />
      )}
    />
  );
}

const lengthText = (lengthMs: number | null): string => (lengthMs === null ? "" : durationInput(lengthMs));

function durationOrNull(typed: string): number | string | null {
  return typed.trim() === "" ? null : durationOf(typed);
}
