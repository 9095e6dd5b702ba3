/** What a metric is, as Prometheus means it. */
export type MetricKind = "counter" | "gauge" | "histogram";

/** A metric of the catalogue. */
export interface MetricDefinition {
  kind: MetricKind;
  /** One sentence for people who read a scrape. */
  help: string;
  labels: readonly string[];
}

const OF_TYPE = ["namespace", "type"] as const;

/**
 * All metrics that a node tells; the table of `docs/telemetry.md` is made of it. Names follow Prometheus's conventions:
 * base units (seconds, bytes), `_total` at the end of a counter. Counters and histograms begin at 0 with the process.
 */
export const METRICS = {
  tickwheel_info: { kind: "gauge", help: "Always 1: the version of this node.", labels: ["version"] },
  tickwheel_ready: { kind: "gauge", help: "Whether the node takes work: 1 or 0.", labels: [] },
  tickwheel_tasks_created_total: { kind: "counter", help: "Tasks created by way of this node.", labels: OF_TYPE },
  tickwheel_tasks_succeeded_total: { kind: "counter", help: "Tasks that succeeded on this node.", labels: OF_TYPE },
  tickwheel_tasks_skipped_total: {
    kind: "counter",
    help: "Tasks that succeeded without a run: their condition said that nothing is to be done.",
    labels: OF_TYPE,
  },
  tickwheel_tasks_dead_total: {
    kind: "counter",
    help: "Tasks that ended dead on this node; a leader counts those that crashed too many nodes.",
    labels: OF_TYPE,
  },
  tickwheel_tasks_cancelled_total: {
    kind: "counter",
    help: "Tasks cancelled by way of this node before they ran.",
    labels: OF_TYPE,
  },
  tickwheel_task_failures_total: {
    kind: "counter",
    help: "Attempts that failed on this node, the last one of a dead task among them.",
    labels: OF_TYPE,
  },
  tickwheel_task_retries_total: {
    kind: "counter",
    help: "Failed attempts after which this node scheduled another one.",
    labels: OF_TYPE,
  },
  tickwheel_task_lateness_seconds: {
    kind: "histogram",
    help: "From when a task was due, or created if that was later, to the call of its handler.",
    labels: OF_TYPE,
  },
  tickwheel_task_lateness_part_seconds: {
    kind: "histogram",
    help: "Lateness in parts, of late starts only: until a node knew the task, in the wheel, for a place, for the claim, the rest.",
    labels: ["part"],
  },
  tickwheel_task_run_seconds: {
    kind: "histogram",
    help: "How long handlers and deliveries took, from call to return.",
    labels: OF_TYPE,
  },
  tickwheel_claim_seconds: { kind: "histogram", help: "How long claims took to be answered.", labels: [] },
  tickwheel_claim_asked_total: { kind: "counter", help: "Tasks that claims asked for.", labels: [] },
  tickwheel_claim_got_total: { kind: "counter", help: "Tasks that claims got.", labels: [] },
  tickwheel_claim_failures_total: { kind: "counter", help: "Claims without an answer, or refused.", labels: [] },
  tickwheel_limit_claims_total: {
    kind: "counter",
    help: "Claims of types with `maxRunning`: `claimed`; `taken`, another node's stood in the way; `full`, there were too few places.",
    labels: ["outcome"],
  },
  tickwheel_rate_tokens_granted_total: {
    kind: "counter",
    help: "Starts that rates have granted this node.",
    labels: [],
  },
  tickwheel_operation_tasks_total: {
    kind: "counter",
    help: "Tasks that operations have changed by way of this node, and put back: `changed`, `undone`.",
    labels: ["action", "outcome"],
  },
  tickwheel_settle_seconds: {
    kind: "histogram",
    help: "How long it took to write the ends of executions, a batch at a time.",
    labels: [],
  },
  tickwheel_settle_waiting: {
    kind: "gauge",
    help: "Ends of executions that the store has not acknowledged yet.",
    labels: [],
  },
  tickwheel_places: { kind: "gauge", help: "How many executions this node may run at once.", labels: [] },
  tickwheel_places_taken: {
    kind: "gauge",
    help: "Tasks claimed and not ended, and handlers not returned.",
    labels: [],
  },
  tickwheel_wheel_tasks: { kind: "gauge", help: "Tasks that this node would wake up for.", labels: [] },
  tickwheel_wheel_bytes: { kind: "gauge", help: "Memory that the timing wheel holds.", labels: [] },
  tickwheel_due_tasks: { kind: "gauge", help: "Tasks that are due and wait for a claim of this node.", labels: [] },
  tickwheel_overdue_tasks: {
    kind: "gauge",
    help: "Due tasks of the whole cluster that nobody has started, at most 10,001 of a type; told by the leader.",
    labels: OF_TYPE,
  },
  tickwheel_oldest_overdue_seconds: {
    kind: "gauge",
    help: "For how long the oldest of them has been due, 0 where there is none; told by the leader.",
    labels: OF_TYPE,
  },
  tickwheel_findings: {
    kind: "gauge",
    help: "Findings that are open now, by their paragraph in the runbook; told by the leader.",
    labels: ["code", "severity"],
  },
  tickwheel_degraded: { kind: "gauge", help: "1 for each part that does not work for this node.", labels: ["part"] },
  tickwheel_loop_lag_seconds: { kind: "histogram", help: "How late timers of the event loop fired.", labels: [] },
  tickwheel_loop_blocked_seconds_total: {
    kind: "counter",
    help: "For how long this node's event loop was blocked, as far as it stopped the heartbeat.",
    labels: [],
  },
  tickwheel_settings_revision: {
    kind: "gauge",
    help: "Number of the newest revision of the settings that this node has read.",
    labels: [],
  },
  tickwheel_paused_types: { kind: "gauge", help: "Types and namespaces that are paused.", labels: [] },
  tickwheel_paused_keys: { kind: "gauge", help: "Keys that are paused.", labels: [] },
  tickwheel_settings_answer_seconds: {
    kind: "histogram",
    help: "How long changes of the settings by way of this node took until every node obeyed, or until they were answered.",
    labels: [],
  },
  tickwheel_type_breakers: {
    kind: "gauge",
    help: "Types whose breaker is open, or half open while a node tries one task; told by the leader.",
    labels: ["state"],
  },
  tickwheel_limit_max: {
    kind: "gauge",
    help: "How many tasks at once a limit of the cluster lets run; `type` is empty for a whole namespace; told by the leader.",
    labels: ["namespace", "type"],
  },
  tickwheel_limit_running: {
    kind: "gauge",
    help: "How many tasks hold places of a limit; `type` is empty for a whole namespace; told by the leader.",
    labels: ["namespace", "type"],
  },
  tickwheel_pull_waiters: {
    kind: "gauge",
    help: "Calls of consumers that wait on this node for tasks.",
    labels: OF_TYPE,
  },
  tickwheel_pulls_total: {
    kind: "counter",
    help: "Pulls for consumers by this node: `tasks`, it brought some; `empty`; `paused`, the type is; `full`, a limit had no room.",
    labels: ["outcome"],
  },
  tickwheel_claim_calls_total: {
    kind: "counter",
    help: "What consumers said of their claims on this node: `extend`, `complete`, `fail`, `release`; `done` or `refused`.",
    labels: ["call", "outcome"],
  },
  tickwheel_leases_ended_total: {
    kind: "counter",
    help: "Tasks that this node took away from consumers since their leases had ended.",
    labels: [],
  },
  tickwheel_nodes: { kind: "gauge", help: "Nodes in the newest view that this node knows.", labels: [] },
  tickwheel_view: { kind: "gauge", help: "Number of the newest view that this node knows.", labels: [] },
  tickwheel_slots_owned: { kind: "gauge", help: "Slots whose tasks this node looks after.", labels: [] },
  tickwheel_leader_term: { kind: "gauge", help: "The term that this node leads; 0: it does not lead.", labels: [] },
  tickwheel_elections_won_total: { kind: "counter", help: "How often this node became the leader.", labels: [] },
  tickwheel_nodes_lost_total: {
    kind: "counter",
    help: "Nodes that this node, as the leader, declared dead.",
    labels: [],
  },
  tickwheel_takeover_seconds: {
    kind: "histogram",
    help: "From the last beat of a node that fell silent until this node took its share of the slots over.",
    labels: [],
  },
  tickwheel_tasks_taken_back_total: {
    kind: "counter",
    help: "Running tasks of dead nodes that this node, as the leader, gave to the living.",
    labels: [],
  },
  tickwheel_events_total: { kind: "counter", help: "Events of this node, by name.", labels: ["event"] },
  tickwheel_pool_connections: {
    kind: "gauge",
    help: "Connections to Postgres that are open.",
    labels: ["pool", "state"],
  },
  tickwheel_pool_size: { kind: "gauge", help: "Most connections of a pool.", labels: ["pool"] },
  tickwheel_pool_waiting: { kind: "gauge", help: "Calls that wait for a connection of a pool.", labels: ["pool"] },
  tickwheel_breakers: {
    kind: "gauge",
    help: "Circuit breakers of webhooks' hosts and of brokers, by their state.",
    labels: ["state"],
  },
  tickwheel_api_requests_total: { kind: "counter", help: "Requests to the API that were answered.", labels: [] },
  tickwheel_api_requests_refused_total: {
    kind: "counter",
    help: "Requests that were refused because the node had too many in progress.",
    labels: [],
  },
  tickwheel_api_requests_in_progress: { kind: "gauge", help: "Requests in progress.", labels: [] },
  tickwheel_api_streams: { kind: "gauge", help: "Streams and waiting polls.", labels: [] },
  tickwheel_api_sessions: {
    kind: "gauge",
    help: "Sessions of the dashboard that called this node within the last five seconds.",
    labels: [],
  },
  tickwheel_api_lookups_total: {
    kind: "counter",
    help: "Keys and sessions that this node asked the store for.",
    labels: ["of"],
  },
  tickwheel_api_lookups_waiting: {
    kind: "gauge",
    help: "Keys and sessions that wait to be asked for.",
    labels: ["of"],
  },
} as const satisfies Record<string, MetricDefinition>;

/** How a pool of connections is used now. */
export interface ConnectionPoolState {
  name: string;
  /** Most connections. */
  size: number;
  open: number;
  /** Open and not in use. */
  idle: number;
  /** Calls that wait for one. */
  waiting: number;
}

/** The name of a metric of the catalogue. */
export type MetricName = keyof typeof METRICS;
export type MetricLabels = Readonly<Record<string, string>>;

/** How often something took how long. */
export interface DistributionReading {
  /** Upper bounds in seconds, rising; what is larger is counted behind the last one. */
  bounds: readonly number[];
  /** How many were within each bound and above the one before it; one more than there are bounds. */
  counts: readonly number[];
  /** All added up, in seconds. */
  sum: number;
}

/** One value of a metric. */
export interface MetricSample {
  /** Default: none. */
  labels?: MetricLabels;
  /** For a histogram it is a distribution, for all else a number. */
  value: number | DistributionReading;
}

/** A metric as it is now. */
export interface MetricReading {
  name: MetricName;
  /** No two have the same labels. */
  samples: readonly MetricSample[];
}

/** A metric without labels. */
export function readingOf(name: MetricName, value: MetricSample["value"]): MetricReading {
  return { name, samples: [{ value }] };
}
