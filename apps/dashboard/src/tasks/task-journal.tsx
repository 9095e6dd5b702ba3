import type { JournalEntry } from "../api/wire.js";
import { sentenceOf } from "../api/problem.js";
import type { Feed } from "../feed.js";
import { Badge } from "../ui/badge.js";
import { DataTable, type Column } from "../ui/data-table.js";
import { Instant } from "../ui/instant.js";

/** Every transition of the task, as the API orders them. */
export function TaskJournal({ journal }: { journal: Feed<readonly JournalEntry[]> }) {
  return (
    <section class="panel" aria-labelledby="journal">
      <h2 id="journal">Journal</h2>
      <Entries journal={journal} />
    </section>
  );
}

function Entries({ journal: { value, problem, readAt } }: { journal: Feed<readonly JournalEntry[]> }) {
  if (!value) return <p class="empty">{problem ? `${sentenceOf(problem)} Retrying…` : "Reading…"}</p>;
  if (value.length === 0) return <p class="empty">The journal is empty.</p>;
  const columns = columnsFor(readAt ?? Date.now());
  return <DataTable caption="Journal" columns={columns} rows={value} rowKey={(_entry, index) => index} />;
}

function columnsFor(now: number): Column<JournalEntry>[] {
  return [
    { head: "At", cell: ({ at }) => <Instant at={at} as="full" now={now} /> },
    {
      head: "Transition",
      cell: ({ from, to }) => (
        <>
          {from ? <Badge state={from} /> : "new"} → <Badge state={to} />
        </>
      ),
    },
    { head: "Reason", cell: ({ reason }) => reason ?? "–" },
    { head: "Attempt", isNumber: true, cell: ({ attempt }) => attempt ?? "–" },
    { head: "Fence", isNumber: true, cell: ({ fence }) => (fence === null ? "–" : String(fence)) },
    { head: "Node", cell: ({ node }) => <span class="mono">{node ?? "–"}</span> },
    { head: "Actor", cell: ({ actor }) => actor ?? "–" },
  ];
}
