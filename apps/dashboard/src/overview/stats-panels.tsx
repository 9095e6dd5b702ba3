import { taskStates, type Stats } from "../api/wire.js";
import { fragmentOf } from "../place/route.js";
import { formatCount, formatDuration } from "../time/format.js";
import { Instant } from "../time/instant.js";
import { clockText } from "../time/zone.js";
import { Figure, Spark } from "../ui/figure.js";
import { Panel } from "../ui/panel.js";
import { StateMark } from "../ui/state-mark.js";
import { limits } from "./findings.js";

interface WorkFiguresProps {
  stats: Stats;
  /** The answers so far, the newest last. */
  recent: readonly Stats[];
  /** They could not be read again: they are of then. Null: they are current. */
  staleSince: number | null;
}

/** What is due, and what went through in the last minute. */
export function WorkFigures({ stats, recent, staleSince }: WorkFiguresProps) {
  const { dueNow, oldestDueMs, lastMinute } = stats;
  const { latenessMs, started, created, succeeded, failed } = lastMinute;
  const of = (period: string): string => (staleSince === null ? period : clockText(staleSince));
  return (
    <ul class={staleSince === null ? "figures" : "figures is-stale"} aria-label="Figures">
      <Figure
        label="Lateness p99"
        of={of("last minute")}
        {...split(formatDuration(latenessMs?.p99 ?? null))}
        note={`p50 ${formatDuration(latenessMs?.p50 ?? null)}, most ${formatDuration(latenessMs?.max ?? null)}`}
      >
        <Spark values={recent.map(({ lastMinute: { latenessMs: lateness } }) => lateness?.p99 ?? null)} />
      </Figure>
      <Figure label="Started" of={of("last minute")} value={formatCount(started)} note={perSecond(started)}>
        <Spark values={recent.map((one) => one.lastMinute.started)} />
      </Figure>
      <Figure
        label="Failed attempts"
        of={of("last minute")}
        value={formatCount(failed)}
        tone={failed > 0 && "failing"}
        note={`${formatCount(succeeded)} succeeded`}
      >
        <Spark values={recent.map((one) => one.lastMinute.failed)} />
      </Figure>
      <Figure label="Created" of={of("last minute")} value={formatCount(created)} note={perSecond(created)}>
        <Spark values={recent.map((one) => one.lastMinute.created)} />
      </Figure>
      <Figure
        label="Due now"
        of={of("")}
        value={formatCount(dueNow)}
        tone={(oldestDueMs ?? 0) > limits.oldestDueWarningMs && "overdue"}
        note={dueNow > 0 && `the oldest for ${formatDuration(oldestDueMs)}`}
      >
        <Spark values={recent.map((one) => one.dueNow)} />
      </Figure>
    </ul>
  );
}

/** How many tasks there are in each state; each leads to its list. */
export function CountsPanel({ counts, countedAt }: Pick<Stats, "counts" | "countedAt">) {
  return (
    <Panel
      title="Tasks"
      note={
        <>
          counted <Instant at={countedAt} />
        </>
      }
    >
      <dl class="counts">
        {taskStates.map((state) => (
          <div key={state}>
            <dt>
              <StateMark state={state} />
            </dt>
            <dd>
              <a href={fragmentOf({ page: "tasks", filter: { state } })}>{formatCount(counts[state])}</a>
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

const perSecond = (perMinute: number): string | false => perMinute >= 60 && `${formatCount(perMinute / 60)} per second`;

/** `4.8 ms` as a number and its unit. */
function split(text: string): { value: string; unit?: string } {
  const [value = text, ...units] = text.split(" ");
  return units.length === 0 ? { value } : { value, unit: units.join(" ") };
}
