import type { JournalEntry, JournalPage } from "../api/wire.js";
import { sentenceOf } from "../api/problem.js";
import type { Feed } from "../feed.js";
import { Badge } from "../ui/badge.js";
import { DataTable, type Column } from "../ui/data-table.js";
import { Instant } from "../ui/instant.js";

interface JournalProps {
  journal: Feed<JournalPage>;
  onMore: () => void;
}

/** The transitions of the task, as the API orders them: the first page, and more when asked. */
export function TaskJournal(props: JournalProps) {
  return (
    <section class="panel" aria-labelledby="journal">
      <h2 id="journal">Journal</h2>
      <Entries {...props} />
    </section>
  );
}

function Entries({ journal: { value, problem, readAt }, onMore }: JournalProps) {
  if (!value) return <p class="empty">{problem ? `${sentenceOf(problem)} Retrying…` : "Reading…"}</p>;
  const { items, nextCursor } = value;
  if (items.length === 0) return <p class="empty">The journal is empty.</p>;
  return (
    <>
      <DataTable
        caption="Journal"
        columns={columnsFor(readAt ?? Date.now())}
        rows={items}
        rowKey={(_entry, index) => index}
      />
      {nextCursor !== null && (
        <button type="button" onClick={onMore}>
          Show more
        </button>
      )}
    </>
  );
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
    { head: "Count", isNumber: true, cell: ({ count }) => String(count) },
    { head: "Attempt", isNumber: true, cell: ({ attempt }) => attempt ?? "–" },
    { head: "Fence", isNumber: true, cell: ({ fence }) => (fence === null ? "–" : String(fence)) },
    { head: "Node", cell: ({ node }) => <span class="mono">{node ?? "–"}</span> },
    { head: "Actor", cell: ({ actor }) => actor ?? "–" },
  ];
}
