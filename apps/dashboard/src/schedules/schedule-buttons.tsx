import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Answer } from "../api/api-client.js";
import type { Problem } from "../api/problem.js";
import type { Schedule } from "../api/wire.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import { pageCommands } from "../place/commands.js";
import { goTo } from "../place/place.js";
import { fragmentOf } from "../place/route.js";
import { whyReadOnly } from "../session/session.js";
import { ConfirmDialog } from "../ui/dialog.js";
import { ProblemView } from "../ui/problem-view.js";
import { toast } from "../ui/toast.js";
import {
  actionIcons,
  actionNames,
  actionsFor,
  deleteQuestion,
  type ScheduleAction,
  whyKept,
} from "./schedule-actions.js";
import { BackfillDialog } from "./backfill-dialog.js";
import { PauseDialog } from "./pause-dialog.js";
import { TriggerDialog } from "./trigger-dialog.js";

interface ScheduleButtonsProps {
  api: TickwheelApi;
  schedule: Schedule;
  /** Called after each answer: whatever it was, the schedule may be another now. */
  onDone: () => void;
}

/** What can be done with a schedule as it stands, and how the last action ended. */
export function ScheduleButtons(props: ScheduleButtonsProps) {
  const { schedule, onDone } = props;
  const { asked, busy, problem, choose, remove } = useActions(props);
  const actions = actionsFor(schedule);
  useEffect(() => {
    const items = actions.map((action) => {
      return { name: actionNames[action], icon: actionIcons[action], run: () => choose(action) };
    });
    pageCommands.value = whyReadOnly.value ? [] : items;
    return () => void (pageCommands.value = []);
  }, [actions.join(), whyReadOnly.value]);
  const close = (): void => {
    asked.value = null;
    onDone();
  };
  return (
    <>
      <ActionBar schedule={schedule} busy={busy.value} onChoose={choose} />
      {problem.value && <ProblemView problem={problem.value} />}
      {asked.value === "pause" && <PauseDialog {...props} onClose={close} />}
      {asked.value === "backfill" && <BackfillDialog {...props} onClose={close} />}
      {asked.value === "trigger" && <TriggerDialog {...props} onClose={close} />}
      {asked.value === "delete" && (
        <ConfirmDialog
          title={`Delete ${schedule.name}?`}
          question={deleteQuestion}
          confirm="Delete schedule"
          onAnswer={(isConfirmed) => {
            asked.value = null;
            if (isConfirmed) void remove();
          }}
        />
      )}
    </>
  );
}

function useActions({ api, schedule: { name }, onDone }: ScheduleButtonsProps) {
  const asked = useSignal<ScheduleAction | null>(null);
  const busy = useSignal<ScheduleAction | null>(null);
  const problem = useSignal<Problem | null>(null);
  const run = async (action: ScheduleAction, call: () => Promise<Answer<unknown>>): Promise<boolean> => {
    busy.value = action;
    const answer = await call();
    busy.value = null;
    problem.value = answer.ok ? null : answer.problem;
    return answer.ok;
  };
  const resume = async (): Promise<void> => {
    if (await run("resume", () => api.schedules.resume(name))) toast("Resumed.");
    onDone();
  };
  const endBackfill = async (): Promise<void> => {
    if (await run("end-backfill", () => api.schedules.cancelBackfill(name))) toast("The backfill is ended.");
    onDone();
  };
  const remove = async (): Promise<void> => {
    if (!(await run("delete", () => api.schedules.remove(name)))) return onDone();
    toast(`The schedule ${name} is deleted.`);
    goTo({ page: "schedules" });
  };
  const choose = (action: ScheduleAction): void => {
    if (busy.value) return;
    problem.value = null;
    if (action === "resume") void resume();
    else if (action === "end-backfill") void endBackfill();
    else asked.value = action;
  };
  return { asked, busy, problem, choose, remove };
}

interface ActionBarProps {
  schedule: Schedule;
  busy: ScheduleAction | null;
  onChoose: (action: ScheduleAction) => void;
}

/** A definition that stands in code is changed there: the code's would be put back within seconds. */
function ActionBar({ schedule, busy, onChoose }: ActionBarProps) {
  return (
    <div class="actions">
      {schedule.application === null && whyReadOnly.value === null && (
        <a class="btn" href={fragmentOf({ page: "schedule-edit", name: schedule.name })}>
          Edit
        </a>
      )}
      {actionsFor(schedule).map((action) => (
        <button
          key={action}
          type="button"
          class={action === "delete" ? "danger" : undefined}
          disabled={whyReadOnly.value !== null}
          title={whyReadOnly.value ?? undefined}
          aria-disabled={busy !== null}
          onClick={() => onChoose(action)}
        >
          {actionNames[action]}
        </button>
      ))}
      {whyKept(schedule) && <p class="small muted">{whyKept(schedule)}</p>}
    </div>
  );
}
