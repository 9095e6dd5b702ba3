import type { ClusterEvent, HistoryRange } from "../api/wire.js";

/** The events that the page holds, and how they change with each answer. Pure. */

/** How many events are held and drawn at most: the newest. */
export const mostEvents = 1_000;

/** How far back each range goes, in milliseconds. */
export const rangeMs: Readonly<Record<HistoryRange, number>> = {
  "1h": 3_600_000,
  "24h": 86_400_000,
  "7d": 7 * 86_400_000,
};

/** Some events are written up to so long after they happened, so the end is read again. */
const overlapMs = 60_000;

export interface KnownEvents {
  /** Newest first. */
  readonly events: readonly ClusterEvent[];
  /** There are older ones within the range. */
  readonly isCut: boolean;
}

/** From where to read on, in milliseconds of the epoch. */
export function readFrom(known: KnownEvents | null, rangeFrom: number): number {
  const newest = known?.events[0];
  return newest ? Math.max(rangeFrom, Date.parse(newest.at) - overlapMs) : rangeFrom;
}

/** What is known after one more answer. Events that are older than the range go. */
export function eventsAfter(known: KnownEvents | null, read: KnownEvents, rangeFrom: number): KnownEvents {
  const byId = new Map([...(known?.events ?? []), ...read.events].map((event) => [event.id, event]));
  const events = [...byId.values()].filter(({ at }) => Date.parse(at) >= rangeFrom).sort(newestFirst);
  const oldest = events.at(-1);
  // A cut that is older than the range is over.
  const wasCut = known !== null && known.isCut && oldest !== undefined && events.length >= mostEvents;
  return { events: events.slice(0, mostEvents), isCut: read.isCut || wasCut || events.length > mostEvents };
}

/** Whether the first was written later. */
export function isLater(id: string, other: string): boolean {
  return id.length === other.length ? id > other : id.length > other.length;
}

function newestFirst(one: ClusterEvent, other: ClusterEvent): number {
  return Date.parse(other.at) - Date.parse(one.at) || (isLater(one.id, other.id) ? -1 : 1);
}
