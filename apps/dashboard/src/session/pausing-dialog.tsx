import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { Answer } from "../api/api-client.js";
import { localProblem } from "../api/problem.js";
import type { PauseBody } from "../api/setting-api.js";
import { ownZone } from "../time/zone.js";
import { FormField } from "../ui/form-field.js";
import { AskingDialog } from "./asking-dialog.js";

interface PausingDialogProps<Value> {
  title: string;
  /** What the button that goes on says. */
  confirm: string;
  pause: (body: PauseBody) => Promise<Answer<Value>>;
  onPaused: (value: Value) => void;
  onClose: () => void;
  /** What a pause does. */
  children: ComponentChildren;
}

/** Asks why something is paused, which everybody is told, and until when. */
export function PausingDialog<Value>({ pause, onPaused, children, ...dialog }: PausingDialogProps<Value>) {
  const reason = useSignal("");
  const until = useSignal("");
  const send = async (): Promise<Answer<unknown>> => {
    const body = pauseBody(reason.value, until.value);
    if (!body)
      return { ok: false, problem: localProblem("Not sent", "Say why: it is shown to those who look at it later.") };
    const answer = await pause(body);
    if (answer.ok) onPaused(answer.value);
    return answer;
  };
  return (
    <AskingDialog {...dialog} send={send} onSent={dialog.onClose}>
      {children}
      <FormField
        label="Reason"
        control={(control) => (
          <input
            {...control}
            value={reason.value}
            autocomplete="off"
            maxLength={1_000}
            onInput={(event) => (reason.value = event.currentTarget.value)}
          />
        )}
      />
      <FormField
        label="Until"
        hint={`${ownZone()}; empty: until somebody resumes it`}
        control={(control) => (
          <input
            {...control}
            type="datetime-local"
            value={until.value}
            onInput={(event) => (until.value = event.currentTarget.value)}
          />
        )}
      />
    </AskingDialog>
  );
}

/** Null: there is no reason. */
function pauseBody(typed: string, until: string): PauseBody | null {
  const reason = typed.trim();
  if (reason === "") return null;
  return Number.isNaN(Date.parse(until)) ? { reason } : { reason, until: new Date(until).toISOString() };
}
