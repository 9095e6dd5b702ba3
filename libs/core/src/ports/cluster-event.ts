import type { BlockedLoop, Silence } from "./cluster-store.js";
import type { SettableValues } from "./setting-store.js";
import type { BootId, EpochMs } from "../task/task.js";

/** What can happen to a cluster, in the order of a node's life, and what people change. */
export const CLUSTER_EVENT_KINDS = [
  "JOINED",
  "TERM",
  "VIEW",
  "TAKEOVER",
  "SUSPECT",
  "RECOVERED",
  "DEAD",
  "REAPED",
  "DRAINING",
  "DRAINED",
  "LEFT",
  "SETTINGS_CHANGED",
  "BREAKER_OPENED",
  "BREAKER_CLOSED",
] as const;
export type ClusterEventKind = (typeof CLUSTER_EVENT_KINDS)[number];

/** An event names at most so many types or nodes; the facts also tell how many there are. */
export const MAX_EVENT_NAMES = 100;

/** What is known of an event, by its kind. Types are names without namespaces. */
export interface ClusterEventFacts {
  /** A process has become a node, under a new boot id. */
  JOINED: {
    version: string;
    /** At most `MAX_EVENT_NAMES`. */
    types: readonly string[];
    typeCount: number;
    /** Executions that it may have at once; 0: not told. */
    places: number;
  };
  /** The node leads from here on. `before`: who held the term until then; null: nobody did. */
  TERM: { term: number; before: EventNode | null };
  /** The leader has published a view: who is there. `nodes`: at most `MAX_EVENT_NAMES`. */
  VIEW: { view: number; term: number; nodes: readonly EventNode[]; nodeCount: number };
  /**
   * The node has loaded the tasks of slots that came to it from nodes that are not in its view any more. `slots`: how
   * many came, of all types. `loadMs`: how long the load took. `late`: how many of the loaded tasks were late already.
   */
  TAKEOVER: { view: number; from: readonly FormerOwner[]; slots: number; loadMs: number; late: number };
  /** The leader does not hear the node's beats any more. */
  SUSPECT: Silence & { seenBy: string };
  /** A suspect node beats again. */
  RECOVERED: { seenBy: string };
  /** The leader has declared the node dead. */
  DEAD: Partial<Silence> & {
    /** For how long the leader has held it for suspect. */
    suspectMs?: number;
    term: number;
    /** Whether this leader's term was taken from it. */
    led: boolean;
    /** What its last beat told of a blocked event loop; null: it turned. */
    blocked: BlockedLoop | null;
    /** Types that no live node runs any more; at most `MAX_EVENT_NAMES`. */
    orphanedTypes: readonly string[];
  };
  /** The leader has taken back the running tasks of dead nodes. `dead`: how many of them had crashed too many nodes. */
  REAPED: { nodes: readonly BootId[]; tasks: number; dead: number };
  /** The node claims no more. */
  DRAINING: Record<string, never>;
  /** The node's drain is over. `givenBack`: tasks whose handlers did not end in time. */
  DRAINED: { lastedMs: number; givenBack: number };
  /** The node has said goodbye. `orphanedTypes`: as of `DEAD`. */
  LEFT: { orphanedTypes: readonly string[] };
  /** Somebody has changed what every node obeys. It names no key: a key may be a person's. */
  SETTINGS_CHANGED: {
    actor: string;
    /** The revision that the change has made. */
    timeline: number;
    number: number;
    /** `SET`: values of a type. */
    change: "PAUSED" | "RESUMED" | "SET";
    /** What was changed. `TYPE`: also its values. */
    of: "NAMESPACE" | "TYPE" | "KEY";
    namespace: string;
    /** Null: the namespace was. */
    type: string | null;
    /** The end of a pause. Null: until somebody ends it. */
    until?: EpochMs | null;
    /** For `SET`: the values that were given. */
    values?: Partial<SettableValues>;
  };
  /** Too many attempts of a type have failed on the node: nothing of it starts for so long, and then one task. */
  BREAKER_OPENED: { namespace: string; type: string; forMs: number };
  /** The node's trial of an open type has succeeded. `actor`: who has closed it instead; null: nobody. */
  BREAKER_CLOSED: { namespace: string; type: string; openedAt: EpochMs; actor: string | null };
}

/** A node that an event names. */
export interface EventNode {
  bootId: BootId;
  label: string | null;
}

/** `ASKED`: it asked to be left out of the view. `SILENT`: it did not. */
export interface FormerOwner extends EventNode {
  left: "ASKED" | "SILENT";
}

/** Something that has just happened to a node, or that it did. */
export type ClusterEventDraft = {
  [Kind in ClusterEventKind]: {
    kind: Kind;
    /** The node that the event is about; null: it is about several. */
    bootId: BootId | null;
    facts: ClusterEventFacts[Kind];
  };
}[ClusterEventKind];

/** Something that has happened to the cluster, as it was written down. */
export type ClusterEvent = ClusterEventDraft & {
  /** Unique; of two events of one instant, the one that was written later has the higher one. */
  id: string;
  at: EpochMs;
  /** The label of the node, as of then; null: unknown, or it is about several. */
  label: string | null;
  name: string | null;
};

/** When the node beat last, by an event of its silence; null: it is not known. */
export function lastBeatAt({ at, facts }: Pick<ClusterEvent, "at" | "facts">): EpochMs | null {
  return "silentMs" in facts && facts.silentMs !== undefined ? Math.round(at - facts.silentMs) : null;
}
