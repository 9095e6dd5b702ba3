// Made by `npm run generate`.

/** A dead task as every edge shows it beside its cause. */
export interface DeadLetterFields<Instant> {
  id: string;
  key: string | null;
  /** When it died. */
  finishedAt: Instant;
  lastError: string | null;
  attempt: number;
  maxAttempts: number;
  /** The label of the node that ran it last; null: unknown. */
  node: string | null;
}

/** The dead tasks of a type with one cause, as every edge shows them. */
export interface DeadGroupFields<Instant> {
  type: string;
  /**
   * The fingerprint of the errors; the filter `fingerprint` finds their tasks. Null: the type has too many causes, and
   * these are the ones without a group, together.
   */
  fingerprint: string | null;
  /** What their errors say, without what differs from case to case; empty without a fingerprint. */
  title: string;
  /** The function of the application that threw them; empty: unknown. */
  place: string;
  /** Dead tasks; a second or two old. */
  count: number;
  /** Since the group was empty last. */
  firstAt: Instant;
  lastAt: Instant;
  /** When somebody said last that he has looked at it. Null: nobody has since the group was empty last. */
  seenAt: Instant | null;
  /** Why the last of them was given up. */
  reason: "ATTEMPTS" | "CRASHES" | "NON_RETRYABLE" | "PAYLOAD_INVALID" | "RESULT_INVALID";
  /** Deaths in each of the last 168 hours, the present one last. */
  hours: readonly number[];
  /** The last of them. Null: it is dead no more. */
  sample: DeadLetterFields<Instant> | null;
}

/** What is told of one cause besides. */
export interface DeadGroupDetailFields<Instant> {
  /** How many of its newest tasks were looked at for `nodes` and `versions`, 1,000 at most. */
  lookedAt: number;
  /** Where they died, the most first; null: a node that is forgotten. */
  nodes: readonly {
    node: string | null;
    count: number;
  }[];
  /** The versions of these nodes; null: forgotten. */
  versions: readonly {
    version: string | null;
    count: number;
  }[];
  /** Tasks that wait for a further attempt after the same error. */
  retrying: {
    count: number;
    /** There may be more: 20,000 scheduled tasks were looked at. */
    isAtLeast: boolean;
  };
  /** When the oldest of them is deleted. */
  keptUntil: Instant;
  /** The ten newest. */
  newest: readonly DeadLetterFields<Instant>[];
}
