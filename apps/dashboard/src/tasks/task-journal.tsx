import { sentenceOf } from "../api/problem.js";
import type { JournalEntry, JournalPage } from "../api/wire.js";
import type { Feed } from "../feeds/feed.js";
import { Instant } from "../time/instant.js";
import { DataTable, type Column } from "../ui/data-table.js";
import { Empty } from "../ui/empty.js";
import { Panel } from "../ui/panel.js";
import { Skeleton } from "../ui/skeleton.js";
import { StateMark } from "../ui/state-mark.js";

interface JournalProps {
  journal: Feed<JournalPage>;
  onMore: () => void;
}

/** The transitions of the task, as the API orders them: the first page, and more when asked. */
export function TaskJournal(props: JournalProps) {
  const { value } = props.journal;
  return (
    <Panel title="Journal" note={value && `${value.items.length}${value.nextCursor === null ? "" : " and more"}`}>
      <Entries {...props} />
    </Panel>
  );
}

function Entries({ journal: { value, problem }, onMore }: JournalProps) {
  if (!value) return problem ? <p class="body">{sentenceOf(problem)} It is tried again.</p> : <Skeleton />;
  const { items, nextCursor } = value;
  if (items.length === 0) return <Empty icon="tasks" title="The journal is empty" />;
  return (
    <>
      <DataTable caption="Journal" columns={columns} rows={items} rowKey={(_entry, index) => index} />
      {nextCursor !== null && (
        <footer>
          <button type="button" class="tiny" onClick={onMore}>
            Show more
          </button>
        </footer>
      )}
    </>
  );
}

const columns: Column<JournalEntry>[] = [
  { head: "At", at: "b", cell: ({ at }) => <Instant at={at} as="full" isAlone /> },
  { head: "Transition", at: "a", cell: ({ from, to }) => <Transition from={from} to={to} /> },
  { head: "Reason", at: "c", cell: ({ reason }) => reason && <code>{reason}</code> },
  { head: "Times", isNumber: true, isLow: true, cell: ({ count }) => String(count) },
  { head: "Attempt", isNumber: true, isLow: true, cell: ({ attempt }) => attempt ?? "–" },
  { head: "Fence", isNumber: true, isLow: true, cell: ({ fence }) => (fence === null ? "–" : String(fence)) },
  { head: "Node", at: "d", cell: ({ node }) => node && <span class="mono nowrap">{node}</span> },
  { head: "Actor", isLow: true, isWide: true, cell: ({ actor }) => actor && <span title={actor}>{actor}</span> },
];

function Transition({ from, to }: Pick<JournalEntry, "from" | "to">) {
  return (
    <span class="nowrap">
      <span class="muted">{from ?? "new"} →</span> <StateMark state={to} />
    </span>
  );
}
