import { useSignal } from "@preact/signals";
import type { Answer } from "../api/api-client.js";
import { localProblem } from "../api/problem.js";
import type { Schedule } from "../api/wire.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import { ownZone } from "../time/zone.js";
import { FormField } from "../ui/form-field.js";
import { toast } from "../ui/toast.js";
import { AskingDialog } from "../session/asking-dialog.js";
import { policyWords } from "./rule-words.js";

interface PauseDialogProps {
  api: TickwheelApi;
  schedule: Schedule;
  onClose: () => void;
}

/** Asks why it is paused, which everybody is told, and until when. */
export function PauseDialog({ api, schedule: { name, onResume }, onClose }: PauseDialogProps) {
  const reason = useSignal("");
  const until = useSignal("");
  const send = (): Promise<Answer<unknown>> | Answer<unknown> => {
    const body = pauseBody(reason.value, until.value);
    if (!body) return { ok: false, problem: localProblem("Not sent", "Say why: whoever looks at it later is told.") };
    return api.schedules.pause(name, body);
  };
  const onSent = (): void => {
    toast("Paused.");
    onClose();
  };
  return (
    <AskingDialog {...{ send, onSent, onClose }} title={`Pause ${name}?`} confirm="Pause schedule">
      <p>What has not started is taken back, what runs goes on. After the pause: {policyWords.resumes[onResume]}.</p>
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
function pauseBody(typed: string, until: string): { reason: string; until?: string } | null {
  const reason = typed.trim();
  if (reason === "") return null;
  return Number.isNaN(Date.parse(until)) ? { reason } : { reason, until: new Date(until).toISOString() };
}
