import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Batch } from "../api/wire.js";
import type { Problem } from "../api/problem.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import { pageCommands } from "../place/commands.js";
import { whyReadOnly } from "../session/session.js";
import { ProblemView } from "../ui/problem-view.js";
import { toast } from "../ui/toast.js";
import { actionIcons, actionName, actionsFor, commandNames, type BatchAction } from "./batch-actions.js";
import { OperationDialog } from "../operations/operation-dialog.js";
import { CancelDialog } from "./cancel-dialog.js";

interface BatchButtonsProps {
  api: TickwheelApi;
  batch: Batch;
  /** Called after each answer: whatever it was, the batch may be another now. */
  onDone: () => void;
}

/** What can be done with a batch as it stands, and how the last action ended. */
export function BatchButtons({ api, batch, onDone }: BatchButtonsProps) {
  const asks = useSignal<"retry" | "cancel" | null>(null);
  const isBusy = useSignal(false);
  const problem = useSignal<Problem | null>(null);
  const actions = actionsFor(batch);
  const seal = async (): Promise<void> => {
    isBusy.value = true;
    const answer = await api.batches.seal(batch.id);
    isBusy.value = false;
    problem.value = answer.ok ? null : answer.problem;
    if (answer.ok) toast("Sealed: it completes when its members have ended.");
    onDone();
  };
  const choose = (action: BatchAction): void => {
    if (isBusy.value) return;
    problem.value = null;
    if (action === "seal") void seal();
    else asks.value = action;
  };
  useEffect(() => {
    const items = actions.map((action) => {
      return { name: commandNames[action], icon: actionIcons[action], run: () => choose(action) };
    });
    pageCommands.value = whyReadOnly.value ? [] : items;
    return () => void (pageCommands.value = []);
  }, [actions.join(), whyReadOnly.value]);
  const close = (): void => {
    asks.value = null;
    onDone();
  };
  return (
    <>
      <ActionBar batch={batch} actions={actions} isBusy={isBusy.value} onChoose={choose} />
      {problem.value && <ProblemView problem={problem.value} />}
      {asks.value === "cancel" && <CancelDialog api={api} batch={batch} onClose={close} />}
      {asks.value === "retry" && (
        <OperationDialog
          api={api}
          action="retry"
          onClose={close}
          meant={{ kind: "filter", filter: { batch: batch.id, state: ["dead"] } }}
        />
      )}
    </>
  );
}

interface ActionBarProps {
  batch: Batch;
  actions: readonly BatchAction[];
  isBusy: boolean;
  onChoose: (action: BatchAction) => void;
}

function ActionBar({ batch, actions, isBusy, onChoose }: ActionBarProps) {
  return (
    <div class="actions">
      {actions.map((action) => (
        <button
          key={action}
          type="button"
          class={action === "cancel" ? "danger" : undefined}
          disabled={whyReadOnly.value !== null}
          title={whyReadOnly.value ?? undefined}
          aria-disabled={isBusy}
          onClick={() => onChoose(action)}
        >
          {actionName(action, batch)}
        </button>
      ))}
    </div>
  );
}
