import { useSignal } from "@preact/signals";
import type { Problem } from "../api/problem.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import type { Task, TaskState } from "../api/wire.js";
import { ConfirmDialog } from "../ui/confirm-dialog.js";
import { ProblemView } from "../ui/problem-view.js";
import { actionsFor, questionBefore, type TaskAction } from "./task-actions.js";

const names: Record<TaskAction, string> = { cancel: "Cancel task", "run-now": "Run now", retry: "Retry" };

type Outcome = { readonly ok: true; readonly said: string } | { readonly ok: false; readonly problem: Problem };

interface TaskButtonsProps {
  api: TickwheelApi;
  task: Task;
  /** Called after each answer: whatever it was, the task may be another now. */
  onDone: () => void;
}

/** What can be done with a task in its state, and how the last action ended. */
export function TaskButtons({ api, task, onDone }: TaskButtonsProps) {
  const asked = useSignal<{ action: TaskAction; question: string } | null>(null);
  const busy = useSignal<TaskAction | null>(null);
  const outcome = useSignal<Outcome | null>(null);

  const run = async (action: TaskAction): Promise<void> => {
    busy.value = action;
    outcome.value = await perform(api, action, task.id);
    busy.value = null;
    onDone();
  };
  const choose = (action: TaskAction): void => {
    if (busy.value) return;
    const question = questionBefore(action, task.state);
    if (question === null) void run(action);
    else asked.value = { action, question };
  };
  const answer = (action: TaskAction, isConfirmed: boolean): void => {
    asked.value = null;
    if (isConfirmed) void run(action);
  };

  return (
    <>
      <ActionBar state={task.state} busy={busy.value} onChoose={choose} />
      <div role="status">{outcome.value?.ok && <p class="done">{outcome.value.said}</p>}</div>
      {outcome.value && !outcome.value.ok && <ProblemView problem={outcome.value.problem} />}
      {asked.value && (
        <ConfirmDialog
          title={`${names[asked.value.action]}?`}
          question={asked.value.question}
          confirm={names[asked.value.action]}
          onAnswer={(isConfirmed) => answer(asked.value!.action, isConfirmed)}
        />
      )}
    </>
  );
}

interface ActionBarProps {
  state: TaskState;
  busy: TaskAction | null;
  onChoose: (action: TaskAction) => void;
}

function ActionBar({ state, busy, onChoose }: ActionBarProps) {
  return (
    <div class="bar">
      {actionsFor(state).map((action) => (
        <button
          key={action}
          type="button"
          class={action === "cancel" ? "danger" : undefined}
          aria-disabled={busy !== null}
          onClick={() => onChoose(action)}
        >
          {busy === action ? `${names[action]}…` : names[action]}
        </button>
      ))}
    </div>
  );
}

async function perform(api: TickwheelApi, action: TaskAction, id: string): Promise<Outcome> {
  switch (action) {
    case "cancel": {
      const answer = await api.cancel(id);
      if (!answer.ok) return answer;
      const isRequested = answer.value.outcome === "cancel_requested";
      const said = "Cancel requested: the handler was told to stop. It may still finish.";
      return { ok: true, said: isRequested ? said : "Cancelled. The task will not run." };
    }
    case "run-now": {
      const answer = await api.runNow(id);
      return answer.ok ? { ok: true, said: "Due now: the task starts as soon as a node is free." } : answer;
    }
    case "retry": {
      const answer = await api.retry(id);
      return answer.ok ? { ok: true, said: "Scheduled again; it is due now." } : answer;
    }
  }
}
