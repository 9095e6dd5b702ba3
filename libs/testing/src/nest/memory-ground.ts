import type { EpochMs } from "@tickwheel/core";
import type { TransactionAdapter } from "@tickwheel/nestjs";
import type { NodeTelemetry, NodeGround } from "@tickwheel/nestjs/internals";
import { MemoryDatabase } from "../database/memory-database.js";
import { findMemoryTransaction } from "../database/memory-transaction.js";
import { MemoryBus } from "../stores/memory-coordination.js";
import type { ManualClock } from "../system/manual-clock.js";
import { SeededRandom } from "../system/seeded-random.js";
import { JointTransactions, noManager, type OpenTransaction } from "./joint-transactions.js";
import { memoryStores } from "./memory-stores.js";
import type { StoreTraffic } from "./store-traffic.js";
import { POSTGRES_LINE } from "./testing-options.js";

/** What both grounds of a test are made from. */
export interface GroundParts {
  clock: ManualClock;
  epochMs: EpochMs;
  seed: number;
  telemetry: NodeTelemetry;
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
    clock,
    telemetry,
    drive,
    standsStill: true,
    random: new SeededRandom(seed),
    stores: traffic.through(memoryStores(connection, CURE)),
    coordination: new MemoryBus({ clock }).attach(),
    schema: { run: () => Promise.resolve(), requireDone: () => undefined },
  };
  return { ground, transactions: joint };
}
