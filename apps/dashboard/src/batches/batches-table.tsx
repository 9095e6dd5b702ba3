import type { Batch } from "../api/wire.js";
import { fragmentOf } from "../place/route.js";
import { formatCount, formatDuration } from "../time/format.js";
import { Instant } from "../time/instant.js";
import { nowFor } from "../time/ticking.js";
import { DataTable, type Column } from "../ui/data-table.js";
import { StateMark } from "../ui/state-mark.js";
import { BatchBar, BatchMark } from "./batch-summary.js";
import { batchName, endsWords, isOverdue, stopWords } from "./batch-words.js";

interface BatchesTableProps {
  rows: readonly Batch[];
  /** Ids of those that are in this list no more. */
  gone: ReadonlySet<string>;
}

export function BatchesTable({ rows, gone }: BatchesTableProps) {
  return <DataTable caption="Batches" columns={columnsFor(gone)} rows={rows} rowKey={({ id }) => id} />;
}

function columnsFor(gone: ReadonlySet<string>): Column<Batch>[] {
  return [
    { head: "Batch", at: "a", cell: (batch) => <Name batch={batch} isGone={gone.has(batch.id)} /> },
    { head: "State", at: "b", cell: (batch) => <State batch={batch} /> },
    { head: "Progress", at: "d", cell: (batch) => <Bar batch={batch} /> },
    { head: "Members", isNumber: true, isLow: true, cell: ({ counts }) => formatCount(counts.total) },
    { head: "Live", isNumber: true, cell: ({ counts }) => formatCount(counts.live) },
    { head: "Dead", isNumber: true, cell: ({ counts }) => <Dead count={counts.dead} /> },
    { head: "Deadline", at: "c", cell: (batch) => <Deadline batch={batch} /> },
    { head: "Made", at: "c2", cell: (batch) => <Age batch={batch} /> },
  ];
}

function Name({ batch, isGone }: { batch: Batch; isGone: boolean }) {
  const { id, name } = batch;
  return (
    <>
      <a class={name === null ? "row mono" : "row wrap"} title={id} href={fragmentOf({ page: "batch", id })}>
        {batchName(batch)}
      </a>
      {isGone && <span class="two">no more in this list</span>}
    </>
  );
}

function State({ batch }: { batch: Batch }) {
  const { stop, isStopping, retryingSince } = batch;
  return (
    <>
      <BatchMark batch={batch} />
      {stop !== null && stop.reason !== "REQUESTED" && <span class="two wrap">{stopWords(stop)}</span>}
      {isStopping && <span class="two">members are taken back</span>}
      {retryingSince !== null && <span class="two">dead ones are retried</span>}
    </>
  );
}

function Bar({ batch }: { batch: Batch }) {
  return (
    <>
      <BatchBar batch={batch} />
      <span class="two">{endsWords(batch.counts)}</span>
    </>
  );
}

function Dead({ count }: { count: number }) {
  return <span class={count > 0 ? "ink is-dead strong" : undefined}>{formatCount(count)}</span>;
}

function Deadline({ batch }: { batch: Batch }) {
  const { deadlineAt } = batch;
  if (deadlineAt === null) return <span class="muted">–</span>;
  const isLate = isOverdue(batch, nowFor(Date.parse(deadlineAt)));
  return (
    <span class="nowrap">
      <Instant at={deadlineAt} as="distance" />
      {isLate && (
        <span class="two">
          <StateMark state="overdue" />
        </span>
      )}
    </span>
  );
}

/** How old it is; of one that has ended also how long it took. */
function Age({ batch: { createdAt, finishedAt } }: { batch: Batch }) {
  return (
    <span class="nowrap muted">
      <Instant at={createdAt} as="distance" />
      {finishedAt !== null && (
        <span class="two">took {formatDuration(Date.parse(finishedAt) - Date.parse(createdAt))}</span>
      )}
    </span>
  );
}
