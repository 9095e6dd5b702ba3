import type { TypeFigures } from "../api/wire.js";
import { rateText } from "../charts/history-charts.js";
import { actorName } from "../keys/actor-name.js";
import { nodeName } from "../nodes/known-nodes.js";
import { fragmentOf } from "../place/route.js";
import { formatDuration } from "../time/format.js";
import { DataTable, type Column } from "../ui/data-table.js";
import { Icon } from "../ui/icon.js";
import { Meter } from "../ui/progress.js";
import { StateMark } from "../ui/state-mark.js";
import {
  breakerWords,
  limitUse,
  needOf,
  needStates,
  pauseWords,
  runningText,
  shareText,
  waitsText,
} from "./type-words.js";
import { overdueText } from "../wheel/wheel-words.js";

export function TypesTable({ rows }: { rows: readonly TypeFigures[] }) {
  return <DataTable caption="Types" columns={columns} rows={rows} rowKey={({ type }) => type} />;
}

const columns: Column<TypeFigures>[] = [
  { head: "Type", at: "a", cell: (row) => <Name row={row} /> },
  { head: "Due now", isNumber: true, at: "b", cell: (row) => <Due row={row} /> },
  { head: "Oldest", isNumber: true, isLow: true, cell: ({ oldestOverdueMs }) => formatDuration(oldestOverdueMs) },
  { head: "Starts", isNumber: true, cell: ({ startsPerSecond }) => rateText(startsPerSecond) },
  { head: "Late p99", isNumber: true, cell: ({ latenessMs }) => formatDuration(latenessMs?.p99) },
  { head: "Failed", isNumber: true, at: "c2", cell: (row) => <Failed row={row} /> },
  { head: "Running", isNumber: true, cell: (row) => <Running row={row} /> },
  {
    head: "Nodes",
    isLow: true,
    cell: ({ nodes }) => <span title={nodes.map(nodeName).join(", ")}>{nodes.length || "–"}</span>,
  },
  { head: "Waits because", at: "c", cell: (row) => <span class="ink is-overdue nowrap">{waitsText(row)}</span> },
  {
    head: "Last error",
    isWide: true,
    cell: ({ lastError }) => <span title={lastError ?? undefined}>{lastError ?? ""}</span>,
  },
];

function Name({ row: { type, ...row } }: { row: TypeFigures }) {
  const need = needOf(row);
  return (
    <span class="type-name">
      <span class={`ink is-${needStates[need]}`} title={need}>
        <Icon name={needStates[need]} />
        <span class="sr">{need}: </span>
      </span>
      <a class="row" href={fragmentOf({ page: "types", type })}>
        {type}
      </a>
      {row.breaker && (
        <span title={breakerWords({ ...row.breaker, node: row.breaker.node && nodeName(row.breaker.node) }).does}>
          <StateMark state="failing" text={breakerWords(row.breaker).mark} fill />
        </span>
      )}
      {row.pause && (
        <span title={pauseWords(row.pause, actorName)}>
          <StateMark state="paused" fill />
        </span>
      )}
    </span>
  );
}

/** How much of its limit is used, where it has one. */
function Running({ row }: { row: TypeFigures }) {
  const use = limitUse(row)?.running;
  return (
    <>
      <span class="nowrap">{runningText(row)}</span>
      {use && <Meter label={use.text} share={use.share} />}
    </>
  );
}

function Due({ row }: { row: TypeFigures }) {
  return (
    <span class={row.overdue > 0 && row.waitsFor === "HANDLER" ? "ink is-overdue strong" : undefined}>
      {overdueText(row)}
      <span class="narrow small muted"> due</span>
    </span>
  );
}

function Failed({ row }: { row: TypeFigures }) {
  return (
    <span class={needOf(row) === "failing" ? "ink is-failing strong" : undefined}>{shareText(row.failedShare)}</span>
  );
}
