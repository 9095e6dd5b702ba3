import { useSignal } from "@preact/signals";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import type { JournalPage, Task } from "../api/wire.js";
import { emptyFeed, feedAfter, waitAskedFor, type Feed } from "../feed.js";
import { sentenceOf } from "../api/problem.js";
import { Badge } from "../ui/badge.js";
import { PageTitle } from "../ui/page-title.js";
import { ProblemView } from "../ui/problem-view.js";
import { StaleBanner } from "../ui/stale-banner.js";
import { usePolling } from "../use-polling.js";
import { isTerminal } from "./task-actions.js";
import { TaskButtons } from "./task-buttons.js";
import { TaskFields } from "./task-fields.js";
import { TaskJournal } from "./task-journal.js";

const livePollMs = 2_000;
/** A terminal task changes only when somebody retries it, and an absent one hardly ever appears. */
const terminalPollMs = 15_000;

/** One task: its state and what can be done first, then its fields, its data and its journal. */
export function TaskPage({ api, id }: { api: TickwheelApi; id: string }) {
  const { task, journal, showMore, readAgain } = useTask(api, id);
  const value = task.value;
  if (!value) return <MissingTask task={task} />;
  return (
    <>
      <PageTitle text={value.type} tab={`${value.state} ${value.type}`} />
      <p class="mono task-id">{value.id}</p>
      {task.problem && <StaleBanner text={sentenceOf(task.problem)} readAt={task.readAt} />}
      <TaskStanding task={value} />
      <TaskButtons api={api} task={value} onDone={readAgain} />
      <TaskFields task={value} now={task.readAt ?? Date.now()} />
      <TaskJournal journal={journal} onMore={showMore} />
    </>
  );
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
  const isAbsent = problem?.status === 404;
  return (
    <>
      <PageTitle text={isAbsent ? "No such task" : "Task"} />
      {problem && <ProblemView problem={problem} />}
      {!isAbsent && <p class="empty">{problem ? "Retrying…" : "Reading…"}</p>}
    </>
  );
}

function TaskStanding({ task }: { task: Task }) {
  return (
    <p class="standing" role="status">
      <Badge state={task.state} /> {task.reason && <code>{task.reason}</code>}{" "}
      {task.waitingFor && (
        <>
          It waits for <code>{task.waitingFor}</code>
          {task.waitingFor === "HANDLER" && ": no live node runs this type."}
        </>
      )}
    </p>
  );
}
