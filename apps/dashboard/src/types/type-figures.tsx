import type { TypeFigures } from "../api/wire.js";
import { rateText } from "../charts/history-charts.js";
import { formatDuration } from "../time/format.js";
import { clockText } from "../time/zone.js";
import { Figure } from "../ui/figure.js";
import { overdueText } from "../wheel/wheel-words.js";
import { endedText, needOf, runningText, shareText, waitsText } from "./type-words.js";

interface TypeFiguresListProps {
  figures: TypeFigures;
  /** In milliseconds of the epoch; null: nobody knows. */
  countedAt: number | null;
}

/** Five figures of a type. */
export function TypeFiguresList({ figures, countedAt }: TypeFiguresListProps) {
  const { overdue, oldestOverdueMs, startsPerSecond, latenessMs, failedShare, waitsFor } = figures;
  const [late, unit] = formatDuration(latenessMs?.p99 ?? null).split(" ");
  return (
    <ul class="figures" aria-label="Figures">
      <Figure
        label="Due now"
        of={countedAt === null ? "" : clockText(countedAt)}
        value={overdueText(figures)}
        tone={overdue > 0 && waitsFor === "HANDLER" && "overdue"}
        note={overdue > 0 ? `oldest ${formatDuration(oldestOverdueMs)}; ${waitsText(figures)}` : "nothing waits"}
      />
      <Figure label="Running" value={runningText(figures)} />
      <Figure label="Starts" of="per second" value={rateText(startsPerSecond)} note={endedText(figures)} />
      <Figure
        label="Late p99"
        of="five minutes"
        value={late}
        unit={unit}
        note={`p50 ${formatDuration(latenessMs?.p50 ?? null)}`}
      />
      <Figure
        label="Failed"
        of="of the attempts of five minutes"
        value={shareText(failedShare)}
        tone={needOf(figures) === "failing" && "failing"}
      />
    </ul>
  );
}
