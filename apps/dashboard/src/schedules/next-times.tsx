import { sentenceOf } from "../api/problem.js";
import type { PreviewedInstant, Schedule, SchedulePreview } from "../api/wire.js";
import type { Feed } from "../feeds/feed.js";
import { zonedText } from "../time/exact.js";
import { Instant } from "../time/instant.js";
import { nowFor } from "../time/ticking.js";
import { zone, ownZone } from "../time/zone.js";
import { DataTable, type Column } from "../ui/data-table.js";
import { Empty } from "../ui/empty.js";
import { Panel } from "../ui/panel.js";
import { Skeleton } from "../ui/skeleton.js";
import { StateMark } from "../ui/state-mark.js";
import { noteWords } from "./schedule-words.js";

interface NextTimesProps {
  preview: Feed<SchedulePreview>;
  schedule: Schedule;
}

/** The next instants by its own clock and the reader's, with what a change of the clock does to them. */
export function NextTimes({ preview, schedule }: NextTimesProps) {
  const { timeZone, state } = schedule;
  const yours = zone.value === "utc" ? "UTC" : ownZone();
  return (
    <Panel title="Next times" note={`Zone ${timeZone}, yours is ${yours}`}>
      {state === "paused" && <p class="body small">While it is paused none of these runs.</p>}
      <Instants preview={preview} timeZone={timeZone} />
    </Panel>
  );
}

function Instants({ preview: { value, problem }, timeZone }: { preview: Feed<SchedulePreview>; timeZone: string }) {
  if (!value) return problem ? <p class="body">{sentenceOf(problem)} It is tried again.</p> : <Skeleton lines={6} />;
  if (value.items.length === 0) return <Empty icon="cal" title="No instant is left" />;
  return (
    <DataTable
      caption="Next times"
      columns={columnsFor(timeZone)}
      rows={value.items}
      rowKey={(row, index) => `${row.at} ${index}`}
    />
  );
}

function columnsFor(timeZone: string): Column<PreviewedInstant>[] {
  return [
    { head: "In its zone", at: "a", cell: (row) => <InZone row={row} timeZone={timeZone} /> },
    {
      head: "In yours",
      at: "c",
      cell: ({ at }) => (
        <span class="muted nowrap">
          <Instant at={at} isAlone />
        </span>
      ),
    },
    { head: "From now", at: "b", cell: (row) => <FromNow row={row} /> },
  ];
}

function InZone({ row, timeZone }: { row: PreviewedInstant; timeZone: string }) {
  const instant = Date.parse(row.at);
  const note = noteWords(row);
  return (
    <>
      <span class={row.runs ? "nowrap" : "nowrap muted"}>{zonedText(instant, timeZone, nowFor(instant))}</span>
      {note && <span class="two">{note}</span>}
    </>
  );
}

/** Where runs are spread, it is due later than its instant. */
function FromNow({ row: { at, dueAt, runs } }: { row: PreviewedInstant }) {
  if (!runs) return <StateMark state="skipped" text="does not run" />;
  return (
    <span class="nowrap">
      <Instant at={dueAt} as="distance" />
      {dueAt !== at && (
        <span class="two">
          spread to <Instant at={dueAt} isAlone />
        </span>
      )}
    </span>
  );
}
