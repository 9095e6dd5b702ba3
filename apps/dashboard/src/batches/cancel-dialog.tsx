import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Batch } from "../api/wire.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import { AskingDialog } from "../session/asking-dialog.js";
import { FormField } from "../ui/form-field.js";
import { toast } from "../ui/toast.js";
import { typedBefore } from "./batch-actions.js";
import { batchName, cancelQuestion } from "./batch-words.js";

interface CancelDialogProps {
  api: TickwheelApi;
  batch: Batch;
  onClose: () => void;
}

/** Asks before it cancels; where it reaches many, their number as it was when it opened is typed. */
export function CancelDialog({ api, batch, onClose }: CancelDialogProps) {
  const { question, wanted } = useMemo(() => ({ question: cancelQuestion(batch), wanted: typedBefore(batch) }), []);
  const typed = useSignal("");
  const onSent = (): void => {
    toast("Cancelled: members that have not started are taken back.");
    onClose();
  };
  return (
    <AskingDialog
      onSent={onSent}
      onClose={onClose}
      title={`Cancel ${batchName(batch)}?`}
      confirm="Cancel batch"
      isDanger
      isReady={wanted === null || typed.value.replace(/[,\s]/g, "") === wanted}
      send={() => api.batches.cancel(batch.id)}
    >
      <p>{question}</p>
      {wanted !== null && (
        <FormField
          label="Number of live members"
          hint={`Type ${wanted} to go on`}
          control={(control) => (
            <input
              {...control}
              inputMode="numeric"
              value={typed.value}
              autocomplete="off"
              onInput={(event) => (typed.value = event.currentTarget.value)}
            />
          )}
        />
      )}
    </AskingDialog>
  );
}
