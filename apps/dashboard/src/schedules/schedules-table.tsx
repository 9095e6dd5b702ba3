import type { Schedule } from "../api/wire.js";
import { actorName } from "../keys/actor-name.js";
import { fragmentOf } from "../place/route.js";
import { formatCount, formatNumberOf } from "../time/format.js";
import { Instant } from "../time/instant.js";
import { DataTable, type Column } from "../ui/data-table.js";
import { StateMark } from "../ui/state-mark.js";
import { originWords, pauseWords, scheduleMarks, whenWords, zoneOf } from "./schedule-words.js";

export function SchedulesTable({ rows }: { rows: readonly Schedule[] }) {
  return <DataTable caption="Schedules" columns={columns} rows={rows} rowKey={({ name }) => name} />;
}

const columns: Column<Schedule>[] = [
  { head: "Schedule", at: "a", cell: (row) => <Name row={row} /> },
  { head: "When", at: "c", cell: (row) => <When row={row} /> },
  { head: "Zone", isLow: true, cell: (row) => <span class="nowrap muted">{zoneOf(row) ?? "–"}</span> },
  { head: "State", at: "c2", cell: ({ state }) => <StateMark state={scheduleMarks[state]} text={state} /> },
  { head: "Next", at: "b", cell: ({ nextAt }) => <Next at={nextAt} /> },
  { head: "Failures", isNumber: true, cell: ({ failures }) => <Failures count={failures} /> },
  { head: "From", isLow: true, cell: (row) => <span class="muted wrap">{originWords(row, actorName)}</span> },
];

function Name({ row }: { row: Schedule }) {
  const { name, pause, failures } = row;
  return (
    <>
      <a class="row wrap" href={fragmentOf({ page: "schedule", name })}>
        {name}
      </a>
      {pause && (
        <span class="two ink is-paused wrap">
          {pauseWords(pause, actorName)}, since <Instant at={pause.since} isAlone />
        </span>
      )}
      {failures > 0 && <span class="two ink is-failing">{formatNumberOf(failures, "run")} in a row failed</span>}
    </>
  );
}

/** In words; the expression stands below, unless it is all that there is. */
function When({ row }: { row: Schedule }) {
  const words = whenWords(row);
  if (words === row.cron) return <span class="mono">{words}</span>;
  return (
    <>
      {words}
      {row.cron !== null && <span class="two mono">{row.cron}</span>}
    </>
  );
}

function Next({ at }: { at: string | null }) {
  if (at === null) return <>–</>;
  return (
    <span class="nowrap">
      <Instant at={at} as="distance" />
      <span class="two">
        <Instant at={at} isAlone />
      </span>
    </span>
  );
}

function Failures({ count }: { count: number }) {
  return <span class={count > 0 ? "ink is-failing strong" : undefined}>{formatCount(count)}</span>;
}
