import { describe, test } from "@jest/globals";
import {
  type ClusterRow,
  clusterStoreConformance,
  interleavedLeaseConformance,
  interleavingConformance,
  leaseStoreConformance,
  effectStoreConformance,
  scheduleStoreConformance,
  type InterleavingSubject,
  type OpenGate,
  taskStoreConformance,
} from "@tickwheel/conformance";
import {
  announcementPlace,
  ManualClock,
  MemoryClusterEventStore,
  MemoryClusterStore,
  MemoryDatabase,
  MemoryEffectStore,
  MemoryScheduleStore,
  MemoryBreakerStore,
  MemoryLeaseStore,
  MemoryLimitStore,
  MemoryPulseStore,
  MemorySettingStore,
  MemoryTaskStore,
  ONLY_ROW,
  breakerPlace,
  pausePlace,
  type TableName,
} from "@tickwheel/testing";
import { effectPairs } from "./effect-pairs.js";

/** How often promises may settle until a statement is seen to wait. */
const MAX_TURNS = 1_000;

function memorySubject(): InterleavingSubject {
  const clock = new ManualClock();
  const database = new MemoryDatabase({ clock });
  const connection = database.connect("suite");
  const tasks = new MemoryTaskStore(connection);
  const cluster = new MemoryClusterStore(connection);
  const schedules = new MemoryScheduleStore(connection);
  const effects = new MemoryEffectStore(connection);
  const events = new MemoryClusterEventStore(connection);
  const settings = new MemorySettingStore(connection);
  const limits = new MemoryLimitStore(connection);
  const breakers = new MemoryBreakerStore(connection);
  const pulse = new MemoryPulseStore(connection);
  const leases = new MemoryLeaseStore(connection);
  let namespaces = 0;
  return {
    store: () => tasks,
    cluster: () => cluster,
    events: () => events,
    schedules: () => schedules,
    effects: () => effects,
    settings: () => settings,
    limits: () => limits,
    breakers: () => breakers,
    leases: () => leases,
    pulse: () => pulse,
    promote: () => void database.timeline++,
    stepClock: (byMs) => database.stepClock(byMs),
    advance: (delayMs) => clock.advance(delayMs),
    now: () => database.now(),
    transaction: (work) => database.transaction(work),
    freshNamespace: () => `case-${++namespaces}`,
    untilBlocked: async (count, signal) => {
      for (let turn = 0; database.waiting < count; turn++) {
        if (turn === MAX_TURNS || signal?.aborted) throw new Error(`${database.waiting} of ${count} statements wait`);
        await clock.settle();
      }
    },
    holdWrites: (taskId) => Promise.resolve(gate(database.holdWrites("tasks", taskId))),
    holdClusterWrites: (row) => Promise.resolve(gate(database.holdWrites(...tableAndKey(row)))),
    holdNextStatement: () => Promise.resolve(gate(database.holdNextStatement())),
    liveStore: () => tasks,
    elapse: (delayMs) => clock.advance(delayMs),
  };
}

function gate(open: () => void): OpenGate {
  return () => Promise.resolve(open());
}

function tableAndKey(row: ClusterRow): [TableName, string] {
  if (row === "quarantine") return ["quarantines", ONLY_ROW];
  if (row === "revision") return ["revisions", ONLY_ROW];
  if (row === "term") return ["terms", ONLY_ROW];
  if (row === "view") return ["views", ONLY_ROW];
  if ("announcement" in row) return ["announcements", announcementPlace(row.announcement)];
  if ("pause" in row) return ["pauses", pausePlace(row.pause)];
  if ("limit" in row) return ["flowLimits", String(row.limit)];
  if ("breaker" in row) return ["breakers", breakerPlace(row.breaker)];
  if ("lease" in row) return ["leases", row.lease];
  if ("bucket" in row) return ["buckets", String(row.bucket)];
  if ("schedule" in row) return ["schedules", row.schedule];
  return "node" in row ? ["nodes", row.node] : ["beats", row.heartbeat];
}

describe("the memory task store", () => {
  const subject = memorySubject();
  test.each([...taskStoreConformance])("$name", ({ run }) => run(subject));
});

describe("the memory cluster store", () => {
  const subject = memorySubject();
  test.each([...clusterStoreConformance])("$name", ({ run }) => run(subject));
});

describe("the memory lease store", () => {
  const subject = memorySubject();
  test.each([...leaseStoreConformance])("$name", ({ run }) => run(subject));
});

describe("the memory schedule store", () => {
  const subject = memorySubject();
  test.each([...scheduleStoreConformance])("$name", ({ run }) => run(subject));
});

describe("the memory effect store", () => {
  const subject = memorySubject();
  test.each([...effectStoreConformance])("$name", ({ run }) => run(subject));
});

describe("two effects of one handler in memory", () => {
  const subject = memorySubject();
  test.each(effectPairs)("$name", ({ run }) => run(subject));
});

describe("the memory store where statements meet", () => {
  const subject = memorySubject();
  test.each([...interleavingConformance, ...interleavedLeaseConformance])("$name", ({ run }) => run(subject));
});
