import type { Task, TaskFilter } from "../api/wire.js";
import { formatDuration } from "../format.js";
import { fragmentOf } from "../route.js";
import { Badge } from "../ui/badge.js";
import { DataTable, type Column } from "../ui/data-table.js";
import { Instant } from "../ui/instant.js";
import { isTerminal } from "./task-actions.js";
import { TaskTags } from "./task-tags.js";

interface TasksTableProps {
  tasks: readonly Task[];
  filter: TaskFilter;
  now: number;
}

export function TasksTable({ tasks, filter, now }: TasksTableProps) {
  return <DataTable caption="Tasks" columns={columnsFor(filter, now)} rows={tasks} rowKey={({ id }) => id} />;
}

function columnsFor(filter: TaskFilter, now: number): Column<Task>[] {
  return [
    {
      head: "Id",
      cell: ({ id }) => (
        <a class="mono" href={fragmentOf({ page: "task", id })}>
          {id}
        </a>
      ),
    },
    { head: "State", cell: (task) => <StateCell task={task} /> },
    { head: "Type", cell: ({ type }) => <span class="long">{type}</span> },
    { head: "Key", cell: ({ key }) => <span class="long">{key ?? "–"}</span> },
    { head: "Tags", cell: ({ tags }) => <TaskTags tags={tags} filter={filter} /> },
    { head: "Due or finished", cell: (task) => <WhenCell task={task} now={now} /> },
    { head: "Attempt", isNumber: true, cell: ({ attempt, maxAttempts }) => `${attempt} of ${maxAttempts}` },
    { head: "Lateness", isNumber: true, cell: ({ latenessMs }) => formatDuration(latenessMs) },
  ];
}

/** When it runs next, or when it ended. */
function WhenCell({ task: { state, dueAt, scheduledAt, finishedAt }, now }: { task: Task; now: number }) {
  return <Instant at={isTerminal(state) ? finishedAt : (dueAt ?? scheduledAt)} now={now} />;
}

function StateCell({ task: { state, reason, waitingFor } }: { task: Task }) {
  return (
    <>
      <Badge state={state} /> {reason && <span class="hint">{reason}</span>}
      {waitingFor && <span class="hint">waits for {waitingFor}</span>}
    </>
  );
}
