import type { TickwheelApi } from "../api/tickwheel-api.js";
import type { TaskOperation } from "../api/wire.js";
import { actorName } from "../keys/actor-name.js";
import { fragmentOf } from "../place/route.js";
import { mayAs } from "../session/session.js";
import { formatCount } from "../time/format.js";
import { Instant } from "../time/instant.js";
import { type Column, DataTable } from "../ui/data-table.js";
import { StateMark } from "../ui/state-mark.js";
import { OperationButtons } from "./open-operation.js";
import { countsText, markOf, nameOf, outcomeWords, passedWords, totalOf } from "./operation-words.js";

interface OperationsTableProps {
  api: TickwheelApi;
  rows: readonly TaskOperation[];
  onChanged: () => void;
}

/** The operations that are over, the newest first. */
export function OperationsTable({ api, rows, onChanged }: OperationsTableProps) {
  return <DataTable caption="Operations" columns={columnsFor(api, onChanged)} rows={rows} rowKey={({ id }) => id} />;
}

function columnsFor(api: TickwheelApi, onChanged: () => void): Column<TaskOperation>[] {
  const columns: Column<TaskOperation>[] = [
    { head: "What", at: "a", cell: (operation) => <Name operation={operation} /> },
    { head: "State", at: "b", cell: (operation) => <StateMark {...markOf(operation)} /> },
    { head: "Changed", isNumber: true, cell: ({ changed }) => formatCount(changed) },
    { head: "Passed over", isNumber: true, isLow: true, cell: (operation) => <Passed operation={operation} /> },
    { head: "By", cell: ({ createdBy }) => actorName(createdBy) },
    { head: "When", at: "c2", cell: ({ createdAt }) => <Instant at={createdAt} as="distance" /> },
    { head: "Undo until", at: "c", cell: (operation) => <Undo operation={operation} /> },
  ];
  if (!mayAs("operator")) return columns;
  return [
    ...columns,
    {
      head: "Actions",
      headCell: <span class="sr">Actions</span>,
      at: "d",
      cell: (operation) => <OperationButtons api={api} operation={operation} onChanged={onChanged} />,
    },
  ];
}

function Name({ operation }: { operation: TaskOperation }) {
  return (
    <>
      <a class="row wrap" href={fragmentOf({ page: "operation", id: operation.id })}>
        {nameOf(operation)}
      </a>
      <span class="two mono">{operation.filter === "" ? "all tasks" : operation.filter}</span>
    </>
  );
}

function Passed({ operation: { passed } }: { operation: TaskOperation }) {
  return <span title={countsText(passed, passedWords) || undefined}>{formatCount(totalOf(passed))}</span>;
}

function Undo({ operation: { undoUntil, state, undone, leftBehind, changed } }: { operation: TaskOperation }) {
  if (undoUntil !== null) return <Instant at={undoUntil} as="distance" />;
  if (state !== "undone") return <span class="muted">{changed === 0 ? "nothing to undo" : "forgotten"}</span>;
  const left = countsText(leftBehind, outcomeWords);
  return <span class="muted">{`put back ${formatCount(undone)}${left === "" ? "" : `; ${left}`}`}</span>;
}
