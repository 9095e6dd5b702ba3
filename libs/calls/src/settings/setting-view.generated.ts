// Made by `npm run generate`.

/** What keeps tasks of a type, a namespace or a key from starting, as every edge shows it. */
export interface PauseFields<Instant> {
  /** The type that is paused, or whose key is. Null: the namespace is, with all its types. */
  type: string | null;
  /** The key that is paused. Null: the whole type is. */
  key: string | null;
  since: Instant;
  /** When it ends by itself; null: when somebody resumes it. */
  until: Instant | null;
  reason: string | null;
  /** Who paused it: `application`, `handler` (`ctx.defer`), or `key:` and the id of an API key. */
  by: string;
}

/** What may run of a type or a namespace in the whole cluster, and what does. */
export interface LimitsFields {
  /** How many tasks may run at once. Null: as many as there is room for. */
  maxRunning: number | null;
  /**
   * How many hold its places, as was read within the last two seconds. Null: it has no `maxRunning`, or that is not
   * known.
   */
  running: number | null;
  /** `count` tasks may start in `perMs` milliseconds. Null: as often as they are due. */
  rate: {
    count: number;
    perMs: number;
    /** How many may start at once after a rest. */
    burst: number;
  } | null;
  /**
   * How many may start at once, as was read within the last two seconds. Null: it has no `rate`, or that is not known.
   */
  tokens: number | null;
}

/** The breaker of a type whose attempts fail, as every edge shows it. */
export interface BreakerFields<Instant> {
  /**
   * `OPEN`: None of its tasks starts until `until`; then one node tries one. `HALF_OPEN`: One task is tried just now.
   */
  state: "OPEN" | "HALF_OPEN";
  since: Instant;
  /** The next trial; of `HALF_OPEN`, when this one is over at the latest. */
  until: Instant;
  /** Trials that have failed since it opened. */
  failedTrials: number;
  /** The label of the node that tries; null: none does, or it is gone. */
  node: string | null;
}

/** How a type stands by what people have set, as every edge shows it. */
export interface TypeStandingFields<Instant> {
  /** What is set of it at run time. */
  settings: {
    /** How many of its tasks each node runs at once. Null: what its handler says, else the node. */
    concurrency: number | null;
    /** For how many milliseconds its succeeded tasks are kept; 0: not at all. Null: as long as all others. */
    keepSucceeded: number | null;
    /** For how many milliseconds its cancelled tasks are kept; 0: not at all. Null: as long as all others. */
    keepCancelled: number | null;
    /** For how many milliseconds its dead tasks are kept. Null: as long as all others. */
    keepDead: number | null;
  };
  /** Its own limits in the whole cluster; null: it has none. Those of its namespace hold beside them. */
  limits: LimitsFields | null;
  /** Null: it is closed, or its handler has none. */
  breaker: BreakerFields<Instant> | null;
  /** Its pause, else that of its namespace; null: neither is paused. */
  pause: PauseFields<Instant> | null;
}

/** How a namespace stands by what people have set, as every edge shows it. */
export interface NamespaceStandingFields<Instant> {
  /** Limits of all its types together in the whole cluster; null: it has none. */
  limits: LimitsFields | null;
  /** Null: it is not paused. */
  pause: PauseFields<Instant> | null;
}
