import {
  type ApiKeyStore,
  type Clock,
  type DeadLetterStore,
  doneWithin,
  type EffectStore,
  loadedCopies,
  type MetricReading,
  type SessionStore,
  TICKWHEEL_VERSION,
  type Tracing,
} from "@tickwheel/core";
import type {
  BatchService,
  FigureService,
  NodeBreakers,
  NodeQueues,
  NodeSettings,
  NodeType,
  OperationService,
  SchedulerNode,
  ScheduleService,
  StartStep,
  TaskService,
} from "@tickwheel/engine";
import type { BrokerExecutor, HandledExecution, Handler, HandlerExecutor, WebhookExecutor } from "@tickwheel/executors";
import { threadableSettings } from "@tickwheel/postgres-store";
import type { AnnouncedSchedule } from "@tickwheel/schedules";
import type { NodeSchedule } from "../handlers/code-schedule.js";
import type { DelayTask, DelayTaskContext } from "../handlers/delay-task.js";
import type { NodeHandler, NodeListener } from "../handlers/node-handler.js";
import type { ResolvedNodeOptions } from "./node-options.js";
import { withAround } from "../handlers/around.js";
import { announcedOf, type PayloadCheck, readPayload } from "@tickwheel/calls";
import { breakerMetrics, poolMetrics } from "./connection-metrics.js";
import { copiesEvent, readyEvent, stoppedEvent } from "../log/node-lines.js";
import { codeSchedules } from "./code-schedules.js";
import { breakerOf } from "./handler-breaker.js";
import { nodeTypeOf, requireOnePlace } from "./node-type.js";
import type { NodeTelemetry } from "../log/node-telemetry.js";
import type { NodeGround, NodeStores } from "./node-ground.js";

interface Parts {
  stores: NodeStores;
  node: SchedulerNode;
  handlers: HandlerExecutor;
  webhooks: WebhookExecutor;
  brokers: BrokerExecutor;
  telemetry: NodeTelemetry;
  /** Filled by `use`, read by the node when it starts. */
  types: NodeType[];
  /** The same. */
  schedules: AnnouncedSchedule[];
  schema: NodeGround["schema"];
  payloads: PayloadCheck;
  /** The preparations of a start; the node reads them when it starts. */
  preparations: StartStep[];
  clock: Clock;
  tracing: Tracing;
  label: string;
  /** See {@link NodeGround}. */
  drive: (work: () => Promise<void>) => Promise<void>;
  /** Whether its clock is moved by hand. */
  isByHand: boolean;
  /** Whether the schedules of the code are made. */
  codeSchedules: boolean;
}

/** An answer of the store is told again for this long, in milliseconds. */
const ANSWER_BELIEVED_MS = 1_000;
/**
 * The application's own start waits at most this long for the node's, or for a first try at the schema, in
 * milliseconds.
 */
export const BOOTSTRAP_LIMIT_MS = 15_000;

/**
 * The Tickwheel node of an application: its connections, its engine, its use cases. Opened when the application is
 * built, started when it is up, drained before its other modules close their clients, closed last.
 *
 * @typeParam Options with those beside a node's own: a module of Nest has some
 */
export class DelayTaskNode<Options extends ResolvedNodeOptions = ResolvedNodeOptions> {
  private readonly stopListeners: (() => void)[] = [];
  private stopping = false;
  private asked: { atMonoMs: number; answers: Promise<boolean> } | null = null;

  constructor(
    readonly options: Options,
    private readonly parts: Parts,
  ) {}

  /** All use cases of the task API, unchecked inputs excluded: see `DelayTaskService` for those. */
  get service(): TaskService {
    this.parts.schema.requireDone();
    return this.parts.node.service;
  }

  /** All use cases of batches. */
  get batches(): BatchService {
    this.parts.schema.requireDone();
    return this.parts.node.features.batches!.service;
  }

  /** All use cases of operations on many tasks. */
  get operations(): OperationService {
    this.parts.schema.requireDone();
    return this.parts.node.features.operations!.service;
  }

  /** Dead tasks by cause. */
  get deadLetters(): Pick<DeadLetterStore, "list" | "get" | "see"> {
    this.parts.schema.requireDone();
    return this.parts.stores.deadLetters;
  }

  /** What consumers fetch. */
  get queues(): NodeQueues {
    this.parts.schema.requireDone();
    return this.parts.node.features.queues!;
  }

  /** All use cases of schedules. */
  get schedules(): ScheduleService {
    this.parts.schema.requireDone();
    return this.parts.node.features.schedules!.service;
  }

  /** What people have set for types and keys. */
  get settings(): NodeSettings {
    this.parts.schema.requireDone();
    return this.parts.node.settings!;
  }

  /** The breakers of types and hosts. */
  get breakers(): NodeBreakers {
    this.parts.schema.requireDone();
    return this.parts.node.breakers!;
  }

  /** What people want to see of the cluster. */
  get figures(): FigureService {
    return this.parts.node.figures;
  }

  /** Checks payloads by their schemas. */
  get payloads(): PayloadCheck {
    return this.parts.payloads;
  }

  /**
   * What this node has counted and measured since its process began, by the catalogue of metrics. Never throws.
   *
   * Source: the counters of the engine, the connections and the events of this node; nothing is added up over nodes.
   */
  async metrics(): Promise<MetricReading[]> {
    const { node, telemetry, stores, webhooks, brokers } = this.parts;
    return [
      { name: "tickwheel_info", samples: [{ labels: { version: TICKWHEEL_VERSION }, value: 1 }] },
      ...(await node.metrics()),
      ...telemetry.counts.read(),
      ...poolMetrics(stores.pools?.() ?? []),
      breakerMetrics(webhooks.breakerStates(), brokers.breakerStates()),
    ];
  }

  /** The traces of its tasks. */
  get tracing(): Tracing {
    return this.parts.tracing;
  }

  /** What handlers have told of their tasks. */
  get reports(): Pick<EffectStore, "readReport"> {
    this.parts.schema.requireDone();
    return this.parts.stores.effects;
  }

  get apiKeys(): ApiKeyStore {
    this.parts.schema.requireDone();
    return this.parts.stores.apiKeys;
  }

  get sessions(): SessionStore {
    this.parts.schema.requireDone();
    return this.parts.stores.sessions;
  }

  /** The newest start: rejects for what waiting cannot cure. */
  started: Promise<void> = Promise.resolve();

  /** `ip:pid`. */
  get label(): string {
    return this.parts.label;
  }

  /** Postgres connections that this node takes at most. */
  get connectionCount(): number {
    const { engine, heartbeat: where, connection } = this.options;
    const heartbeat = engine && where === "worker" && threadableSettings(connection) ? 1 : 0;
    return this.parts.stores.connectionCount + heartbeat;
  }

  /** The loop of the full sweep, for the SchedulerRegistry of Nest; null without the engine. */
  get fullSweep(): object | null {
    return this.parts.node.fullSweep;
  }

  /**
   * Whether work may be sent here: started, not draining, and the store answers. It is asked once a second at most, for
   * all who want to know: callers who need no key for it must not be able to keep the engine's connections busy.
   */
  async isReady(): Promise<boolean> {
    return this.parts.node.isReady && (await this.storeAnswers());
  }

  private storeAnswers(): Promise<boolean> {
    const { clock, stores } = this.parts;
    const nowMonoMs = clock.monotonicMs();
    if (this.asked !== null && nowMonoMs - this.asked.atMonoMs < ANSWER_BELIEVED_MS) return this.asked.answers;
    const answers = stores.tasks.now().then(
      () => true,
      () => false,
    );
    this.asked = { atMonoMs: nowMonoMs, answers };
    return answers;
  }

  /** The parts that do not work now, such as `redis`. */
  get degraded(): string[] {
    return [...this.parts.node.holdings().degraded];
  }

  /** Whether the node warns an application that never listens to SIGTERM. */
  get watchesSigterm(): boolean {
    return this.options.engine && !this.parts.isByHand;
  }

  /** Whether it has started, and not been stopped since. */
  get isStarted(): boolean {
    return this.parts.node.isStarted;
  }

  /** Registers the application's handlers, listeners and schedules; before `start`. */
  use(
    handlers: readonly NodeHandler[],
    listeners: readonly NodeListener[],
    schedules: readonly NodeSchedule[] = [],
  ): void {
    this.parts.telemetry.use(listeners);
    const places = new Map<string, string>();
    for (const handler of handlers) {
      requireOnePlace(places, handler);
      this.payloads.know(handler.type, handler.payload);
      const handle = withAround((task, context) => handler.handle(task, context), this.options.around);
      this.parts.handlers.register({
        namespace: this.options.namespace,
        type: handler.type,
        concurrency: handler.options.concurrency,
        breaker: breakerOf(handler),
        condition: conditionOf(handler),
        succeeded: handler.options.succeeded as Handler["succeeded"],
        read: readOf(handler),
        handle: (execution, context) => handle(toDelayTask(execution), context as DelayTaskContext) as never,
      });
      const announced = announcedOf(handler.type, handler.payload, (event) => this.parts.telemetry.emit(event));
      this.parts.types.push({ ...nodeTypeOf(handler, this.options.namespace), ...announced });
    }
    const announced = codeSchedules(schedules, this.options, this.payloads);
    if (this.parts.codeSchedules) this.parts.schedules.push(...announced);
  }

  /**
   * Has something done at each start, when the schema is there and before the node is ready. It may be done again after
   * a failure.
   */
  beforeStart(step: StartStep): void {
    this.parts.preparations.push(step);
  }

  /**
   * Starts the engine, or only what writes and reads tasks where `engine` is false. Resolves when the node is ready;
   * while Postgres is away it waits, and says so.
   *
   * @throws what waiting cannot cure: a right that is missing, a version, a password, a type that is run otherwise
   */
  start(): Promise<void> {
    this.stopping = false;
    const sinceMonoMs = this.parts.clock.monotonicMs();
    const { drive, node } = this.parts;
    this.started = drive(() => node.start()).then(() => this.tellReady(sinceMonoMs));
    this.started.catch(() => undefined);
    return this.started;
  }

  /**
   * Starts, and answers when the node is ready (true), or when it is seen to wait: then it goes on by itself. @throws
   * as `start`
   */
  async begin(): Promise<boolean> {
    const { node, clock, isByHand } = this.parts;
    const started = this.start().then(() => true);
    // Its clock has no say in how long its start takes.
    if (isByHand) return started;
    const waits = new Promise<boolean>((resolve) => node.onStartWaits(() => resolve(false)));
    return Promise.race([started, waits, doneWithin(clock, BOOTSTRAP_LIMIT_MS, started)]);
  }

  /** Calls `listener` at each stop, before anything else of it. */
  beforeStop(listener: () => void): void {
    this.stopListeners.push(listener);
  }

  /** Whether a stop was asked for, and no start since. */
  get isStopping(): boolean {
    return this.stopping;
  }

  /** Drains: see the architecture's order. */
  async stop(): Promise<void> {
    const { node, clock, telemetry } = this.parts;
    const wasStarted = node.isStarted;
    const sinceMonoMs = clock.monotonicMs();
    this.stopping = true;
    for (const listener of this.stopListeners) listener();
    await this.parts.drive(() => node.stop());
    if (wasStarted) telemetry.emit(stoppedEvent(Math.round(clock.monotonicMs() - sinceMonoMs)));
  }

  private tellReady(sinceMonoMs: number): void {
    const { node, clock, telemetry, types } = this.parts;
    if (!node.isStarted) return;
    const { redis, schema, scheduler, engine } = this.options;
    const redisWay = node.holdings().degraded.includes("redis") ? "postgres-degraded" : "redis";
    const facts = {
      tookMs: Math.round(clock.monotonicMs() - sinceMonoMs),
      types: engine ? types.map(({ type }) => type) : [],
      places: scheduler.concurrency,
      coordination: redis === null ? "postgres" : redisWay,
      schema,
      connections: this.connectionCount,
    } as const;
    const copies = copiesEvent(loadedCopies());
    if (copies) telemetry.emit(copies);
    telemetry.emit(readyEvent(facts, engine));
  }

  /** Closes the connections; after `stop`. */
  async close(): Promise<void> {
    await this.parts.drive(() => this.parts.node.stop());
    this.parts.webhooks.close();
    this.parts.brokers.close();
    await this.parts.stores.close();
  }
}

function readOf({ payload }: NodeHandler): Handler["read"] {
  return payload && ((stored, version) => readPayload(payload, stored, version));
}

function conditionOf(handler: NodeHandler): Handler["condition"] {
  if (!handler.condition) return undefined;
  return (execution, context) => handler.condition!(toDelayTask(execution), context as DelayTaskContext);
}

function toDelayTask({ task, type, payload }: HandledExecution): DelayTask {
  return {
    id: task.id,
    namespace: type.namespace,
    type: type.type,
    key: task.key,
    payload,
    attempt: task.attempt,
    maxAttempts: task.maxAttempts,
    crashCount: task.crashCount,
    priority: task.priority,
    fence: task.fence,
    scheduledAt: new Date(task.scheduledAt),
    dueAt: new Date(task.dueAt),
    createdAt: new Date(task.createdAt),
  };
}
