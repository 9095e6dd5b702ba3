import type { ComponentChildren } from "preact";
import type { Task, TaskTab } from "../api/wire.js";
import { NodeName } from "../nodes/known-nodes.js";
import { fragmentOf } from "../place/route.js";
import type { TasksPlace } from "../place/tasks-place.js";
import { errorLineOf } from "../task-life/error-text.js";
import { isTerminal } from "../tasks/task-actions.js";
import { TaskLink } from "../task-life/named-task.js";
import { taskMark } from "../task-life/task-mark.js";
import { TaskTags } from "../tasks/task-tags.js";
import { formatAge, formatDuration } from "../time/format.js";
import { Instant } from "../time/instant.js";
import { nowFor } from "../time/ticking.js";
import type { Column } from "../ui/data-table.js";
import { Middle } from "../ui/middle.js";
import { StateMark } from "../ui/state-mark.js";
import { taskWaitText } from "../types/wait-words.js";

type TaskColumn = Column<Task>;

/**
 * What each list tells of a task: first what its order goes by, then what it is, then what matters there.
 *
 * @param gone the ids of those that are in the list no more
 */
export function columnsOf(place: TasksPlace, gone: ReadonlySet<string>): TaskColumn[] {
  const [first, ...others] = columnsIn(place);
  const cell = (task: Task) => (gone.has(task.id) ? "left" : first!.cell(task));
  return [{ ...first!, cell }, ...others];
}

function columnsIn(place: TasksPlace): TaskColumn[] {
  const tags: TaskColumn = {
    head: "Tags",
    isLow: true,
    cell: (task) => task.tags.length > 0 && <TaskTags tags={task.tags} {...place} />,
  };
  if (place.tab === undefined) return [state, key, type, when, attempts, { ...tags, isLow: false }, id];
  return [...columnsOfTab[place.tab], tags, id];
}

const key: TaskColumn = { head: "Key", at: "a", isWide: true, isName: true, cell: (task) => <TaskLink task={task} /> };
const type: TaskColumn = { head: "Type", at: "c", cell: (task) => <Cut text={task.type} /> };
const state: TaskColumn = { head: "State", at: "b", cell: (task) => <State task={task} /> };
const when: TaskColumn = { head: "Due or finished", at: "c2", cell: (task) => <When task={task} /> };
const due: TaskColumn = { head: "Due", isLow: true, cell: ({ dueAt }) => <Instant at={dueAt} isAlone /> };
const error: TaskColumn = { head: "Error", at: "d", cell: (task) => <ErrorLine task={task} /> };
const priority: TaskColumn = { head: "Priority", isNumber: true, isLow: true, cell: (task) => task.priority };
const late: TaskColumn = {
  head: "Lateness",
  isNumber: true,
  isLow: true,
  cell: ({ latenessMs }) => formatDuration(latenessMs),
};
const attempts: TaskColumn = {
  head: "Attempts",
  isNumber: true,
  cell: ({ attempt, maxAttempts }) => (
    <>
      {attempt}
      <span class="u">of {maxAttempts}</span>
    </>
  ),
};
const node: TaskColumn = {
  head: "Node",
  isLow: true,
  cell: (task) => <NodeName label={task.node} />,
};
const id: TaskColumn = {
  head: "Id",
  isLow: true,
  cell: ({ id: whole }) => (
    <a class="muted id" href={fragmentOf({ page: "task", id: whole })} aria-label={whole}>
      <Middle text={whole} />
    </a>
  ),
};

/** A column that matters in this list. */
function shown(column: TaskColumn): TaskColumn {
  return { ...column, isLow: false, at: "c2" };
}

function marked(head: string, mark: string, cell: (task: Task) => ComponentChildren): TaskColumn {
  return { head, at: "b", cell: (task) => <First mark={mark}>{cell(task)}</First> };
}

const columnsOfTab: Readonly<Record<TaskTab, readonly TaskColumn[]>> = {
  overdue: [
    marked("Late by", "overdue", ({ dueAt }) => <Since at={dueAt} />),
    key,
    type,
    due,
    { head: "Waits because", at: "d", cell: (task) => <Cut text={taskWaitText(task) ?? "–"} /> },
    attempts,
    priority,
  ],
  running: [
    marked("Runs for", "running", ({ startedAt }) => <Since at={startedAt} />),
    key,
    type,
    shown(node),
    attempts,
    late,
  ],
  scheduled: [
    marked("Due in", "scheduled", ({ dueAt }) => <Until at={dueAt} />),
    key,
    type,
    shown(due),
    attempts,
    priority,
  ],
  paused: [
    marked("Paused for", "paused", ({ pausedAt }) => <Since at={pausedAt} />),
    key,
    type,
    {
      head: "Left",
      at: "c2",
      cell: ({ remainingMs }) => remainingMs !== null && `${formatDuration(remainingMs)} left`,
    },
    { head: "Created", isLow: true, cell: ({ createdAt }) => <Instant at={createdAt} isAlone /> },
  ],
  failing: [
    marked("Next try", "failing", ({ dueAt }) => <Instant at={dueAt} as="distance" />),
    key,
    type,
    error,
    attempts,
    node,
  ],
  dead: [
    marked("Died", "dead", ({ finishedAt }) => <Instant at={finishedAt} as="distance" />),
    key,
    type,
    { head: "Reason", isLow: true, cell: ({ reason }) => reason && <code>{reason}</code> },
    error,
    attempts,
    node,
  ],
  finished: [
    { head: "Ended", at: "c2", cell: ({ finishedAt }) => <Instant at={finishedAt} as="distance" /> },
    key,
    type,
    state,
    { head: "Took", isNumber: true, isLow: true, cell: (task) => formatDuration(tookMs(task)) },
    late,
    node,
  ],
};

/** What the order goes by, with the sign of the tab. */
function First({ mark, children }: { mark: string; children: ComponentChildren }) {
  return (
    <span class="nowrap">
      <StateMark state={mark} text={children} />
    </span>
  );
}

/** How long ago; it goes on by itself. */
function Since({ at }: { at: string | null }) {
  if (at === null) return <>–</>;
  const since = Date.parse(at);
  return <time datetime={at}>{formatAge(nowFor(since) - since)}</time>;
}

/** How long until then; null and what is over: now. */
function Until({ at }: { at: string | null }) {
  if (at === null) return <>–</>;
  const until = Date.parse(at);
  const leftMs = until - nowFor(until);
  return <time datetime={at}>{leftMs > 0 ? formatAge(leftMs) : "due now"}</time>;
}

function Cut({ text, width = 200 }: { text: string; width?: number }) {
  return (
    <span class="cut" style={{ "--w": `${width}px` }} title={text}>
      {text}
    </span>
  );
}

function ErrorLine({ task }: { task: Task }) {
  const line = errorLineOf(task.lastError);
  return line !== null && <Cut text={line} width={240} />;
}

function State({ task }: { task: Task }) {
  const { state: of, reason } = task;
  const wait = taskWaitText(task);
  return (
    <>
      <StateMark {...taskMark({ state: of, reason })} />
      {reason && <span class="two mono">{reason}</span>}
      {wait && <span class="two">{wait}</span>}
    </>
  );
}

/** When it runs next, or when it ended. */
function When({ task }: { task: Task }) {
  const { remainingMs, finishedAt, dueAt, scheduledAt } = task;
  if (remainingMs !== null) return <>{formatDuration(remainingMs)} left</>;
  return <Instant at={isTerminal(task.state) ? finishedAt : (dueAt ?? scheduledAt)} />;
}

function tookMs({ startedAt, finishedAt }: Task): number | null {
  return startedAt === null || finishedAt === null ? null : Date.parse(finishedAt) - Date.parse(startedAt);
}
