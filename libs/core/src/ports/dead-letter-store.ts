import type { UnseenDead } from "../reports/unseen-dead.js";
import type { NamespaceReader } from "../task/namespace-reader.js";
import type { DeadReason, EpochMs } from "../task/task.js";

/** A type has at most so many groups; further causes are counted together. */
export const MAX_DEAD_GROUPS = 1_000;
/** How long it is remembered when tasks of a group died, in days; and in hours. */
export const DEAD_HOUR_DAYS = 7;
export const DEAD_HOURS = DEAD_HOUR_DAYS * 24;
/** By so many of its newest tasks it is told where a group's tasks died. */
export const DEAD_LOOKED_AT = 1_000;
/** How many of its newest tasks a group shows. */
export const DEAD_NEWEST = 10;
/** Among so many scheduled tasks of the type, those due first, it is counted who failed for the same cause. */
export const DEAD_RETRYING_LOOKED_AT = 20_000;

/** The dead tasks of a type with one cause. */
export interface DeadGroup {
  type: string;
  /** The print of their errors. Null: the causes for which the type had no group left, all together. */
  print: number | null;
  /** What their errors say, without what differs from case to case; empty where `print` is null. */
  title: string;
  /** The function of the application that threw them; empty: unknown. */
  place: string;
  /** Exact, at most a second or two old. */
  count: number;
  /** Since the group was empty last. */
  firstAt: EpochMs;
  lastAt: EpochMs;
  /** When somebody said that he has looked at it. Null: nobody has since the group was empty last. */
  seenAt: EpochMs | null;
  /** Why the last of them was given up: `ATTEMPTS`, `CRASHES`, … */
  reason: DeadReason;
  /** Deaths in each of the last {@link DEAD_HOURS} hours, the present one last. */
  hours: readonly number[];
  /** The last of them. Null: it is dead no more. */
  sample: DeadLetter | null;
}

/** A dead task. */
export interface DeadLetter {
  id: string;
  key: string | null;
  /** When it died. */
  finishedAt: EpochMs;
  lastError: string | null;
  attempt: number;
  maxAttempts: number;
  /** The label of the node that ran it last; null: unknown. */
  node: string | null;
}

/** Where a group stands in a list: those with the most tasks come first. */
export interface DeadGroupPlace {
  count: number;
  typeId: number;
  print: number;
}

export interface DeadGroupFilter extends NamespaceReader {
  /** Empty: any. */
  types: readonly string[];
  reasons: readonly DeadReason[];
  /** Title or place contains it, whatever the case. Null: any. */
  error: string | null;
  /** Only groups of which a task died then or later. Null: any. */
  since: EpochMs | null;
  limit: number;
  /** Goes on behind this place. */
  after: DeadGroupPlace | null;
}

export interface DeadGroupPage {
  groups: DeadGroup[];
  /** Null: there are no more. */
  next: DeadGroupPlace | null;
  /** The number of all groups that fit, on whatever page. */
  causes: number;
  tasks: number;
}

export interface DeadGroupRef extends NamespaceReader {
  type: string;
  print: number;
  /** How long dead tasks are kept whose type says nothing else, in milliseconds. */
  keptMs: number;
}

export interface DeadGroupDetails extends DeadGroup {
  /** How many of its tasks were looked at for what follows: {@link DEAD_LOOKED_AT} at most, the newest. */
  lookedAt: number;
  /** Where they died, the most first; a node whose label is forgotten is null. */
  nodes: { node: string | null; count: number }[];
  /** The versions of these nodes; null: forgotten. */
  versions: { version: string | null; count: number }[];
  /** Tasks that wait for a further attempt after the same error. `isAtLeast`: there may be more. */
  retrying: { count: number; isAtLeast: boolean };
  /** When its oldest task is deleted. */
  keptUntil: EpochMs;
  /** Its newest tasks, those first. */
  newest: DeadLetter[];
}

/**
 * Dead tasks by cause. Each death that is made or unmade is counted in the statement that does so; the groups have it
 * when it is folded, about a second later.
 */
export interface DeadLetterStore {
  /** The groups, those with the most tasks first. */
  list(filter: DeadGroupFilter): Promise<DeadGroupPage>;
  /** Null: no task of the type is dead for this cause, or it has no group. */
  get(ref: DeadGroupRef): Promise<DeadGroupDetails | null>;
  /**
   * Remembers that somebody has looked at the group now, tells the audit (`dead_group.see`), and answers the group.
   * Null: there is no such group.
   */
  see(ref: DeadGroupRef, actor: string): Promise<DeadGroupDetails | null>;
  /** The causes of all namespaces of which a task died since somebody looked last, see {@link UnseenDead}. */
  unseen(): Promise<UnseenDead[]>;
  /** Moves counts into their groups. Any number of nodes may; one at a time does. True: there may be more to move. */
  fold(): Promise<boolean>;
}
