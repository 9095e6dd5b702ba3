import { ManualClock } from "../system/manual-clock.js";
import { RecordingTelemetry } from "../system/recording-telemetry.js";
import { SeededRandom } from "../system/seeded-random.js";
import { MemoryBatchStore } from "./memory-batch-store.js";
import { MemoryClusterStore } from "./memory-cluster-store.js";
import { MemoryBus } from "./memory-coordination.js";
import { MemoryDatabase } from "../database/memory-database.js";
import { MemoryEffectStore } from "./memory-effect-store.js";
import { MemoryBreakerStore } from "./memory-breaker-store.js";
import { MemoryLeaseStore } from "./memory-lease-store.js";
import { MemoryLimitStore } from "./memory-limit-store.js";
import { MemoryPulseStore } from "./memory-pulse-store.js";
import { MemoryScheduleStore } from "./memory-schedule-store.js";
import { MemorySettingStore } from "./memory-setting-store.js";
import { MemoryTaskStore } from "./memory-task-store.js";

/**
 * Everything that the nodes of one test share, in memory, on one clock and one seed. The same seed gives the same run.
 *
 * @example
 * const world = new MemoryWorld(7);
 * const { tasks, cluster, coordination, clock, random } = world.join("n1");
 */
export class MemoryWorld {
  readonly clock = new ManualClock();
  readonly database = new MemoryDatabase({ clock: this.clock });
  readonly bus = new MemoryBus({ clock: this.clock });
  readonly telemetry = new RecordingTelemetry();
  private readonly seeds: SeededRandom;

  constructor(seed: number) {
    this.seeds = new SeededRandom(seed);
  }

  /** Adds a node: gives it its own connection, stores, clock, random numbers and coordination. */
  join(label: string) {
    const connection = this.database.connect(label);
    const stores = {
      tasks: new MemoryTaskStore(connection),
      cluster: new MemoryClusterStore(connection),
      batches: new MemoryBatchStore(),
      effects: new MemoryEffectStore(connection),
      schedules: new MemoryScheduleStore(connection),
      settings: new MemorySettingStore(connection),
      limits: new MemoryLimitStore(connection),
      pulse: new MemoryPulseStore(connection),
      breakers: new MemoryBreakerStore(connection),
      leases: new MemoryLeaseStore(connection),
    };
    const random = new SeededRandom(Math.floor(this.seeds.next() * 2 ** 32));
    return { connection, ...stores, random, clock: this.clock.forNode(), coordination: this.bus.attach() };
  }
}
