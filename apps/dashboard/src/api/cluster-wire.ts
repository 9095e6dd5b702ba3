import type { Capacity } from "./figures.js";

/** What the API sends of what happens to a cluster, as far as the page uses it. Instants are ISO 8601 strings. */

export interface EventNode {
  readonly bootId: string;
  readonly label: string | null;
}

/** By its kind, what is known of an event. */
export interface EventFacts {
  readonly JOINED: { readonly version: string; readonly typeCount: number; readonly places: number };
  readonly TERM: { readonly term: number; readonly before: EventNode | null };
  readonly VIEW: { readonly view: number; readonly term: number; readonly nodeCount: number };
  readonly TAKEOVER: {
    readonly view: number;
    /** `ASKED`: it asked to be left out of the view. */
    readonly from: readonly (EventNode & { readonly left: "ASKED" | "SILENT" })[];
    readonly slots: number;
    readonly loadMs: number;
    readonly late: number;
  };
  readonly SUSPECT: { readonly silentMs: number; readonly missedBeats: number; readonly seenBy: string };
  readonly RECOVERED: { readonly seenBy: string };
  readonly DEAD: {
    readonly silentMs?: number;
    readonly missedBeats?: number;
    readonly suspectMs?: number;
    readonly term: number;
    readonly led: boolean;
    readonly blocked: { readonly forMs: number } | null;
    readonly orphanedTypes: readonly string[];
  };
  readonly REAPED: { readonly nodes: readonly string[]; readonly tasks: number; readonly dead: number };
  readonly DRAINING: Readonly<Record<string, never>>;
  readonly DRAINED: { readonly lastedMs: number; readonly givenBack: number };
  readonly LEFT: { readonly orphanedTypes: readonly string[] };
}
export type EventKind = keyof EventFacts;

export type ClusterEvent = {
  readonly [Kind in EventKind]: {
    /** Digits; of two events, the one that was written later has the higher one. */
    readonly id: string;
    readonly at: string;
    readonly kind: Kind;
    /** Null: it is about several nodes. */
    readonly node: (EventNode & { readonly name: string | null }) | null;
    readonly lastBeatAt: string | null;
    readonly facts: EventFacts[Kind];
  };
}[EventKind];

export interface EventPage {
  /** Newest first. */
  readonly items: readonly ClusterEvent[];
  readonly nextCursor: string | null;
}

/** What is due in each of the next 60 seconds. */
export interface WheelShare {
  readonly seconds: readonly number[];
  readonly overdue: number;
  /** Counting ended before all overdue tasks were seen: there may be more. */
  readonly overdueAtLeast: boolean;
  readonly nextDueAt: string | null;
}

/** The minute to come of all namespaces, and each node's share of it. */
export interface ClusterWheel {
  readonly countedAt: string;
  /** There is more than was counted. */
  readonly incomplete: boolean;
  readonly capacity: Capacity;
  readonly all: WheelShare;
  /** Most first. */
  readonly fullest: readonly {
    readonly inS: number;
    readonly due: number;
    readonly types: readonly { readonly type: string; readonly due: number }[];
  }[];
  readonly nodes: readonly (WheelShare & {
    readonly bootId: string;
    readonly label: string;
    /** Entries in its wheel, as its newest beat told. */
    readonly inMemory: number | null;
  })[];
  readonly otherNodes: number;
  /** What no node owns. */
  readonly nobody: WheelShare;
}
