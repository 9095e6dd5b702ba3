import { type ApiKeyStore, type EpochMs, type SessionStore, TickwheelError } from "@tickwheel/core";
import type { NestTelemetry, NodeGround, TransactionAdapter } from "@tickwheel/nestjs";
import { MemoryDatabase } from "../database/memory-database.js";
import { findMemoryTransaction } from "../database/memory-transaction.js";
import { MemoryBatchStore } from "../stores/memory-batch-store.js";
import { MemoryBus } from "../stores/memory-coordination.js";
import { MemoryClusterEventStore } from "../stores/memory-cluster-event-store.js";
import { MemoryClusterStore } from "../stores/memory-cluster-store.js";
import { MemoryEffectStore } from "../stores/memory-effect-store.js";
import { MemoryScheduleStore } from "../stores/memory-schedule-store.js";
import { MemoryTaskStore } from "../stores/memory-task-store.js";
import type { ManualClock } from "../system/manual-clock.js";
import { SeededRandom } from "../system/seeded-random.js";
import { JointTransactions, noManager, type OpenTransaction } from "./joint-transactions.js";
import type { StoreTraffic } from "./store-traffic.js";
import { POSTGRES_LINE } from "./testing-options.js";

/** What both grounds of a test are made from. */
export interface GroundParts {
  clock: ManualClock;
  epochMs: EpochMs;
  seed: number;
  telemetry: NestTelemetry;
  traffic: StoreTraffic;
  drive: (work: () => Promise<void>) => Promise<void>;
}

const CURE = `switch to Postgres by ${POSTGRES_LINE}.`;

/**
 * The ground of a node whose stores are in memory, and the transactions that its handlers and callers have there.
 *
 * @param application how it opens a transaction, where it has a database of its own; what handlers get for a manager
 *   else
 */
export function memoryGround(
  { clock, epochMs, seed, telemetry, traffic, drive }: GroundParts,
  application: { open: OpenTransaction | null; manager: object | undefined },
): { ground: NodeGround; transactions: TransactionAdapter } {
  const database = new MemoryDatabase({ clock, epochMs });
  const joint = new JointTransactions(database, application.open, application.manager ?? noManager(CURE));
  const joined = (within: object) => findMemoryTransaction(within) ?? joint.find(within);
  const connection = database.connect("test", { joined });
  const ground = {
    ...{ clock, telemetry, drive, random: new SeededRandom(seed) },
    stores: {
      tasks: traffic.gated(new MemoryTaskStore(connection)),
      cluster: traffic.counted(new MemoryClusterStore(connection)),
      effects: traffic.counted(new MemoryEffectStore(connection)),
      schedules: traffic.counted(new MemoryScheduleStore(connection)),
      events: traffic.counted(new MemoryClusterEventStore(connection)),
      batches: new MemoryBatchStore(CURE),
      ...{ figures: null, findings: null, policies: null, connectionCount: 0 },
      apiKeys: notInMemory<ApiKeyStore>("API keys", { hasAny: () => Promise.resolve(true) }),
      sessions: notInMemory<SessionStore>("Sessions of the page", {}),
      close: () => Promise.resolve(),
    },
    coordination: new MemoryBus({ clock }).attach(),
    schema: { run: () => Promise.resolve(), requireDone: () => undefined },
  };
  return { ground, transactions: joint };
}

function notInMemory<Store extends object>(what: string, known: Partial<Store>): Store {
  const refuse = (): Promise<never> =>
    Promise.reject(new TickwheelError("UNSUPPORTED", `${what} need Postgres, and this test is in memory: ${CURE}`));
  return new Proxy(known as Store, { get: (target, name) => Reflect.get(target, name) ?? refuse });
}
