import type { Cluster, Forecast, History, Stats, TypeFigures } from "../api/wire.js";
import { rateText } from "../charts/history-charts.js";
import { formatCount, formatDuration } from "../time/format.js";
import { clockText } from "../time/zone.js";
import { Figure, Spark, SparkBars } from "../ui/figure.js";
import { columnsOf } from "../charts/history-columns.js";
import { failedNote, overdueNote, placesOf } from "./figure-words.js";
import { overdueText } from "../wheel/wheel-words.js";

interface OverviewFiguresProps {
  stats: Stats;
  wheel: Forecast | null;
  types: readonly TypeFigures[];
  cluster: Cluster | null;
  /** The history of the last hour, of all types. */
  history: History | null;
  /** How many were overdue, as far as the page has seen. */
  overdue: readonly number[];
  /** The figures are of then, in milliseconds of the epoch; null: they are current. */
  staleSince: number | null;
}

/** Five figures with their last hour. */
export function OverviewFigures({ stats, wheel, types, cluster, history, overdue, staleSince }: OverviewFiguresProps) {
  const columns = history && columnsOf(history);
  const { latenessMs, started, skipped, created, failed } = stats.lastMinute;
  const of = (period: string): string => (staleSince === null ? period : clockText(staleSince));
  const failedInHour = history?.buckets.reduce((sum, bucket) => sum + bucket.failed, 0);
  const places = placesOf(cluster, history);
  return (
    <ul class={staleSince === null ? "figures" : "figures is-stale"} aria-label="Figures">
      <Figure
        label="Lateness p99"
        of={of("last minute")}
        {...split(formatDuration(latenessMs?.p99 ?? null))}
        note={`p50 ${formatDuration(latenessMs?.p50 ?? null)}, most ${formatDuration(latenessMs?.max ?? null)}`}
      >
        <Spark values={columns?.p99 ?? []} />
      </Figure>
      <Figure
        label="Starts"
        of={of("per second")}
        {...split(rateText(started / 60))}
        note={`created ${rateText(created / 60)}${skipped > 0 ? `, ${formatCount(skipped)} skipped` : ""}`}
      >
        <Spark values={columns?.started ?? []} />
      </Figure>
      <Figure
        label="Failed attempts"
        of={of("last minute")}
        value={formatCount(failed)}
        tone={failed > 0 && "failing"}
        note={failedNote({ failed, started, failedInHour })}
      >
        <SparkBars values={columns?.failed ?? []} fill="failing" />
      </Figure>
      <OverdueFigure wheel={wheel} types={types} seen={overdue} of={of} />
      <Figure label="Places used" of={of(places.of)} value={places.used} note={places.note}>
        <Spark values={columns?.places ?? []} />
      </Figure>
    </ul>
  );
}

interface OverdueFigureProps extends Pick<OverviewFiguresProps, "wheel" | "types"> {
  seen: readonly number[];
  of: (period: string) => string;
}

function OverdueFigure({ wheel, types, seen, of }: OverdueFigureProps) {
  const due = wheel?.overdue ?? 0;
  return (
    <Figure
      label="Overdue now"
      of={of("")}
      value={wheel ? overdueText(wheel) : "–"}
      tone={due > 0 && "overdue"}
      note={due > 0 ? `oldest ${formatDuration(wheel?.oldestOverdueMs)}, ${overdueNote(types)}` : overdueNote(types)}
    >
      <SparkBars values={seen} fill="over" />
    </Figure>
  );
}

/** `4.8 ms` as a number and its unit. */
function split(text: string): { value: string; unit?: string } {
  const [value = text, ...units] = text.split(" ");
  return units.length === 0 ? { value } : { value, unit: units.join(" ") };
}
