import type { EventEmitter } from "node:events";
import { Logger } from "@nestjs/common";
import { FallbackCoordination, RunningHandlers } from "@tickwheel/coordination";
import {
  type Clock,
  type Coordination,
  doneWithin,
  type Occurrences,
  SystemClock,
  SystemRandom,
  TICKWHEEL_VERSION,
  TickwheelError,
} from "@tickwheel/core";
import { type NodeType, SchedulerNode, type SchedulerNodeOptions, type StartStep } from "@tickwheel/engine";
import { HandlerExecutor, type TransactionRunner, WebhookExecutor } from "@tickwheel/executors";
import {
  migrate,
  openPostgres,
  type PostgresStores,
  requireCompatibleStore,
  threadableSettings,
} from "@tickwheel/postgres-store";
import { RedisCoordination } from "@tickwheel/redis-coordination";
import type { AnnouncedSchedule } from "@tickwheel/schedules";
import type { Redis } from "ioredis";
import type { DataSource } from "typeorm";
import { heartbeatWorkerFile } from "../heartbeat/heartbeat-worker-file.js";
import { WorkerHeartbeat } from "../heartbeat/worker-heartbeat.js";
import { BOOTSTRAP_LIMIT_MS, DelayTaskNode } from "./delay-task.node.js";
import type { ResolvedDelayTaskOptions } from "./delay-task.options.js";
import { handlerLoggers } from "./handler-logger.js";
import { NestTelemetry } from "./nest-telemetry.js";
import { nodeLabel } from "./node-label.js";
import { SchemaMigration } from "./schema-migration.js";
import { spawnDrafts } from "./spawn-drafts.js";

/**
 * Opens the connections of a node and migrates its schema; nothing runs yet. Where Postgres is away, the start tries
 * the migration again.
 *
 * @throws TickwheelError `STORE_INCOMPATIBLE` when Postgres is too old, `INTERNAL` when it refuses a right or the
 *   password, `CONFIGURATION_INVALID` when the program of the heartbeat's thread is not there
 */
export async function openDelayTaskNode(options: ResolvedDelayTaskOptions): Promise<DelayTaskNode> {
  const clock = new SystemClock();
  const telemetry = new NestTelemetry(new Logger("Tickwheel"), clock);
  const runningHandlers = new RunningHandlers();
  const heartbeat = workerHeartbeat(options, { clock, telemetry, runningHandlers });
  hearConnectionErrors(options.dataSource);
  const schema = schemaMigration(options, { telemetry, clock });
  await doneWithin(clock, BOOTSTRAP_LIMIT_MS, schema.run()).catch(throwUnlessAway);
  const stores = openStores(options);
  const { handlers, webhooks } = executorsOf(options, { stores, clock, node: () => node });
  const types: NodeType[] = [];
  const schedules: AnnouncedSchedule[] = [];
  const preparations: StartStep[] = [{ doing: "bringing the schema up to date", run: () => schema.run() }];
  const { tasks, cluster, nodes: reports, figures, findings, events, policies } = stores;
  const coordination = coordinationOf(options, stores.coordination, { clock, telemetry });
  const kept = {
    tasks,
    cluster,
    reports,
    figures,
    findings,
    events,
    policies,
    schedules: stores.schedules,
    batches: stores.batches,
  };
  const node: SchedulerNode = new SchedulerNode(
    {
      ...{ clock, telemetry, random: new SystemRandom(), executors: [handlers, webhooks], ...kept },
      ...{ coordination, runningHandlers, heartbeat },
    },
    { ...nodeOptions(options), types, schedules, preparations },
  );
  return new DelayTaskNode(options, {
    ...{ stores, node, handlers, webhooks, telemetry },
    ...{ types, schedules, preparations, clock, schema },
  });
}

function schemaMigration(
  { migrate: migrates, connection, schema, transactionPooling }: ResolvedDelayTaskOptions,
  ports: { telemetry: NestTelemetry; clock: Clock },
): SchemaMigration {
  const prepare = migrates ? migrate : requireCompatibleStore;
  return new SchemaMigration(() => prepare(connection, { schema, transactionPooling, ...ports }));
}

function nodeOptions(
  options: ResolvedDelayTaskOptions,
): Pick<SchedulerNodeOptions, "namespace" | "label" | "name" | "version" | "roles" | "scheduler" | "signsWebhooks"> {
  const { namespace, nodeName: name, roles, scheduler, webhookSecrets } = options;
  const signsWebhooks = webhookSecrets.length > 0;
  return { namespace, label: nodeLabel(), name, version: TICKWHEEL_VERSION, roles, scheduler, signsWebhooks };
}

/** How this node runs tasks. `node` answers once the node is open, which it is before any task runs. */
function executorsOf(
  options: ResolvedDelayTaskOptions,
  { stores: { tasks, effects }, clock, node }: { stores: PostgresStores; clock: Clock; node: () => SchedulerNode },
): { handlers: HandlerExecutor; webhooks: WebhookExecutor } {
  const occurrences: Occurrences = {
    isOccurrence: (key) => node().schedules!.occurrences.isOccurrence(key),
    begin: (taskId, startedAt) => node().schedules!.occurrences.begin(taskId, startedAt),
  };
  const runTransaction = transactionRunner(options);
  const ports = {
    tasks,
    effects,
    clock,
    runTransaction,
    occurrences,
    loggerOf: handlerLoggers(new Logger("Tickwheel")),
    spawnDrafts: spawnDrafts(options, node),
  };
  const signsWebhooks = options.webhookSecrets.length > 0;
  return {
    handlers: new HandlerExecutor(ports, options.scheduler.resultLimitBytes),
    webhooks: webhookExecutor(options, clock, () => !signsWebhooks && node().webhooksAreSigned),
  };
}

function webhookExecutor(
  { webhookHosts: hosts, webhookSecrets: secrets, scheduler }: ResolvedDelayTaskOptions,
  clock: Clock,
  leavesToSigners: () => boolean,
): WebhookExecutor {
  const { concurrency, resultLimitBytes } = scheduler;
  const placesPerHost = Math.ceil(concurrency / 2);
  return new WebhookExecutor({ hosts, secrets, leavesToSigners, placesPerHost, resultLimitBytes }, clock);
}

function openStores(options: ResolvedDelayTaskOptions): PostgresStores {
  const { connection, schema, transactionPooling, listenUrl, poolSize: size } = options;
  const { statementTimeoutMs, lockTimeoutMs, claimReplyBytes } = options.scheduler;
  const limits = { statementTimeoutMs, lockTimeoutMs, claimReplyBytes };
  return openPostgres({ connection, schema, transactionPooling, listenUrl, size, ...limits });
}

function throwUnlessAway(error: unknown): void {
  if (!(error instanceof TickwheelError) || error.code !== "STORE_UNAVAILABLE") throw error;
}

/**
 * A server that ends a connection while TypeORM 1.1 takes it from its pool reports to nobody for a moment, and an error
 * event that nobody hears ends the process. The statement on that connection fails all the same.
 */
function hearConnectionErrors(dataSource: DataSource | null): void {
  const { master } = (dataSource?.driver ?? {}) as { master?: EventEmitter };
  master?.on?.("connect", (connection: EventEmitter) => connection.on("error", () => undefined));
}

function transactionRunner({ transactions }: ResolvedDelayTaskOptions): TransactionRunner | null {
  return transactions && ((work) => transactions.run((handle) => work(transactions.statements(handle), handle)));
}

function coordinationOf(
  options: ResolvedDelayTaskOptions,
  postgres: Coordination,
  ports: { clock: Clock; telemetry: NestTelemetry },
): Coordination {
  if (!options.redis) return postgres;
  const { redisKeyTtlMs } = options.scheduler;
  const redis = new RedisCoordination({
    clock: ports.clock,
    redis: options.redis,
    cluster: options.cluster,
    redisKeyTtlMs,
  });
  return new FallbackCoordination(redis, postgres);
}

/** Undefined: it beats in the main loop. */
function workerHeartbeat(
  options: ResolvedDelayTaskOptions,
  { runningHandlers, ...ports }: { clock: Clock; telemetry: NestTelemetry; runningHandlers: RunningHandlers },
): WorkerHeartbeat | undefined {
  if (!options.engine || options.heartbeat !== "worker") return undefined;
  const settings = threadableSettings(options.connection);
  if (!settings) {
    ports.telemetry.emit(BEATS_IN_LOOP);
    return undefined;
  }
  const { password } = options.connection;
  const { redisKeyTtlMs, heartbeatIntervalMs, loopBlockedFenceMs } = options.scheduler;
  return new WorkerHeartbeat(ports, {
    file: heartbeatWorkerFile(),
    postgres: {
      connection: { settings, password: typeof password === "function" ? "asked" : { text: password } },
      schema: options.schema,
      transactionPooling: options.transactionPooling,
    },
    password: typeof password === "function" ? password : null,
    redis:
      options.redis === null ? null : { redis: threadable(options.redis), cluster: options.cluster, redisKeyTtlMs },
    heartbeatIntervalMs,
    loopBlockedFenceMs,
    runningHandlers: runningHandlers.memory,
    exitWhenBlocked: options.exitWhenBlocked,
  });
}

const BEATS_IN_LOOP = {
  name: "cluster.heartbeat.in_loop",
  level: "warn",
  message:
    "The connection has a function besides the password's (checkServerIdentity, stream), which no thread can be given: the heartbeat runs in the main loop, and a handler that blocks it makes the node seem dead",
} as const;

/** What another thread needs to connect to the same Redis: a connection itself cannot be sent. */
function threadable(redis: string | Redis): string {
  if (typeof redis === "string") return redis;
  const { host, port, username, password, db, tls } = redis.options;
  const url = new URL(`${tls ? "rediss" : "redis"}://${host ?? "127.0.0.1"}:${port ?? 6379}/${db ?? 0}`);
  url.username = encodeURIComponent(username ?? "");
  url.password = encodeURIComponent(password ?? "");
  return url.href;
}
