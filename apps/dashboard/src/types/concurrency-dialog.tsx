import { useSignal } from "@preact/signals";
import type { Answer } from "../api/api-client.js";
import { localProblem } from "../api/problem.js";
import type { TypeFigures } from "../api/wire.js";
import { AskingDialog } from "../session/asking-dialog.js";
import { api } from "../session/session.js";
import { FormField } from "../ui/form-field.js";
import { toast } from "../ui/toast.js";
import { changeText } from "./type-words.js";

const most = 10_000;

/** Asks how many tasks of a type each node is to run at once. */
export function ConcurrencyDialog({ figures, onClose }: { figures: TypeFigures; onClose: () => void }) {
  const { type, settings } = figures;
  const typed = useSignal(settings.concurrency === null ? "" : String(settings.concurrency));
  const send = async (): Promise<Answer<unknown>> => {
    const text = typed.value.trim();
    const isNumber = /^[1-9]\d{0,4}$/.test(text) && Number(text) <= most;
    if (text !== "" && !isNumber)
      return { ok: false, problem: localProblem("Not sent", "Give a whole number from 1 to 10,000, or nothing.") };
    const answer = await api.settings.updateType(type, text === "" ? null : Number(text));
    if (answer.ok) toast(changeText("Set.", answer.value));
    return answer;
  };
  return (
    <AskingDialog title={`Settings of ${type}`} confirm="Set" send={send} onSent={onClose} onClose={onClose}>
      <p>What runs beyond it goes on to its end.</p>
      <FormField
        label="At once on each node"
        hint="1 to 10,000; empty: as its handler says, else the node"
        control={(control) => (
          <input
            {...control}
            value={typed.value}
            inputMode="numeric"
            autocomplete="off"
            onInput={(event) => (typed.value = event.currentTarget.value)}
          />
        )}
      />
    </AskingDialog>
  );
}
