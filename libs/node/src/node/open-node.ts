import { FallbackCoordination, RunningHandlers } from "@tickwheel/coordination";
import {
  type Clock,
  type Coordination,
  doneWithin,
  type EpochMs,
  SystemClock,
  SystemRandom,
  type Telemetry,
  TickwheelError,
} from "@tickwheel/core";
import {
  migrate,
  openPostgres,
  type PostgresStores,
  requireCompatibleStore,
  threadableSettings,
} from "@tickwheel/postgres-store";
import { openTracing } from "@tickwheel/observability";
import { RedisCoordination, threadableSource } from "@tickwheel/redis-coordination";
import { heartbeatWorkerFile, WorkerHeartbeat } from "@tickwheel/heartbeat";
import { type ConnectionPool, hearConnectionErrors } from "@tickwheel/calls";
import { assembleNode } from "./assemble-node.js";
import { BOOTSTRAP_LIMIT_MS, type DelayTaskNode } from "./delay-task.node.js";
import type { ResolvedNodeOptions } from "./node-options.js";
import type { NodeLogger } from "../log/node-logger.js";
import { NodeTelemetry } from "../log/node-telemetry.js";
import { SchemaMigration } from "./schema-migration.js";

/**
 * Opens the connections of a node and migrates its schema; nothing runs yet. Where Postgres is away, the start tries
 * the migration again.
 *
 * @throws TickwheelError `STORE_INCOMPATIBLE` when Postgres is too old, `INTERNAL` when it refuses a right or the
 *   password, `CONFIGURATION_INVALID` when the program of the heartbeat's thread is not there
 */
export async function openNode<Options extends ResolvedNodeOptions>(
  options: Options,
  logger: NodeLogger,
): Promise<DelayTaskNode<Options>> {
  const clock = new SystemClock();
  const telemetry = new NodeTelemetry(logger, clock);
  const runningHandlers = new RunningHandlers();
  const heartbeat = workerHeartbeat(options, { clock, telemetry, runningHandlers });
  const { master: pool } = (options.dataSource?.driver ?? {}) as { master?: ConnectionPool };
  if (pool) hearConnectionErrors(pool);
  const schema = schemaMigration(options, { telemetry, clock });
  await doneWithin(clock, BOOTSTRAP_LIMIT_MS, schema.run()).catch(throwUnlessAway);
  const stores = openStores(options);
  const coordination = coordinationOf(options, stores.coordination, { clock, telemetry });
  const random = new SystemRandom();
  const tracing = await openTracing(options.tracing);
  const ground = { clock, telemetry, random, tracing, stores, coordination, heartbeat, runningHandlers, schema };
  return assembleNode(options, ground).node;
}

/** The migration of the node's own schema, or a look at it where it is somebody else's to migrate. */
export function schemaMigration(
  { migrate: migrates, connection, schema, transactionPooling }: ResolvedNodeOptions,
  ports: { telemetry: Telemetry; clock: Clock },
): SchemaMigration {
  const prepare = migrates ? migrate : requireCompatibleStore;
  return new SchemaMigration(() => prepare(connection, { schema, transactionPooling, ...ports }));
}

/** @param asOf the instant that the statements take for now; for tests. Default: Postgres's own clock */
export function openStores(options: ResolvedNodeOptions, asOf?: () => EpochMs): PostgresStores {
  const { connection, schema, transactionPooling, listenUrl, poolSize: size } = options;
  const { statementTimeoutMs, lockTimeoutMs, claimReplyBytes } = options.scheduler;
  const limits = { statementTimeoutMs, lockTimeoutMs, claimReplyBytes };
  return openPostgres({ connection, schema, transactionPooling, listenUrl, size, asOf, ...limits });
}

function throwUnlessAway(error: unknown): void {
  if (!(error instanceof TickwheelError) || error.code !== "STORE_UNAVAILABLE") throw error;
}

function coordinationOf(
  options: ResolvedNodeOptions,
  postgres: Coordination,
  ports: { clock: Clock; telemetry: NodeTelemetry },
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
  options: ResolvedNodeOptions,
  { runningHandlers, ...ports }: { clock: Clock; telemetry: NodeTelemetry; runningHandlers: RunningHandlers },
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
      options.redis === null
        ? null
        : { redis: threadableSource(options.redis), cluster: options.cluster, redisKeyTtlMs },
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
