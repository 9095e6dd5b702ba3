import { useSignal } from "@preact/signals";
import { sentenceOf } from "../api/problem.js";
import type { ScheduleRun, ScheduleRunPage } from "../api/wire.js";
import type { Feed } from "../feeds/feed.js";
import { fragmentOf } from "../place/route.js";
import { formatCount, formatDuration } from "../time/format.js";
import { Instant } from "../time/instant.js";
import { DataTable, type Column } from "../ui/data-table.js";
import { Empty } from "../ui/empty.js";
import { Panel } from "../ui/panel.js";
import { Skeleton } from "../ui/skeleton.js";
import { StateMark } from "../ui/state-mark.js";
import { barsSentence, runBars } from "./run-bars.js";
import { runMark, runNotes } from "./schedule-words.js";

/** The newest runs as bars; nothing while there is none. */
export function RunStrip({ runs: { value } }: { runs: Feed<ScheduleRunPage> }) {
  if (!value || value.items.length === 0) return null;
  const bars = runBars(value.items, Date.now());
  const sentence = barsSentence(bars);
  return (
    <Panel title="Last runs" note="Height is lateness, logarithmic from 1 ms to 10 s; hollow is skipped">
      <div class="body">
        <span class="strip" role="img" aria-label={sentence}>
          {bars.map(({ state, heightPercent }, index) => (
            <i key={index} class={`is-${state}`} style={{ "--h": `${heightPercent}%` }} />
          ))}
        </span>
        <p class="small muted">{sentence}</p>
      </div>
    </Panel>
  );
}

/** How many rows are shown at first: the bars above show the rest of what was read. */
const rowsAtFirst = 12;

interface RunsPanelProps {
  runs: Feed<ScheduleRunPage>;
  onMore: () => void;
}

/** Its runs and skipped instants, the newest first. */
export function RunsPanel({ runs: { value, problem }, onMore }: RunsPanelProps) {
  const isWhole = useSignal(false);
  const rows = value?.items.slice(0, isWhole.value ? undefined : rowsAtFirst) ?? [];
  const hasMore = value !== null && (rows.length < value.items.length || value.nextCursor !== null);
  const showMore = (): void => {
    if (isWhole.value) onMore();
    else isWhole.value = true;
  };
  return (
    <Panel
      title="Runs and skips"
      note={value && `${value.items.length}${value.nextCursor === null ? "" : " and more"}`}
    >
      {!value && (problem ? <p class="body">{sentenceOf(problem)} It is tried again.</p> : <Skeleton lines={6} />)}
      {value?.items.length === 0 && <Empty icon="cal" title="Nothing has run yet" />}
      {rows.length > 0 && <DataTable caption="Runs" columns={columns} rows={rows} rowKey={keyOf} />}
      {hasMore && (
        <footer>
          <button type="button" class="tiny" onClick={showMore}>
            Show more
          </button>
        </footer>
      )}
    </Panel>
  );
}

function keyOf(run: ScheduleRun): string {
  return run.kind === "skip" ? `${run.reason} ${run.from} ${run.to}` : run.taskId;
}

const columns: Column<ScheduleRun>[] = [
  { head: "For", at: "a", cell: (run) => <For run={run} /> },
  { head: "Outcome", at: "c", cell: (run) => <Outcome run={run} /> },
  { head: "Late", isNumber: true, at: "b", cell: (run) => formatDuration(run.kind === "skip" ? null : run.latenessMs) },
  { head: "Took", isNumber: true, isLow: true, cell: (run) => formatDuration(tookMs(run)) },
];

/** The instant that it stood for; it leads to its task while there is one. */
function For({ run }: { run: ScheduleRun }) {
  if (run.kind !== "skip") {
    const instant = <Instant at={run.at} isAlone />;
    if (run.outcome === "gone") return <span class="nowrap">{instant}</span>;
    return (
      <a class="row nowrap" href={fragmentOf({ page: "task", id: run.taskId })}>
        {instant}
      </a>
    );
  }
  const { from, to, count, more } = run;
  return (
    <>
      <span class="nowrap">
        <Instant at={from} isAlone />
      </span>
      {to !== from && (
        <span class="two">
          to <Instant at={to} isAlone />, {more && "at least "}
          {formatCount(count)} times
        </span>
      )}
    </>
  );
}

function Outcome({ run }: { run: ScheduleRun }) {
  const { state, text } = runMark(run, Date.now());
  return (
    <>
      <StateMark state={state} text={text} />
      {runNotes(run).map((note) => (
        <span key={note} class="two">
          {note}
        </span>
      ))}
    </>
  );
}

function tookMs(run: ScheduleRun): number | null {
  if (run.kind === "skip" || run.startedAt === null || run.finishedAt === null) return null;
  return Date.parse(run.finishedAt) - Date.parse(run.startedAt);
}
