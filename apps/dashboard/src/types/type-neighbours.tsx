import type { DeadGroup, DeadGroupPage, Schedule, SchedulePage } from "../api/wire.js";
import { useReading } from "../feeds/use-reading.js";
import { fragmentOf } from "../place/route.js";
import { formatCount, formatNumberOf } from "../time/format.js";
import { Instant } from "../time/instant.js";
import { DataTable, type Column } from "../ui/data-table.js";
import { Panel } from "../ui/panel.js";
import { ProblemView } from "../ui/problem-view.js";
import { Skeleton } from "../ui/skeleton.js";
import { CauseName } from "../dead/dead-table.js";
import { whenWords } from "../schedules/schedule-words.js";

/** How many causes and schedules are shown; a link leads to the others. */
const shown = 5;
/** They are read so often. */
const everyMs = 10_000;

/** Why its tasks are dead, the causes with the most first. */
export function DeadOfType({ type }: { type: string }) {
  const query = new URLSearchParams({ type, limit: String(shown) });
  const { value, problem } = useReading<DeadGroupPage>(`/dead-letters?${query}`, everyMs);
  const more = (
    <a class="btn tiny bare" href={fragmentOf({ page: "dead", filter: { type } })}>
      All causes
    </a>
  );
  return (
    <Panel title="Its dead tasks by cause" more={value && value.items.length > 0 && more}>
      {!value && (problem ? <ProblemView problem={problem} /> : <Skeleton lines={3} />)}
      {value && value.items.length === 0 && <p class="body muted">None of its tasks is dead.</p>}
      {value && value.items.length > 0 && (
        <DataTable
          caption="Causes"
          columns={causes}
          rows={value.items.map((group) => ({ ...group, id: group.fingerprint ?? "" }))}
          rowKey={({ id }) => id}
        />
      )}
    </Panel>
  );
}

const causes: Column<DeadGroup & { id: string }>[] = [
  { head: "Dead", isNumber: true, at: "b", cell: ({ count }) => <b class="ink is-dead">{formatCount(count)}</b> },
  { head: "Error", isName: true, at: "a", cell: (group) => <CauseName group={group} /> },
  { head: "Last", at: "c", cell: ({ lastAt }) => <Instant at={lastAt} as="distance" /> },
];

/** The schedules that make its tasks. */
export function SchedulesOfType({ type }: { type: string }) {
  const query = new URLSearchParams({ type, limit: String(shown) });
  const { value, problem } = useReading<SchedulePage>(`/schedules?${query}`, everyMs);
  return (
    <Panel
      title="Its schedules"
      note={value?.nextCursor ? `The first ${formatNumberOf(shown, "schedule")}` : undefined}
    >
      {!value && (problem ? <ProblemView problem={problem} /> : <Skeleton lines={3} />)}
      {value && value.items.length === 0 && <p class="body muted">No schedule makes its tasks.</p>}
      {value && value.items.length > 0 && (
        <DataTable caption="Its schedules" columns={schedules} rows={value.items} rowKey={({ name }) => name} />
      )}
    </Panel>
  );
}

const schedules: Column<Schedule>[] = [
  {
    head: "Schedule",
    at: "a",
    cell: ({ name }) => (
      <a class="row wrap" href={fragmentOf({ page: "schedule", name })}>
        {name}
      </a>
    ),
  },
  { head: "When", at: "c", cell: (schedule) => whenWords(schedule) },
  { head: "Next", at: "b", cell: ({ nextAt }) => (nextAt === null ? "–" : <Instant at={nextAt} as="distance" />) },
];
