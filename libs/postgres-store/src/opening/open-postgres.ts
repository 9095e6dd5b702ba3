import {
  type BatchStore,
  type BreakerStore,
  type ClaimSecretStore,
  type Clock,
  type ClusterEventStore,
  type ClusterStore,
  type ConnectionPoolState,
  type DeadLetterStore,
  DEFAULT_OPTIONS,
  type EffectStore,
  type EpochMs,
  type FigureStore,
  type FindingStore,
  type LeaseStore,
  type LimitStore,
  type PolicyStore,
  type PulseStore,
  type SettingStore,
  SystemClock,
  SystemRandom,
} from "@tickwheel/core";
import type { ScheduleStore } from "@tickwheel/schedules";
import { connectionOptions, type ConnectionOptions } from "../connection/connection-settings.js";
import { PostgresApiKeyStore } from "../stores/postgres-api-key-store.js";
import { PostgresBatchStore } from "../stores/postgres-batch-store.js";
import { PostgresClusterEventStore } from "../stores/postgres-cluster-event-store.js";
import { PostgresClusterStore } from "../stores/postgres-cluster-store.js";
import { PostgresCoordination } from "../messages/postgres-coordination.js";
import { PostgresDatabase, type PostgresDatabaseOptions } from "../connection/postgres-database.js";
import { PostgresDeadLetterStore } from "../stores/postgres-dead-letter-store.js";
import { PostgresEffectStore } from "../stores/postgres-effect-store.js";
import { PostgresFigureStore } from "../stores/postgres-figure-store.js";
import { PostgresBreakerStore } from "../stores/postgres-breaker-store.js";
import { PostgresClaimSecretStore } from "../stores/postgres-claim-secret-store.js";
import { PostgresLeaseStore } from "../stores/postgres-lease-store.js";
import { PostgresLimitStore } from "../stores/postgres-limit-store.js";
import { PostgresOperationStore } from "../stores/postgres-operation-store.js";
import { PostgresPolicyStore } from "../stores/postgres-policy-store.js";
import { PostgresPulseStore } from "../stores/postgres-pulse-store.js";
import { PostgresFindingStore } from "../stores/postgres-finding-store.js";
import { PostgresScheduleStore } from "../stores/postgres-schedule-store.js";
import { PostgresSettingStore } from "../stores/postgres-setting-store.js";
import { PostgresSessionStore } from "../stores/postgres-session-store.js";
import { PostgresTaskStore } from "../stores/postgres-task-store.js";
import { readNodes } from "../statements/nodes/read-nodes.js";
import { readTerm } from "../statements/leader/read-term.js";

export interface OpenPostgresOptions extends PostgresDatabaseOptions {
  /** Default 50. */
  lockTimeoutMs?: number;
  /** Default 30,000. */
  lockPatienceMs?: number;
  /** Default 262,144. */
  claimReplyBytes?: number;
  clock?: Clock;
  /**
   * Only with `transactionPooling`: the URL of the one connection that listens. Default null: nothing listens, and
   * sweeps find the work.
   */
  listenUrl?: string | null;
  /** Only for tests: the instant that the statements take for now. */
  asOf?: () => EpochMs;
}

/** All of Tickwheel's stores in one Postgres. */
export interface PostgresStores {
  database: PostgresDatabase;
  tasks: PostgresTaskStore;
  batches: BatchStore;
  cluster: PostgresClusterStore;
  events: ClusterEventStore;
  effects: EffectStore;
  apiKeys: PostgresApiKeyStore;
  figures: FigureStore;
  findings: FindingStore;
  operations: PostgresOperationStore;
  deadLetters: DeadLetterStore;
  policies: PolicyStore;
  pulse: PulseStore;
  schedules: ScheduleStore;
  sessions: PostgresSessionStore;
  settings: SettingStore;
  limits: LimitStore;
  leases: LeaseStore;
  claimSecrets: ClaimSecretStore;
  breakers: BreakerStore;
  /** The cluster's facts for reports, read without the engine's connections. */
  nodes: Pick<ClusterStore, "readNodes" | "readTerm">;
  /** It is not started yet. */
  coordination: PostgresCoordination;
  /**
   * Most connections that all of these use together: the engine's pool, the side connections for waits and reads, the
   * listener.
   */
  connectionCount: number;
  /** How the connections are used now: those of the engine, and those beside them for waits and reads. */
  pools(): ConnectionPoolState[];
  /** Stops the listener and closes the connections. */
  close(): Promise<void>;
}

/**
 * The stores of one node over one pool. Opens no connection yet; the schema must have been migrated.
 *
 * @example
 * await migrate(url);
 * const { tasks, cluster, close } = openPostgres({ url, applicationName: bootId });
 */
export function openPostgres({
  lockTimeoutMs,
  lockPatienceMs,
  claimReplyBytes,
  clock,
  asOf,
  listenUrl = null,
  ...options
}: OpenPostgresOptions): PostgresStores {
  const database = new PostgresDatabase(options);
  const tasks = new PostgresTaskStore(database, { lockTimeoutMs, lockPatienceMs, claimReplyBytes, clock, asOf });
  const { reads, lane } = tasks;
  const time = clock ?? new SystemClock();
  const effectLimits = { lockTimeoutMs: lockTimeoutMs ?? DEFAULT_OPTIONS.lockTimeoutMs, asOf };
  const coordination = new PostgresCoordination({ database, clock, listen: listenerOf(database, options, listenUrl) });
  return {
    database,
    tasks,
    batches: new PostgresBatchStore({ database, lane, reads, types: tasks.types, asOf }),
    cluster: new PostgresClusterStore(database, { asOf }),
    events: new PostgresClusterEventStore(reads, { asOf }),
    effects: new PostgresEffectStore({ database, lane, reads, ...effectLimits }),
    apiKeys: new PostgresApiKeyStore(database, { asOf, reads }),
    figures: new PostgresFigureStore(reads, { clock: time, asOf }),
    findings: new PostgresFindingStore(reads, { asOf }),
    operations: new PostgresOperationStore({ reads, clock: time, random: new SystemRandom(), asOf }),
    deadLetters: new PostgresDeadLetterStore(reads, { asOf }),
    policies: new PostgresPolicyStore(reads, { asOf }),
    pulse: new PostgresPulseStore(database, { asOf }),
    schedules: new PostgresScheduleStore(reads, { types: tasks.types, asOf }),
    sessions: new PostgresSessionStore(database, { asOf, reads }),
    settings: new PostgresSettingStore(database, reads, { asOf }),
    limits: new PostgresLimitStore(database, reads, { claimReplyBytes, asOf }),
    leases: new PostgresLeaseStore(database, reads, { claimReplyBytes, asOf }),
    claimSecrets: new PostgresClaimSecretStore(reads, { asOf }),
    breakers: new PostgresBreakerStore(database, { asOf }),
    nodes: { readNodes: () => reads.run(readNodes, null), readTerm: async () => (await reads.run(readTerm, null))[0]! },
    coordination,
    connectionCount: database.connectionCount + tasks.connectionCount + coordination.connectionCount,
    pools: () => [database.state("engine"), tasks.sideState()],
    close: async () => {
      await coordination.stop();
      await tasks.close();
      await database.close();
    },
  };
}

/** Null: there is no listener, since it would hear nothing through a transaction pooler. */
function listenerOf(
  database: PostgresDatabase,
  { transactionPooling = false }: PostgresDatabaseOptions,
  listenUrl: string | null,
): (() => ConnectionOptions) | null {
  if (!transactionPooling) return () => database.clientConfig();
  if (listenUrl === null) return null;
  return () => ({ ...database.clientConfig(), ...connectionOptions(listenUrl) });
}
