import type { ConsumerReport } from "../api/wire.js";
import { useReading } from "../feeds/use-reading.js";
import { fragmentOf } from "../place/route.js";
import { formatNumberOf } from "../time/format.js";
import { Instant } from "../time/instant.js";
import { type Column, DataTable } from "../ui/data-table.js";
import { Panel } from "../ui/panel.js";
import { ProblemView } from "../ui/problem-view.js";
import { Skeleton } from "../ui/skeleton.js";

const everyMs = 5_000;

type HeldClaim = ConsumerReport["claims"][number];

/**
 * The consumers of a type whose tasks they fetch: who works on which task, since when and until when, and how many
 * wait.
 */
export function ConsumersPanel({ type }: { type: string }) {
  const { value, problem } = useReading<ConsumerReport>(`/types/${encodeURIComponent(type)}/consumers`, everyMs);
  const note =
    value &&
    `${formatNumberOf(value.waitingHere, "call")} for tasks ${value.waitingHere === 1 ? "waits" : "wait"} on this node`;
  return (
    <Panel title="Its consumers" note={note ?? undefined}>
      {!value && (problem ? <ProblemView problem={problem} /> : <Skeleton lines={3} />)}
      {value && value.claims.length === 0 && <p class="body muted">No consumer works on a task of it.</p>}
      {value && value.claims.length > 0 && (
        <DataTable caption="Claims" columns={columns} rows={value.claims} rowKey={({ taskId }) => taskId} />
      )}
    </Panel>
  );
}

const columns: Column<HeldClaim>[] = [
  { head: "Consumer", isName: true, at: "a", cell: ({ consumer }) => consumer },
  {
    head: "Task",
    at: "b",
    cell: ({ taskId }) => <a href={fragmentOf({ page: "task", id: taskId })}>{taskId.slice(-12)}</a>,
  },
  { head: "Since", at: "c", cell: ({ claimedAt }) => <Instant at={claimedAt} as="distance" /> },
  { head: "Lease ends", at: "d", cell: ({ leaseUntil }) => <Instant at={leaseUntil} as="distance" /> },
];
