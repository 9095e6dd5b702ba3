import type { Ahead } from "../api/asked.js";
import type { Forecast } from "../api/wire.js";
import { formatCount, formatDuration, formatNumberOf } from "../time/format.js";

/** What is coming, in words. Pure. */

export const aheadTexts: Readonly<Record<Ahead, string>> = { "1h": "the next hour", "24h": "24 h", "30d": "30 days" };
const bucketWords: Readonly<Record<Ahead, string>> = { "1h": "minute", "24h": "hour", "30d": "day" };

export interface ComingWords {
  /** The sentence that matters, if there is one. */
  readonly lead: string | null;
  readonly rest: string;
}

/** The sentence about the first bucket over capacity; `when` names its start. */
export function comingWords(
  forecast: Forecast,
  { ahead, when }: { ahead: Ahead; when: (at: string) => string },
): ComingWords {
  const { over, capacity, nextDueAt } = forecast;
  const bucket = bucketWords[ahead];
  if (over) {
    const limit = `${capacity.measured ? "" : "about "}${formatCount(over.capacity)}`;
    return {
      lead: `${when(over.at)} brings ${formatNumberOf(over.due, "task")} in one ${bucket}, ${limit} is the ${capacity.measured ? "measured capacity" : "capacity"}.`,
      rest: `The last of them starts about ${formatDuration(over.lateMs)} late; nothing is lost. ${shareWords(over)}`,
    };
  }
  if (comingIn(forecast) === 0) return { lead: null, rest: nothingWords(ahead, nextDueAt && when(nextDueAt)) };
  const limit = capacityText({ capacity }, ahead);
  if (limit === null) return { lead: null, rest: "Nothing has run in the last day, so no capacity is known yet." };
  const full = overBySchedules(forecast, ahead);
  if (full) {
    const { at, due, fromSchedules } = full;
    const count = formatNumberOf(due + fromSchedules, "task");
    return {
      lead: null,
      rest: `With what schedules will make, ${when(at)} brings about ${count} in one ${bucket}: more than can start, ${limit}.`,
    };
  }
  return { lead: null, rest: `No ${bucket} of ${aheadTexts[ahead]} brings more than can start: ${limit}.` };
}

/** The first bucket that holds more than can start if schedules make all that they may. */
function overBySchedules({ buckets, capacity }: Forecast, ahead: Ahead): Forecast["buckets"][number] | undefined {
  const limit = capacityPerBucket(capacity.perSecond, ahead);
  return limit === null ? undefined : buckets.find(({ due, fromSchedules }) => due + fromSchedules > limit);
}

function shareWords({ due, type, typeDue }: NonNullable<Forecast["over"]>): string {
  const share = typeDue * 2 > due ? "Most are" : "The largest part is";
  return `${share} ${type} (${formatCount(typeDue)}): spread its due times, or add nodes or places.`;
}

function nothingWords(ahead: Ahead, next: string | null): string {
  return next === null
    ? `Nothing is due in ${aheadTexts[ahead]}.`
    : `Nothing is due in ${aheadTexts[ahead]}. Next due ${next}.`;
}

/** `12,000 a minute`, `about 12,000 a minute` where it is a guess; null: it is not known. */
export function capacityText({ capacity: { perSecond, measured } }: Pick<Forecast, "capacity">, ahead: Ahead) {
  const limit = capacityPerBucket(perSecond, ahead);
  return limit === null ? null : `${measured ? "" : "about "}${formatCount(limit)} ${an(bucketWords[ahead])}`;
}

const an = (word: string): string => `${word === "hour" ? "an" : "a"} ${word}`;

const bucketS: Readonly<Record<Ahead, number>> = { "1h": 60, "24h": 3600, "30d": 86_400 };

export function capacityPerBucket(perSecond: number | null, ahead: Ahead): number | null {
  return perSecond === null || perSecond === 0 ? null : Math.round(perSecond * bucketS[ahead]);
}

export function dueIn({ buckets }: Pick<Forecast, "buckets">): number {
  return buckets.reduce((sum, bucket) => sum + bucket.due, 0);
}

/** About how many tasks schedules will make. */
export function madeIn({ buckets }: Pick<Forecast, "buckets">): number {
  return buckets.reduce((sum, bucket) => sum + bucket.fromSchedules, 0);
}

/** What is due, and what schedules will make. */
export function comingIn(forecast: Pick<Forecast, "buckets">): number {
  return dueIn(forecast) + madeIn(forecast);
}

/** `At least 3,576,966 tasks are due in 24 h, and about 1,440 more that schedules will make.` */
export function dueText(forecast: Forecast, ahead: Ahead): string {
  const due = dueIn(forecast);
  const made = madeIn(forecast);
  const lead = `${forecast.incomplete ? "At least " : ""}${formatNumberOf(due, "task")} ${due === 1 ? "is" : "are"} due in ${aheadTexts[ahead]}`;
  if (made === 0) return `${lead}.`;
  const cut = forecast.schedulesCut ? ", of which not all were counted" : "";
  return `${lead}, and about ${formatCount(made)} more that schedules will make${cut}.`;
}

export interface TypeAhead {
  readonly type: string;
  /** By how far ahead; null: not among those that are counted by name. */
  readonly due: Readonly<Record<Ahead, number | null>>;
}

/** What is due of each type in each time ahead, most of `ahead` first. */
export function typesAhead(forecasts: Readonly<Record<Ahead, Forecast | null>>, ahead: Ahead): TypeAhead[] {
  const all = Object.values(forecasts).flatMap((forecast) => forecast?.types ?? []);
  const names = [...new Set(all.map(({ type }) => type))];
  const rows = names.map((type) => ({
    type,
    due: {
      "1h": dueOf(forecasts["1h"], type),
      "24h": dueOf(forecasts["24h"], type),
      "30d": dueOf(forecasts["30d"], type),
    },
  }));
  return rows.sort((one, other) => (other.due[ahead] ?? 0) - (one.due[ahead] ?? 0) || (one.type < other.type ? -1 : 1));
}

function dueOf(forecast: Forecast | null, type: string): number | null {
  if (!forecast) return null;
  const found = forecast.types.find((one) => one.type === type);
  return found?.due ?? (forecast.otherTypes === 0 ? 0 : null);
}
