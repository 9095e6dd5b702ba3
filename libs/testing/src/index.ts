export { ManualClock, NodeClock } from "./system/manual-clock.js";
export * from "./stores/memory-batch-store.js";
export * from "./stores/memory-claim-secret-store.js";
export * from "./stores/memory-cluster-event-store.js";
export * from "./stores/memory-cluster-store.js";
export * from "./database/memory-connection.js";
export * from "./stores/memory-coordination.js";
export * from "./database/memory-database.js";
export * from "./stores/memory-effect-store.js";
export * from "./stores/memory-schedule-store.js";
export * from "./stores/memory-breaker-store.js";
export * from "./stores/memory-lease-store.js";
export * from "./stores/memory-limit-store.js";
export * from "./stores/memory-pulse-store.js";
export * from "./stores/memory-setting-store.js";
export * from "./stores/memory-task-store.js";
export {
  findMemoryTransaction,
  joinMemoryTransaction,
  MemoryTransaction,
  memoryTransaction,
} from "./database/memory-transaction.js";
export * from "./database/statement-failure.js";
export * from "./database/statement-record.js";
export * from "./stores/memory-world.js";
export { ONLY_ROW, type TableName } from "./database/tables.js";
export { pausePlace } from "./statements/setting-statements.js";
export { breakerPlace } from "./statements/breaker-statements.js";
export { announcementPlace } from "./statements/announcement-statements.js";
export * from "./system/recording-telemetry.js";
export * from "./system/seeded-random.js";
export {
  cancelledRow,
  claimedRow,
  createdRow,
  editedRow,
  expiredRow,
  leaseEndedRow,
  reapedRow,
  releasedRow,
  resumedRow,
  retriedRow,
  mergedRow,
  pausedRow,
  refreshedRow,
  settledRow,
} from "./statements/row-transitions.js";
export { copyOf } from "./system/copy-of.js";
export { inMicrotask, rawDelay } from "./system/manual-clock.js";
export { isTerminal, type TaskRow } from "./database/task-row.js";
export { type HeapTimer, TimerHeap } from "./system/timer-heap.js";
