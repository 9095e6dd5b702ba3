import { type Signal, useSignal } from "@preact/signals";
import type { Answer } from "../api/api-client.js";
import { localProblem } from "../api/problem.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import type { Task } from "../api/wire.js";
import { AskingDialog } from "../session/asking-dialog.js";
import { Instant } from "../time/instant.js";
import { FormField } from "../ui/form-field.js";
import { toast } from "../ui/toast.js";

interface RescheduleProps {
  api: TickwheelApi;
  task: Task;
  onClose: () => void;
  onDone: () => void;
}

/** Moves a task that waits. If somebody else has changed it since, the answer says so and the form stays. */
export function RescheduleDialog({ api, task, onClose, onDone }: RescheduleProps) {
  const when = useSignal<"delay" | "at">("delay");
  const text = useSignal("15m");
  const send = (): Promise<Answer<unknown>> | Answer<unknown> => {
    const change = changeOf(when.value, text.value);
    if (change === null) {
      const fault = { path: "scheduledAt", detail: "must be a date and a time" };
      return { ok: false, problem: localProblem("Not sent", null, [fault]) };
    }
    return api.reschedule(task.id, change, task.version);
  };
  const onSent = (): void => {
    toast("Rescheduled.");
    onClose();
    onDone();
  };
  return (
    <AskingDialog send={send} onSent={onSent} onClose={onClose} title="Reschedule this task" confirm="Reschedule">
      <p>
        It is due <Instant at={task.dueAt} />. Its start deadline, if it has one, moves along.
      </p>
      <FormField
        label="When"
        control={(control) => (
          <select {...control} value={when.value} onChange={(event) => choose(event.currentTarget.value)}>
            <option value="delay">In a while from now</option>
            <option value="at">At a time</option>
          </select>
        )}
      />
      {when.value === "delay" ? <DelayField text={text} /> : <TimeField text={text} />}
    </AskingDialog>
  );

  function choose(value: string): void {
    when.value = value === "at" ? "at" : "delay";
    text.value = value === "at" ? "" : "15m";
  }
}

/** Null: it is no time. */
function changeOf(when: "delay" | "at", text: string): { delay: string } | { scheduledAt: string } | null {
  if (when === "delay") return { delay: text.trim() };
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? null : { scheduledAt: at.toISOString() };
}

function DelayField({ text }: { text: Signal<string> }) {
  return (
    <FormField
      label="Delay"
      hint="Such as 15m, 1h30m or PT15M"
      control={(control) => (
        <input {...control} value={text.value} onInput={(event) => (text.value = event.currentTarget.value)} />
      )}
    />
  );
}

function TimeField({ text }: { text: Signal<string> }) {
  return (
    <FormField
      label="Time, yours"
      control={(control) => (
        <input
          {...control}
          type="datetime-local"
          value={text.value}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
      )}
    />
  );
}
