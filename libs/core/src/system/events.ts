import type { TelemetryEvent } from "./telemetry.js";

/** What an event means, for people. Its facts have types: see `EventFacts`. */
export interface EventEntry {
  level: TelemetryEvent["level"];
  /** When it is told, in Markdown. */
  text: string;
}

/**
 * All events of a node, but for those of parts that do not work for a while. The tables of `docs/telemetry.md` are made
 * of it; a test holds names and levels against the sources.
 */
export const EVENTS = {
  "task.failed": { level: "warn", text: "an attempt failed and the task is tried again" },
  "task.dead": {
    level: "error",
    text: "a task ended `dead`; with the reason `CRASHES` the leader reports it, which knows no attempt",
  },
  "batch.complete": { level: "info", text: "every member of a sealed batch has ended" },
  "batch.overdue": {
    level: "warn",
    text: "a batch is past its deadline, and `leftovers` of its members are not done; `first` has the ids of some of them",
  },
  "batch.stopped": {
    level: "warn",
    text: "a batch stops by itself: a member is dead (`FAIL_FAST`), or it has too many (`TOO_MANY_MEMBERS`)",
  },
  "operation.done": { level: "info", text: "an operation on many tasks has changed all that it meant" },
  "operation.stopped": {
    level: "warn",
    text: "an operation has stopped before its end: too many of its tasks failed again (`FAILING`), or it has changed as many as it may (`LIMIT`)",
  },
  "operation.undone": {
    level: "info",
    text: "what an operation had changed is put back, as far as nobody has touched it since",
  },
  "schedule.paused": {
    level: "warn",
    text: "a schedule has paused itself after `pauseAfterFailures` failed occurrences in a row",
  },
  "schedule.rules.new": {
    level: "info",
    text: "`schedules` schedules that were planned under an older tzdata now follow this node's; an occurrence that is ahead keeps its wall time",
  },
  "schedule.undecided": {
    level: "error",
    text: "this node cannot decide about `schedules` schedules, for example since it does not know a time zone that another one accepted; they are looked at again each 10 s, and the others go on; `id`, `namespace` and `schedule` are those of the first",
  },
  "settings.changed": {
    level: "info",
    text: "this node has changed the settings: a pause, its end, or a setting of a type",
  },
  "settings.obeyed": { level: "debug", text: "this node obeys the settings that it has read" },
  "settings.not_obeyed": {
    level: "warn",
    text: "a change was answered although `nodes` do not obey it yet: their event loops are blocked, or they have just died",
  },
  "breaker.opened": {
    level: "warn",
    text: "too many attempts of a type have failed on this node, or the trial has: no node starts any of it for `forMs` milliseconds",
  },
  "breaker.half_opened": { level: "info", text: "this node tries one task of a type whose breaker is open" },
  "breaker.closed": {
    level: "info",
    text: "a trial of this node has succeeded, or somebody has closed the breaker here",
  },
  "broker.away": {
    level: "warn",
    text: "a message broker takes nothing from this node: its tasks wait, and no attempt is charged",
  },
  "broker.back": { level: "info", text: "a message broker takes messages from this node again" },
  "payload.schema.ignored": {
    level: "warn",
    text: "the JSON Schema of a type is not used, told once: it is longer than 16 KiB and is not announced or not read (`TOO_LONG`); one that was announced cannot be compiled (`UNCOMPILABLE`), or asks for so many steps that a payload was taken unchecked (`TOO_COSTLY`)",
  },
  "node.start.waiting": { level: "warn", text: "the start waits for Postgres; the message says why" },
  "node.start.resumed": { level: "info", text: "Postgres answers, and the start goes on" },
  "node.start.copies": {
    level: "warn",
    text: "several copies of `@tickwheel/core` are loaded, so a class of one may not be found by another; `npm ls @tickwheel/core` says whose they are",
  },
  "node.start.ready": {
    level: "info",
    text: "the node is ready: which types it runs, how it coordinates, how many connections it takes",
  },
  "node.stop.draining": { level: "info", text: "a stop has begun: the node claims no more, and waits for what runs" },
  "node.stop.aborting": { level: "warn", text: "executions did not end within `drainTimeoutMs`: their signals abort" },
  "node.stop.done": { level: "info", text: "the stop is over" },
  "store.schema.made": { level: "info", text: "the first start on an empty schema has made all tables" },
  "store.migrate.step": { level: "info", text: "a step of a migration changes the schema" },
  "store.migrate.index": {
    level: "info",
    text: "an index is made while nodes work, or the rest of an index that an earlier run left unfinished is dropped",
  },
  "store.migrate.waiting": {
    level: "warn",
    text: "a step did not get its lock and is tried again; the message names the sessions that hold it",
  },
  "store.setting.unsafe": {
    level: "warn",
    text: "a setting of Postgres or Redis takes a promise away; the message says which, and what is set instead. Told at the start, and where it is seen first",
  },
  "store.migrate.queued": { level: "info", text: "another node runs the migration: this node waits for it" },
  "cluster.node.joined": { level: "debug", text: "this node has joined" },
  "cluster.node.lost": { level: "warn", text: "this node was declared dead: it aborts what runs and joins anew" },
  "cluster.node.dead": {
    level: "warn",
    text: "this node is the leader and has declared another one dead; not for a node that has said goodbye",
  },
  "cluster.node.blocked": {
    level: "warn",
    text: "another node's event loop is blocked; each node that sees it reports it",
  },
  "cluster.node.unblocked": { level: "info", text: "the loop of another node turns again, or its node is gone" },
  "cluster.loop.blocked": {
    level: "warn",
    text: "this node's own event loop was blocked; reported when it turns again",
  },
  "cluster.leader.elected": { level: "debug", text: "this node has become the leader" },
  "cluster.leader.lost": { level: "debug", text: "this node is no longer the leader; the message says why" },
  "cluster.view.published": { level: "debug", text: "this node is the leader and has published a view" },
  "cluster.heartbeat.acknowledged": {
    level: "debug",
    text: "beats are acknowledged again, after `cluster.heartbeat.failed`",
  },
  "cluster.heartbeat.failed": { level: "debug", text: "a beat is not acknowledged; the message says why" },
  "cluster.heartbeat.in_loop": {
    level: "warn",
    text: "the connection's settings cannot be handed to a thread: the heartbeat runs in the main loop",
  },
  "cluster.heartbeat.password_failed": {
    level: "warn",
    text: "the application's password function failed: the last password that worked is used",
  },
  "cluster.heartbeat.worker_died": { level: "error", text: "the heartbeat's thread ended; it is started again" },
  "engine.claim.refused": {
    level: "error",
    text: "the store refuses to claim this one task even alone: its entry is dropped",
  },
  "engine.drain.announce_failed": {
    level: "warn",
    text: "a step of the drain failed and was skipped: leaving the view",
  },
  "engine.drain.release_failed": {
    level: "warn",
    text: "a step of the drain failed and was skipped: releasing what still runs",
  },
  "engine.drain.start_failed": { level: "warn", text: "a step of the drain failed and was skipped: claiming no more" },
  "engine.execution.broken": {
    level: "error",
    text: "a fault of Tickwheel itself after the end of a handler: the attempt has failed, its place is free",
  },
  "engine.execution.refused": {
    level: "error",
    text: "the store refuses every form of an execution's settle: the task is released and runs again",
  },
  "engine.execution.stale": {
    level: "debug",
    text: "an execution was no longer the task's current one, so its write changed nothing",
  },
  "engine.events.dropped": {
    level: "warn",
    text: "events of the cluster that waited for Postgres were dropped, because too many waited",
  },
  "engine.expire.done": { level: "info", text: "tasks ended `expired`" },
  "engine.leases.ended": { level: "warn", text: "tasks were taken from consumers whose leases had ended" },
  "engine.maintain.done": { level: "info", text: "partitions were made or dropped" },
  "engine.reap.done": { level: "warn", text: "running tasks were taken from dead nodes" },
  "engine.reconcile.released": { level: "info", text: "claimed tasks whose claim got no answer were released" },
  "engine.task.left": {
    level: "warn",
    text: "a task was left to other nodes, because this one may not deliver it (its host is not listed, or this node has no secrets)",
  },
  "engine.timeline.changed": { level: "warn", text: "a standby was promoted: everything is loaded again" },
} as const satisfies Record<string, EventEntry>;

/**
 * What fails while a part is degraded, by the part, in Markdown. `….degraded` is told when the first operation of a
 * part fails, `….recovered` when all of them work again.
 */
export const EVENT_PARTS = {
  "cluster.postgres": "an operation of this node's membership in the cluster; the message says which",
  "cluster.redis": "the way to Redis: NOTIFY and the rows in Postgres are used instead",
  "cluster.heartbeat": "this node's beats: after five intervals without one it starts nothing and aborts what runs",
  "cluster.messages":
    "reading what NOTIFY or Redis brings: what is no well-formed message is dropped and counted; it works again when nothing malformed came for ten seconds",
  "engine.archive": "moving finished tasks to history",
  "engine.batches": "looking at batches: they complete later",
  "engine.breakers": "reading the breakers: this node goes by what it has read last",
  "engine.claim": "claiming tasks: due tasks wait",
  "engine.clock": "reading the database's clock: the estimate grows older",
  "engine.defer": "writing deferrals",
  "engine.events": "writing down what has happened to the cluster",
  "engine.expire": "ending tasks that are past their start deadline; none of them starts meanwhile",
  "engine.findings": "looking for what is the matter with the cluster",
  "engine.full_sweep": "the full sweep's look for due tasks",
  "engine.limited_claim": "claiming tasks of types with `maxRunning`: due ones wait",
  "engine.limits": "looking how full the limits of the cluster are, for people",
  "engine.leases": "ending leases: tasks of consumers that died come again later",
  "engine.load": "loading what is due within the horizon",
  "engine.maintain": "making and dropping partitions",
  "engine.settings_look": "looking how the servers are set: what is known of them stays known",
  "engine.snapshots_look": "looking who holds snapshots of Postgres: what is known of them stays known",
  "engine.settings": "reading the settings; nothing is started meanwhile",
  "engine.paused_keys": "resuming the tasks of keys whose pause is over",
  "engine.operation_memory": "forgetting what operations have changed a day after their end",
  "engine.operations": "making pages of operations: those that are open stand still",
  "engine.policies": "announcing what handlers want for their types, or putting it in force",
  "engine.reap": "taking back the tasks of dead nodes",
  "engine.reconcile": "comparing what runs with what is held",
  "engine.release": "releasing executions",
  "engine.retention": "deleting what types keep for a shorter time than others",
  "engine.schedules": "planning schedules: occurrences that are rows already run all the same",
  "engine.code_schedules": "announcing the schedules of this node's code, or putting them in force",
  "engine.settle": "writing settles; they are kept and sent again",
  "engine.sweep": "looking for what is due now",
  "engine.tallies": "folding the counters, and counting anew after a death",
  "engine.tally": "writing what this node has counted: it is kept and sent again",
  "engine.timeline": "watching for a promoted standby",
  "engine.types": "reading the types",
  "engine.verify": "verifying late starts: these tasks wait",
  "engine.view": "reading the state of the cluster, on a node that is no member of it",
} as const satisfies Record<string, string>;

/** The dotted name of a part, as its events have it. */
type Part = keyof typeof EVENT_PARTS;
export type EventName = keyof typeof EVENTS | `${Part}.degraded` | `${Part}.recovered`;

/** The names of all events. */
export const EVENT_NAMES: readonly EventName[] = [
  ...(Object.keys(EVENTS) as (keyof typeof EVENTS)[]),
  ...(Object.keys(EVENT_PARTS) as Part[]).flatMap((part) => [
    `${part}.degraded` as const,
    `${part}.recovered` as const,
  ]),
];
