import type { Task, TaskFilter } from "../api/wire.js";
import { formatDuration } from "../time/format.js";
import { fragmentOf } from "../place/route.js";
import { Instant } from "../time/instant.js";
import { DataTable, type Column } from "../ui/data-table.js";
import { StateMark } from "../ui/state-mark.js";
import { taskMark } from "./task-mark.js";
import { isTerminal } from "./task-actions.js";
import { TaskTags } from "./task-tags.js";

interface TasksTableProps {
  tasks: readonly Task[];
  filter: TaskFilter;
}

export function TasksTable({ tasks, filter }: TasksTableProps) {
  return <DataTable caption="Tasks" columns={columnsFor(filter)} rows={tasks} rowKey={({ id }) => id} />;
}

function columnsFor(filter: TaskFilter): Column<Task>[] {
  return [
    { head: "Key", at: "a", isWide: true, cell: (task) => <TaskLink task={task} /> },
    { head: "State", at: "b", cell: (task) => <StateCell task={task} /> },
    { head: "Type", at: "c", cell: ({ type }) => <Cut text={type} /> },
    { head: "Due or finished", at: "c2", cell: (task) => <WhenCell task={task} /> },
    { head: "Attempts", isNumber: true, isLow: true, cell: (task) => <Attempts task={task} /> },
    { head: "Lateness", isNumber: true, isLow: true, cell: ({ latenessMs }) => formatDuration(latenessMs) },
    { head: "Tags", cell: ({ tags }) => tags.length > 0 && <TaskTags tags={tags} filter={filter} /> },
    {
      head: "Id",
      isLow: true,
      cell: ({ id }) => (
        <a class="cut mono muted" style={{ "--w": "124px" }} title={id} href={fragmentOf({ page: "task", id })}>
          {id}
        </a>
      ),
    },
  ];
}

/** Opens the task: by its key, and by its id where it has none. */
function TaskLink({ task: { id, key } }: { task: Task }) {
  return (
    <a class="row mono" title={key ?? id} href={fragmentOf({ page: "task", id })}>
      {key ?? id}
    </a>
  );
}

function Cut({ text }: { text: string }) {
  return (
    <span class="cut" style={{ "--w": "220px" }} title={text}>
      {text}
    </span>
  );
}

function Attempts({ task: { attempt, maxAttempts } }: { task: Task }) {
  return (
    <>
      {attempt}
      <span class="u">of {maxAttempts}</span>
    </>
  );
}

/** When it runs next, or when it ended. */
function WhenCell({ task: { state, dueAt, scheduledAt, finishedAt, remainingMs } }: { task: Task }) {
  if (remainingMs !== null) return <>{formatDuration(remainingMs)} left</>;
  return <Instant at={isTerminal(state) ? finishedAt : (dueAt ?? scheduledAt)} />;
}

function StateCell({ task: { state, reason, waitingFor } }: { task: Task }) {
  return (
    <>
      <StateMark {...taskMark({ state, reason })} />
      {reason && <span class="two mono">{reason}</span>}
      {waitingFor && <span class="two">waits for {waitingFor}</span>}
    </>
  );
}
