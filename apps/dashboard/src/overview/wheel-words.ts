import type { Capacity, Forecast } from "../api/figures.js";
import { formatCount, formatDuration, formatNumberOf } from "../time/format.js";
import type { Wheel } from "./wheel.js";

/** `200 a second`, `about 200 a second` where it is a guess; null: it is not known. */
export function perSecondText({ perSecond, measured }: Capacity): string | null {
  return perSecond === null ? null : `${measured ? "" : "about "}${formatCount(perSecond)} a second`;
}

/** The wheel in a sentence, for who does not see it. */
export function wheelLabel({ due, dueInMemory, fullest }: Wheel, forecast: Forecast): string {
  const capacity = perSecondText(forecast.capacity);
  return [
    `Due in the next 60 seconds: ${formatNumberOf(due, "task")}.`,
    due > 0 && `${formatCount(dueInMemory)} within 15 seconds are in memory.`,
    fullest && `Fullest second: +${fullest.inS} s with ${formatCount(fullest.due)}.`,
    capacity && `Capacity: ${capacity}.`,
    forecast.overdue > 0 && `${overdueText(forecast.overdue)} overdue.`,
  ]
    .filter(Boolean)
    .join(" ");
}

/** What the minute ahead asks of the cluster. */
export function wheelSentence({ due, fullest }: Wheel, { over, capacity, countedAt }: Forecast): string {
  const limit = perSecondText(capacity);
  if (due === 0 || !fullest) return "Nothing is due in 60 s.";
  if (over) {
    const inS = Math.max(0, Math.round((Date.parse(over.at) - Date.parse(countedAt)) / 1000));
    const best = capacity.measured ? "is the best the nodes have shown" : "is what their places allow";
    return `+${inS} s brings ${formatCount(over.due)} at once; ${limit} ${best}, so the last starts about ${formatDuration(over.lateMs)} late.`;
  }
  const second = `The fullest second is +${fullest.inS} s with ${formatNumberOf(fullest.due, "task")}`;
  return limit ? `${second}; the cluster starts ${limit}.` : `${second}. Nothing has run yet, so no capacity is known.`;
}

/** At most 10,000 are counted. */
export function overdueText(overdue: number): string {
  return overdue >= 10_000 ? "10,000 or more" : formatCount(overdue);
}
