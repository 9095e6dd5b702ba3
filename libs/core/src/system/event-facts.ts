import type { BatchCounts, BatchStopReason } from "../batches/batch.js";
import type { BrokerKind } from "../task/task.js";
import type { EventName } from "./events.js";
import type { TelemetryEvent } from "./telemetry.js";

// Not interfaces: these must pass for `Record<string, unknown>`, too.

/** Whose task an event is about. */
type TaskFacts = {
  /** The task's id. */
  id: string;
  namespace: string;
  type: string;
  key: string | null;
};

/** The attempt that an event is about. `owner`: the boot id of the node that ran it. */
type AttemptFacts = TaskFacts & {
  /** 1 for the first. */
  attempt: number;
  maxAttempts: number;
  fence: number;
  owner: string;
};

/** The facts of `task.dead`. For `CRASHES` the leader tells it, which knows no attempt. */
type DeathFacts = TaskFacts &
  Partial<Omit<AttemptFacts, keyof TaskFacts>> & {
    /** `ATTEMPTS`, `CRASHES`, `NON_RETRYABLE`, `PAYLOAD_INVALID` or `RESULT_INVALID`. */
    reason: string;
  } & CureFacts;

/** What to do about it, a sentence for people. */
type CureFacts = { cure: string };

/** Which batch an event is about, and what became of its members. */
type BatchFacts = {
  id: string;
  namespace: string;
  /** Its name; its id where it has none. */
  batch: string;
} & BatchCounts;

/** What a stop waits for: how many executions, of which types, and how long. */
type WaitFacts = { running: number; types: string[]; limitMs: number };

/** What a start found. */
type StartFacts = {
  /** How long it took. */
  tookMs: number;
  /** The types that run here; empty without the engine. */
  types: string[];
  /** Executions at once. */
  places: number;
  coordination: "redis" | "postgres" | "postgres-degraded";
  schema: string;
  /** Postgres connections that the node takes at most. */
  connections: number;
};

/**
 * The facts of each event that has any, by its name, but for those of parts that do not work for a while. Durations are
 * milliseconds. The table of `docs/telemetry.md` is made of them and of `EVENTS`.
 */
export interface EventFacts {
  "task.failed": AttemptFacts & CureFacts & { delayMs: number };
  "task.dead": DeathFacts;
  "node.start.waiting": { doing: string; waitedMs: number };
  "node.start.resumed": { doing: string; waitedMs: number };
  "node.start.copies": { copies: readonly string[] };
  "node.start.ready": StartFacts;
  "node.stop.draining": WaitFacts;
  "node.stop.aborting": WaitFacts;
  "node.stop.done": { tookMs: number };
  "store.schema.made": { schema: string; tookMs: number };
  "store.setting.unsafe": { code: string; setting: string; value: string };
  "store.migrate.step": { step: string };
  "store.migrate.index": { index: string };
  "store.migrate.waiting": { step: string; pauseMs: number; sqlState: string; inTheWay: string };
  "settings.changed": { kind: string; actor: string; revision: string };
  "settings.obeyed": { revision: string };
  "settings.not_obeyed": { nodes: readonly string[]; revision: string };
  "broker.away": { target: string; kind: BrokerKind; reason: string };
  "broker.back": { target: string; kind: BrokerKind; lastedMs: number };
  "payload.schema.ignored": { type: string; why: "TOO_LONG" | "UNCOMPILABLE" | "TOO_COSTLY" };
  "cluster.node.joined": { bootId: string };
  "cluster.node.lost": { bootId: string };
  "cluster.node.dead": { bootId: string; label: string; silentMs: number; term: number };
  "cluster.node.blocked": { bootId: string; label: string; blockedMs: number; types: string[] };
  "cluster.node.unblocked": { bootId: string; label: string };
  "cluster.loop.blocked": { blockedMs: number; types: string[] };
  "cluster.leader.elected": { term: number; bootId: string };
  "cluster.leader.lost": { term: number; bootId: string };
  "cluster.view.published": { view: number; term: number; nodes: number };
  "batch.complete": BatchFacts;
  "batch.stopped": BatchFacts & { reason: BatchStopReason };
  /** `leftovers`: members that are not done; `first`: ids of some of them. */
  "batch.overdue": BatchFacts & { leftovers: number; first: string };
  "schedule.paused": { id: string; namespace: string; schedule: string; failures: number };
  "schedule.rules.new": { schedules: number; tzdata: string | null };
  "schedule.undecided": { id: string; namespace: string; schedule: string; schedules: number };
  "engine.claim.refused": { id: string };
  "engine.events.dropped": { dropped: number };
  "engine.execution.broken": { id: string; fence: number; type: string };
  "engine.execution.refused": { id: string; fence: number };
  "engine.execution.stale": { id: string; fence: number; attempt: number };
  "engine.expire.done": { count: number };
  "engine.leases.ended": { count: number };
  "engine.maintain.done": { created: number; dropped: number; droppedTypes: number };
  "engine.reap.done": { nodes: number; tasks: number };
  "engine.reconcile.released": { count: number };
  "engine.task.left": { id: string; fence: number; type: string };
  "engine.timeline.changed": { before: string; timeline: string };
}

/** What an event's facts are. */
type FactsOf<Name extends EventName> = Name extends keyof EventFacts
  ? EventFacts[Name]
  : Name extends `${string}.degraded`
    ? { part: string }
    : Name extends `${string}.recovered`
      ? { part: string; lastedMs: number }
      : undefined;

/** An event as a listener of this name gets it. */
export interface NamedEvent<Name extends EventName> extends Omit<TelemetryEvent, "name" | "facts"> {
  name: Name;
  facts: FactsOf<Name>;
}

/** An attempt has failed and is made again. `error` is what the handler threw; of a webhook it is a text. */
export type TaskFailedEvent = NamedEvent<"task.failed">;
/** A task has ended dead. `error` is what the handler threw last; of a webhook, and for `CRASHES`, it is a text. */
export type TaskDeadEvent = NamedEvent<"task.dead">;
