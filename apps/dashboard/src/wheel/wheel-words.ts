import type { Capacity, Forecast, OverCapacity } from "../api/wire.js";
import { formatCount, formatDuration, formatNumberOf } from "../time/format.js";
import type { Wheel } from "./wheel.js";

/** `200 a second`, `about 200 a second` where it is a guess; null: it is not known. */
export function perSecondText({ perSecond, measured }: Capacity): string | null {
  return perSecond === null ? null : `${measured ? "" : "about "}${formatCount(perSecond)} a second`;
}

/** What is said of a minute beside its bars. */
export interface WheelFacts extends Pick<Forecast, "capacity" | "overdue" | "overdueAtLeast" | "countedAt"> {
  /** The first second that holds more than can be started in it. */
  readonly over: Pick<OverCapacity, "at" | "due" | "lateMs"> | null;
}

/** The wheel in a sentence, for who does not see it. */
export function wheelLabel({ due, dueInMemory, fullest }: Wheel, facts: WheelFacts): string {
  const capacity = perSecondText(facts.capacity);
  return [
    `Due in the next 60 seconds: ${formatNumberOf(due, "task")}.`,
    due > 0 && `${formatCount(dueInMemory)} within 15 seconds are in memory.`,
    fullest && `Fullest second: +${fullest.inS} s with ${formatCount(fullest.due)}.`,
    capacity && `Capacity: ${capacity}.`,
    facts.overdue > 0 && `${overdueText(facts)} overdue.`,
  ]
    .filter(Boolean)
    .join(" ");
}

/** What the minute ahead asks of the cluster. */
export function wheelSentence({ due, fullest }: Wheel, { over, capacity, countedAt }: WheelFacts): string {
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

/** `412`, `10,000+`. */
export function overdueText({ overdue, overdueAtLeast }: Pick<Forecast, "overdue" | "overdueAtLeast">): string {
  return `${formatCount(overdue)}${overdueAtLeast ? "+" : ""}`;
}

/** `85 %` of what can be started in a second; a dash where that is not known. */
export function shareText(due: number, perSecond: number | null): string {
  return perSecond ? `${formatCount(Math.round((due / perSecond) * 100))} %` : "–";
}
