import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { sentenceOf } from "../api/problem.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import type { JournalPage, Task, TaskState } from "../api/wire.js";
import { emptyFeed, feedAfter, waitAskedFor, type Feed } from "../feeds/feed.js";
import { usePolling } from "../feeds/use-polling.js";
import { entryWithNames, nodeNames, withNodeNames } from "../nodes/known-nodes.js";
import { fragmentOf } from "../place/route.js";
import { mayAs } from "../session/session.js";
import { formatDuration } from "../time/format.js";
import { Instant } from "../time/instant.js";
import { Empty } from "../ui/empty.js";
import { PageHead } from "../ui/page-head.js";
import { ProblemView, StaleBanner } from "../ui/problem-view.js";
import { Skeleton } from "../ui/skeleton.js";
import { StateMark } from "../ui/state-mark.js";
import { taskMark } from "../task-life/task-mark.js";
import { isTerminal } from "./task-actions.js";
import { AttemptsPanel } from "../task-life/attempts-panel.js";
import { BecausePanel } from "../task-life/because-panel.js";
import { NamedTask, useScheduleNames } from "../task-life/named-task.js";
import { JournalPanel } from "../task-life/journal-panel.js";
import { KeyTasks } from "../task-life/key-tasks.js";
import { LifePanel } from "../task-life/life-panel.js";
import { latenessOf, type Run, runsOf } from "../task-life/runs.js";
import { SplitPanel, UnmeasuredPanel } from "../task-life/split-panel.js";
import { TaskButtons } from "./task-buttons.js";
import { DataPanels, ErrorPanel, FactsPanel, TimesPanel } from "./task-fields.js";
import { CheckpointPanel, ProgressPanel } from "./task-report.js";

const livePollMs = 2_000;
/** A terminal task changes only when somebody retries it, and an absent one hardly ever appears. */
const terminalPollMs = 15_000;

/** One task: why it stands as it does, its life, where its lateness went, its attempts, its journal and its data. */
export function TaskPage({ api, id }: { api: TickwheelApi; id: string }) {
  const { task, journal, showMore, readAgain } = useTask(api, id);
  const value = task.value && withNodeNames(task.value);
  const entries = journal.value?.items ?? [];
  const runs = useMemo(() => runsOf(entries.map(entryWithNames)), [journal.value, nodeNames.value]);
  useScheduleNames(value ? [value] : []);
  if (!value) return <MissingTask task={task} />;
  return (
    <>
      <PageHead
        name={value.type}
        detail={
          value.key && (
            <span class="muted detail">
              <NamedTask task={value} />
            </span>
          )
        }
        tab={`${value.state} ${value.type}`}
        sub={<TaskStanding task={value} />}
        actions={mayAs("operator") && <TaskButtons api={api} task={value} onDone={readAgain} />}
      />
      {task.problem && <StaleBanner text={sentenceOf(task.problem)} readAt={task.readAt} />}
      <BecausePanel task={value} />
      <LifePanel task={value} runs={runs} />
      <div class="grid-side">
        <div>
          <ProgressPanel task={value} />
          <Split runs={runs} />
          <AttemptsPanel task={value} runs={runs} />
          <ErrorPanel task={value} runs={runs} />
          <JournalPanel journal={journal} maxAttempts={value.maxAttempts} onMore={showMore} />
        </div>
        <div>
          <DataPanels task={value} />
          <CheckpointPanel task={value} />
          <TimesPanel task={value} />
          <FactsPanel task={task.value!} />
          <KeyTasks api={api} task={value} />
        </div>
      </div>
    </>
  );
}

/** The lateness of the run that started latest after it was due, of those that were measured. */
function Split({ runs }: { runs: readonly Run[] }) {
  const measured = runs
    .filter(({ parts }) => parts !== null)
    .reduce<Run | null>(
      (worst, run) => (worst && latenessOf(worst.parts!) > latenessOf(run.parts!) ? worst : run),
      null,
    );
  if (measured) return <SplitPanel run={measured} runs={runs.length} />;
  return runs.length > 0 ? <UnmeasuredPanel run={runs.at(-1)} /> : null;
}

function useTask(api: TickwheelApi, id: string) {
  const task = useSignal<Feed<Task>>(emptyFeed);
  const journal = useSignal<Feed<JournalPage>>(emptyFeed);
  const pages = useSignal(1);
  const readAgain = usePolling(livePollMs, async () => {
    const [taskAnswer, journalAnswer] = await Promise.all([api.task(id), api.journal(id, pages.value)]);
    task.value = feedAfter(task.value, taskAnswer, Date.now());
    journal.value = feedAfter(journal.value, journalAnswer, Date.now());
    const { value, problem } = task.value;
    const isSettled = value ? isTerminal(value.state) : problem?.status === 404;
    return waitAskedFor(task.value, journal.value) ?? (isSettled ? terminalPollMs : undefined);
  });
  const showMore = (): void => {
    pages.value++;
    readAgain();
  };
  return { task: task.value, journal: journal.value, showMore, readAgain };
}

function MissingTask({ task: { problem } }: { task: Feed<Task> }) {
  if (problem?.status !== 404) {
    return (
      <>
        <PageHead name="Task" />
        {problem ? <ProblemView problem={problem} /> : <Skeleton />}
      </>
    );
  }
  return (
    <>
      <PageHead name="No such task" />
      <section class="panel">
        <Empty
          icon="search"
          title={sentenceOf(problem)}
          actions={
            <a class="btn tiny" href={fragmentOf({ page: "tasks", line: "" })}>
              Show all tasks
            </a>
          }
        >
          Finished tasks are kept for a while, then they are deleted.
        </Empty>
      </section>
    </>
  );
}

/** What stands before the instant that matters most in a state. */
const before: Partial<Record<TaskState, string>> = { scheduled: "due ", paused: "since " };

function instantOf({ state, dueAt, pausedAt, startedAt, finishedAt }: Task): string | null {
  if (state === "running") return startedAt;
  if (state === "paused") return pausedAt;
  return isTerminal(state) ? finishedAt : dueAt;
}

/** Its state, since when and where. */
function TaskStanding({ task }: { task: Task }) {
  const { state, reason, node, remainingMs } = task;
  return (
    <p role="status">
      <StateMark fill {...taskMark({ state, reason })} /> {reason && <code>{reason}</code>} {before[state]}
      <Instant at={instantOf(task)} /> {node && <>on {node}</>}
      {remainingMs !== null && <>· {formatDuration(remainingMs)} of its countdown remain</>}
    </p>
  );
}
