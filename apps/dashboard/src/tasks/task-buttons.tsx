import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Problem } from "../api/problem.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import type { Task, TaskState } from "../api/wire.js";
import { fragmentOf } from "../place/route.js";
import { pageCommands, type Command } from "../place/commands.js";
import { whyReadOnly } from "../session/session.js";
import { ConfirmDialog } from "../ui/dialog.js";
import { ProblemView } from "../ui/problem-view.js";
import { RescheduleDialog } from "../task-life/reschedule-dialog.js";
import { toast } from "../ui/toast.js";
import { actionsFor, questionBefore, type TaskAction } from "./task-actions.js";

/** An action that is one call. */
type PlainAction = Exclude<TaskAction, "reschedule">;

const names: Record<TaskAction, string> = {
  cancel: "Cancel task",
  "run-now": "Run now",
  reschedule: "Reschedule",
  pause: "Pause",
  resume: "Resume",
  retry: "Retry",
};

const icons: Record<TaskAction, string> = {
  cancel: "x",
  "run-now": "play",
  reschedule: "scheduled",
  pause: "pause",
  resume: "play",
  retry: "undo",
};

type Outcome = { readonly ok: true; readonly said: string } | { readonly ok: false; readonly problem: Problem };

interface TaskButtonsProps {
  api: TickwheelApi;
  task: Task;
  /** Called after each answer: whatever it was, the task may be another now. */
  onDone: () => void;
}

/** What can be done with a task in its state, and how the last action ended. */
export function TaskButtons({ api, task, onDone }: TaskButtonsProps) {
  const asked = useSignal<{ action: PlainAction; question: string } | null>(null);
  const busy = useSignal<TaskAction | null>(null);
  const problem = useSignal<Problem | null>(null);
  const isRescheduling = useSignal(false);

  const run = async (action: PlainAction): Promise<void> => {
    busy.value = action;
    const outcome = await perform(api, action, task.id);
    busy.value = null;
    problem.value = outcome.ok ? null : outcome.problem;
    if (outcome.ok) toast(outcome.said);
    onDone();
  };
  const choose = (action: TaskAction): void => {
    if (busy.value) return;
    if (action === "reschedule") return void (isRescheduling.value = true);
    const question = questionBefore(action, task.state);
    if (question === null) void run(action);
    else asked.value = { action, question };
  };
  const answer = (action: PlainAction, isConfirmed: boolean): void => {
    asked.value = null;
    if (isConfirmed) void run(action);
  };

  useEffect(() => {
    pageCommands.value = whyReadOnly.value ? [] : commandsFor(task.state, choose);
    return () => void (pageCommands.value = []);
  }, [task.state, whyReadOnly.value]);

  return (
    <>
      <ActionBar id={task.id} state={task.state} busy={busy.value} onChoose={choose} />
      {problem.value && <ProblemView problem={problem.value} />}
      {isRescheduling.value && (
        <RescheduleDialog api={api} task={task} onDone={onDone} onClose={() => (isRescheduling.value = false)} />
      )}
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

/** The palette asks the same questions as the buttons. */
function commandsFor(state: TaskState, choose: (action: TaskAction) => void): Command[] {
  return actionsFor(state).map((action) => {
    const asks = asksBefore(action, state);
    return { name: `${names[action]}${asks ? "…" : ""}`, icon: icons[action], run: () => choose(action) };
  });
}

interface ActionBarProps {
  id: string;
  state: TaskState;
  busy: TaskAction | null;
  onChoose: (action: TaskAction) => void;
}

function ActionBar({ id, state, busy, onChoose }: ActionBarProps) {
  return (
    <div class="actions">
      {actionsFor(state).map((action) => (
        <button
          key={action}
          type="button"
          class={action === "cancel" ? "danger" : undefined}
          disabled={whyReadOnly.value !== null}
          title={whyReadOnly.value ?? undefined}
          aria-disabled={busy !== null}
          onClick={() => onChoose(action)}
        >
          {names[action]}
          {(busy === action || action === "reschedule") && "…"}
        </button>
      ))}
      {whyReadOnly.value === null && (
        <a class="btn" href={fragmentOf({ page: "create", from: id })}>
          Clone
        </a>
      )}
    </div>
  );
}

/** Whether a dialog comes before it. */
function asksBefore(action: TaskAction, state: TaskState): boolean {
  return action === "reschedule" || questionBefore(action, state) !== null;
}

async function perform(api: TickwheelApi, action: PlainAction, id: string): Promise<Outcome> {
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
    case "pause": {
      const answer = await api.pause(id);
      return answer.ok ? { ok: true, said: "Paused: its countdown stands still until it is resumed." } : answer;
    }
    case "resume": {
      const answer = await api.resume(id);
      return answer.ok ? { ok: true, said: "Resumed: its countdown goes on." } : answer;
    }
    case "retry": {
      const answer = await api.retry(id);
      return answer.ok ? { ok: true, said: "Scheduled again; it is due now." } : answer;
    }
  }
}
