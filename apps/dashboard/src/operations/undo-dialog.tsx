import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import type { OperationDetails, TaskOperation } from "../api/wire.js";
import { AskingDialog } from "../session/asking-dialog.js";
import { formatCount, formatNumberOf } from "../time/format.js";
import { toast } from "../ui/toast.js";
import { TextField } from "./operation-fields.js";
import { nameOf } from "./operation-words.js";

interface UndoDialogProps {
  api: TickwheelApi;
  operation: TaskOperation;
  onClose: () => void;
  onChanged: () => void;
}

/** Asks before an operation is undone: what that would reach now, and what becomes of tasks that came due since. */
export function UndoDialog({ api, operation, onClose, onChanged }: UndoDialogProps) {
  const reach = useReach(api, operation.id);
  const runsOverdue = useSignal(false);
  const reason = useSignal("");
  const send = () =>
    api.operations.undo(operation.id, {
      overdue: runsOverdue.value ? "run" : "leave",
      ...(reason.value.trim() !== "" && { reason: reason.value.trim() }),
    });
  const onSent = (): void => {
    toast("It is being undone. What could not be put back is told when it is over.");
    onChanged();
    onClose();
  };
  return (
    <AskingDialog
      send={send}
      onSent={onSent}
      onClose={onClose}
      title={`Undo: ${nameOf(operation)}?`}
      confirm="Undo"
      isDanger
    >
      <p>Each task is put back as it was, unless somebody has touched it since, or it runs, or has run.</p>
      {reach && (
        <p>
          Of the newest {formatNumberOf(reach.lookedAt, "task")} that it has changed {formatCount(reach.reachable)} can
          be put back now; {formatCount(reach.due)} of these would have come due since.
        </p>
      )}
      <label class="check">
        <input
          type="checkbox"
          checked={runsOverdue.value}
          onInput={(event) => (runsOverdue.value = event.currentTarget.checked)}
        />{" "}
        Also put back what would have come due since: it runs now
      </label>
      <TextField label="Reason (goes to the audit)" value={reason.value} onInput={(text) => (reason.value = text)} />
    </AskingDialog>
  );
}

/** What an undo would find now; null: that is not known yet. */
function useReach(api: TickwheelApi, id: string): OperationDetails["undoReach"] {
  const reach = useSignal<OperationDetails["undoReach"]>(null);
  useEffect(() => {
    void api.operations.get(id).then((answer) => answer.ok && (reach.value = answer.value.undoReach));
  }, [id]);
  return reach.value;
}
