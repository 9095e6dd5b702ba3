import { useSignal } from "@preact/signals";
import type { Answer } from "../api/api-client.js";
import { prettyJson } from "../api/json.js";
import { localProblem } from "../api/problem.js";
import type { Schedule } from "../api/wire.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import { payloadOf } from "../tasks/task-draft.js";
import { FormField } from "../ui/form-field.js";
import { toast } from "../ui/toast.js";
import { AskingDialog } from "../session/asking-dialog.js";

interface TriggerDialogProps {
  api: TickwheelApi;
  schedule: Schedule;
  onClose: () => void;
}

/**
 * Runs it once, now, with its payload or another. A user who sees its shape alone leaves it as it is, or gives another.
 */
export function TriggerDialog({
  api,
  schedule: { name, payload, payloadMasked, overlap },
  onClose,
}: TriggerDialogProps) {
  const text = useSignal(payloadMasked ? "" : prettyJson(payload));
  const send = (): Promise<Answer<unknown>> | Answer<unknown> => {
    const isSame = payloadMasked === true && text.value.trim() === "";
    const { value, errors } = isSame ? { value: undefined, errors: [] } : payloadOf(text.value);
    if (errors.length > 0) return { ok: false, problem: localProblem("Not sent", null, errors) };
    return api.schedules.trigger(name, value);
  };
  const onSent = (): void => {
    toast("Triggered: it starts as soon as a node is free.");
    onClose();
  };
  return (
    <AskingDialog send={send} onSent={onSent} onClose={onClose} title={`Trigger ${name} now?`} confirm="Trigger now">
      <p>
        {overlap === "allow"
          ? "It runs once, beside whatever runs."
          : "It runs once. What it has planned is planned anew when this run has ended."}
      </p>
      <FormField
        label="Payload (JSON)"
        hint={payloadMasked ? "For this run alone; empty: its own" : "For this run alone"}
        control={(control) => (
          <textarea
            {...control}
            class="mono"
            rows={6}
            value={text.value}
            spellcheck={false}
            onInput={(event) => (text.value = event.currentTarget.value)}
          />
        )}
      />
    </AskingDialog>
  );
}
