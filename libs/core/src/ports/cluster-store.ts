import type { LimitId } from "./limit-store.js";
import type { BootId, EpochMs, TypeId } from "../task/task.js";
import type { Revision } from "./setting-store.js";

/**
 * The cluster's facts, beside the tasks: node rows, heartbeats, the leader's term, the published view. A statement that
 * changes them writes its `ClusterEvent` in the same transaction. `PostgresClusterStore` and the in-memory one pass the
 * same conformance suite. Each method is one short transaction; refusals are values.
 */
export interface ClusterStore {
  /**
   * Inserts heartbeat row and node row, state `live`, in one transaction. `places`: executions that it may have at
   * once, for the event alone; default 0, not told.
   */
  join(node: NodeRegistration & { places?: number }): Promise<void>;
  /** Updates what a live node says it can run. False: the node's row is not live. */
  updateTypes(bootId: BootId, typeIds: readonly TypeId[]): Promise<boolean>;
  /**
   * Raises the node's beat by one, and takes its lock where no session of this node holds it [lost-session]. Null:
   * there is no heartbeat row, so to the others this node is dead.
   */
  beat(bootId: BootId, vitals: NodeVitals): Promise<BeatAnswer | null>;
  readBeats(): Promise<NodeBeat[]>;
  readNodes(): Promise<NodeRecord[]>;

  /** `live` → `draining`, by a lock that waits for a claim in flight. False: it was not live. */
  startDraining(bootId: BootId): Promise<boolean>;
  /** The clean goodbye: node row `dead` and without roles, then the heartbeat row deleted. */
  leave(bootId: BootId): Promise<void>;
  /**
   * A leader's verdict: the heartbeat row is deleted by compare-and-set on its beat, the node row locked `FOR UPDATE`
   * and set to `dead`. Where its last beat told a blocked loop, the node's row keeps that, for the reap. `busy`: a
   * claim held the row longer than a second; its sessions have been ended, try again. `silence`: what the event tells
   * of it; default: nothing.
   */
  declareDead(verdict: DeathWarrant): Promise<DeathVerdict>;
  /**
   * Deletes the rows of dead nodes under which no task runs, but for the `kept` that joined last; none where the
   * leadership is over. Tasks and journals go on naming them. Returns how many.
   */
  forgetDeadNodes(leader: Leadership, kept: number): Promise<number>;

  readTerm(): Promise<Term>;
  /** Takes the term if it still is `seen`: term + 1, holder = candidate. Null: somebody was faster. */
  takeTerm(candidate: BootId, seen: Term): Promise<Leadership | null>;
  /** Raises the term's beat. False: this leadership is over. */
  keepTerm(leader: Leadership): Promise<boolean>;
  /** Clears the holder, so that the next candidate need not wait. */
  clearTerm(leader: Leadership): Promise<void>;

  /** Publishes a view whose number is one above the newest. Null: this leadership is over. */
  publishView(nodes: readonly ViewNode[], leader: Leadership): Promise<View | null>;
  readView(): Promise<View | null>;
}

/** What a beat brings back. */
export interface BeatAnswer {
  /** The number of the beat. */
  beat: number;
  /** The revision of the settings that was in force when the beat was written. */
  settings: Revision;
}

/** Row states of a node. Suspect is a word of the view, never of the row. */
export type NodeState = "live" | "draining" | "dead";

export interface NodeRegistration {
  bootId: BootId;
  /** `ip:pid`. */
  label: string;
  /** For people; default the label. */
  name?: string;
  version: string;
  roles: readonly string[];
  typeIds: readonly TypeId[];
}

export interface NodeRecord extends NodeRegistration {
  state: NodeState;
  joinedAt: EpochMs;
  /** When it left, or was declared dead. Absent or null: it has done neither. */
  endedAt?: EpochMs | null;
}

/** Whether a node has said goodbye: it is no part of the cluster any more, and nobody has to ask what became of it. */
export function hasLeft({ state, roles }: NodeRecord): boolean {
  return state === "dead" && roles.length === 0;
}

/** What a node tells about itself with each beat. */
export interface NodeVitals {
  /** It asks to be left out of the next view. */
  leaving: boolean;
  /** The newest view it acts on; 0 before the first. */
  view: number;
  term: number;
  loopLagMs: number;
  clockOffsetMs: number;
  ownedSlots: number;
  wheelSize: number;
  inFlight: number;
  /**
   * It runs tasks and has secrets that sign webhooks. Absent: it has none. Believed of Postgres alone: anybody may
   * write into Redis.
   */
  signsWebhooks?: boolean;
  /** Executions that it may have at once. Absent or 0: not told. */
  places?: number;
  /**
   * The services that it does not reach just now, beside Postgres, which it must reach to tell. Believed of Postgres
   * alone. Absent: nothing.
   */
  away?: readonly "redis"[];
  /**
   * The revision of the settings that it obeys, timeline and number. A change waits for what Postgres has alone; what
   * Redis tells serves findings. Absent: it obeys none yet.
   */
  settings?: readonly [timeline: number, number: number];
  /** Limits at which it has found no place lately, at most 100. Absent: none. A hint. */
  waits?: readonly LimitId[];
  /** Told by the heartbeat's own thread. Absent or null: the event loop turns. */
  blocked?: BlockedLoop | null;
}

/** What is known of a node before its first beat. */
export const FIRST_VITALS: NodeVitals = {
  leaving: false,
  view: 0,
  term: 0,
  loopLagMs: 0,
  clockOffsetMs: 0,
  ownedSlots: 0,
  wheelSize: 0,
  inFlight: 0,
};

/** An event loop that does the work and does not turn. */
export interface BlockedLoop {
  /** For how long so far. */
  forMs: number;
  /** What runs in it, most first: at most ten types. */
  running: readonly TypeInFlight[];
  /** The task whose handler was called last: the one that is most likely to blame. */
  lastStarted: string | null;
}
export interface TypeInFlight {
  type: string;
  count: number;
}

export interface NodeBeat {
  bootId: BootId;
  label: string;
  beat: number;
  vitals: NodeVitals;
  /** Whether a session of the node lives. Told by Postgres alone. */
  session?: NodeSession;
  /** How often this incarnation has announced itself. Told by the medium alone: it rises also while no beat is good. */
  pulse?: number;
}

/**
 * [lost-session]: with its beats a node holds an advisory lock, which Postgres lets go when the session ends. Postgres
 * ends it at once where the node's connection is closed, as the system does for a process that is killed.
 */
export interface NodeSession {
  /** Whether a session holds the node's lock. */
  isHeld: boolean;
  /** The server's start: of two readings of different starts nothing follows, since a restart ends all sessions. */
  server: string;
}

/** A leadership: only the holder of the newest term writes what leaders write. */
export interface Leadership {
  term: number;
  holder: BootId;
}
export interface Term {
  term: number;
  holder: BootId | null;
  beat: number;
}

/** How long a node's beat had stood still, and how many beats were missed. */
export interface Silence {
  silentMs: number;
  missedBeats: number;
}

/** A leader's verdict on a node whose beat stood still. */
export interface DeathWarrant {
  bootId: BootId;
  beat: number;
  leader: Leadership;
  silence?: Silence & { suspectMs: number };
}
export type DeathVerdict = "dead" | "beat_moved" | "not_leader" | "busy";

/** A node in a view. */
export interface ViewNode {
  bootId: BootId;
  label: string;
  typeIds: readonly TypeId[];
}
/** The leader's numbered word on who is there. A wrong view costs lateness only. */
export interface View {
  number: number;
  term: number;
  nodes: readonly ViewNode[];
  publishedAt: EpochMs;
}
