import type { ClusterEvent, ClusterEventDraft, ClusterEventKind } from "./cluster-event.js";
import type { BootId, EpochMs } from "../task/task.js";

/**
 * What has happened to the cluster, as rows that all nodes share. What a transaction decides (`JOINED`, `TERM`, `VIEW`,
 * `DEAD`, `DRAINING`, `LEFT`) is written by that transaction of the `ClusterStore`, `SETTINGS_CHANGED` by that of the
 * `SettingStore`; the rest is appended here. Events are kept for a week, and `MAX_CLUSTER_EVENTS` at most.
 */
export interface ClusterEventStore {
  /**
   * Appends in one statement. A node has one `SUSPECT` for each silence, no matter which node leads: it is left out
   * while the last one stands, and `RECOVERED` is left out where none stands.
   */
  append(events: readonly PastEvent[]): Promise<void>;
  /** Events, newest first. */
  page(query: ClusterEventQuery): Promise<ClusterEventPage>;
}

/** An event that happened a moment ago, by the clock of the node that saw it. */
export type PastEvent = ClusterEventDraft & { agoMs: number };

/** How many events are kept at most; older ones are deleted hourly. */
export const MAX_CLUSTER_EVENTS = 20_000;
/** Events are kept for so long. */
export const CLUSTER_EVENT_DAYS = 7;
/** A page holds so many events at most. */
export const MAX_EVENT_PAGE = 200;

export interface ClusterEventQuery {
  /** Default: all. */
  kinds?: readonly ClusterEventKind[];
  /** One node's events. Default: those of all nodes. */
  node?: { bootId: BootId } | { label: string };
  /** At this instant or later. */
  from?: EpochMs;
  /** Before this instant. */
  to?: EpochMs;
  /** Only events behind this one, which was the last of a page. */
  after?: EventCursor;
  /** 1 to `MAX_EVENT_PAGE`. */
  limit: number;
}

/** A place in the order (at, id). */
export interface EventCursor {
  at: EpochMs;
  id: string;
}

export interface ClusterEventPage {
  events: ClusterEvent[];
  /** Null: there are no more. */
  next: EventCursor | null;
}

/** Takes events down without delay and without a fault; they are written when the store answers. */
export interface ClusterEventSink {
  add(event: ClusterEventDraft): void;
}
