import type { Task, TaskFilter } from "../api/wire.js";
import { formatDuration } from "../time/format.js";
import { fragmentOf } from "../place/route.js";
import { Instant } from "../time/instant.js";
import { DataTable, type Column } from "../ui/data-table.js";
import { StateMark } from "../ui/state-mark.js";
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
    {
      head: "Id",
      at: "a",
      cell: ({ id }) => (
        <a class="row mono nowrap" href={fragmentOf({ page: "task", id })}>
          {id}
        </a>
      ),
    },
    { head: "State", at: "b", cell: (task) => <StateCell task={task} /> },
    { head: "Type", at: "c", isWide: true, cell: ({ type }) => <span title={type}>{type}</span> },
    {
      head: "Key",
      at: "d",
      isWide: true,
      cell: ({ key }) =>
        key && (
          <span class="mono" title={key}>
            {key}
          </span>
        ),
    },
    { head: "Tags", isLow: true, cell: ({ tags }) => tags.length > 0 && <TaskTags tags={tags} filter={filter} /> },
    { head: "Due or finished", at: "c2", cell: (task) => <WhenCell task={task} /> },
    {
      head: "Attempts",
      isNumber: true,
      isLow: true,
      cell: ({ attempt, maxAttempts }) => <Attempts {...{ attempt, maxAttempts }} />,
    },
    { head: "Lateness", isNumber: true, isLow: true, cell: ({ latenessMs }) => formatDuration(latenessMs) },
  ];
}

function Attempts({ attempt, maxAttempts }: Pick<Task, "attempt" | "maxAttempts">) {
  return (
    <>
      {attempt}
      <span class="u">of {maxAttempts}</span>
    </>
  );
}

/** When it runs next, or when it ended. */
function WhenCell({ task: { state, dueAt, scheduledAt, finishedAt } }: { task: Task }) {
  return <Instant at={isTerminal(state) ? finishedAt : (dueAt ?? scheduledAt)} />;
}

function StateCell({ task: { state, reason, waitingFor } }: { task: Task }) {
  return (
    <>
      <StateMark state={state} />
      {reason && <span class="two mono">{reason}</span>}
      {waitingFor && <span class="two">waits for {waitingFor}</span>}
    </>
  );
}
