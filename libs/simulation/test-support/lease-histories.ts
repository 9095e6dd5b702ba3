import type { HistoryEvent } from "../src/history/history-event.js";
import { HistoryBuilder } from "./history-builder.js";

/** A task that a consumer has, whose lease lasts for 2 s. */
function pulledTask(maxAttempts = 3): HistoryBuilder {
  return new HistoryBuilder({ transactionalTypeIds: [] })
    .node("joined", "n1")
    .create("a", { maxAttempts })
    .pull("a")
    .give("a");
}

function succeeded(built: HistoryBuilder): HistoryBuilder {
  return built.settleLate("a", { kind: "succeeded" });
}

/** Histories for the rules about pulled tasks: each breaks one of them, and no other rule. */
export const PLANTED_OF_LEASES = {
  "lease-held-by-one": {
    "a task that two consumers are given": () => pulledTask().give("a", "c1"),
    "a task that another consumer is given than its lease names": () =>
      new HistoryBuilder().create("a").pull("a", { consumer: "c2" }).give("a"),
    "a task that is taken away before its lease is over": () => pulledTask().wait(1_999).endLease("a"),
    "a task that is taken away although its lease was extended": () =>
      pulledTask().wait(1_500).lease("a").wait(1_000).endLease("a"),
    "an extend that no lease knows of": () =>
      pulledTask().tell({ kind: "extend-answered", taskId: "a", fence: 1, until: 0 }),
    "a task without a lease": () =>
      new HistoryBuilder()
        .create("a")
        .pull("a")
        .forge((event) => ({ ...event, fence: 9 }) as HistoryEvent),
  },
  "pulled-success-counts-once": {
    "two successes of one execution": () => succeeded(pulledTask()).praise("a").praise("a"),
    "a success after the end of its lease": () => pulledTask().wait(2_001).endLease("a").praise("a", { fence: 1 }),
  },
  "lease-ends-in-time": {
    "a task that its consumer keeps for 5 s": () => pulledTask().wait(7_001).endLease("a"),
    "a task that its consumer keeps, Postgres having been away before": () =>
      new HistoryBuilder()
        .began({ name: "postgres-away" })
        .over({ name: "postgres-away" })
        .create("a")
        .pull("a")
        .give("a")
        .wait(7_001)
        .endLease("a"),
  },
  "unheard-pull-given-back": {
    "a pull that waits for the end of its lease": () =>
      new HistoryBuilder().create("a").pull("a", { leaseMs: 3_000 }).wait(3_001).endLease("a"),
  },
};

/** What consumers may do, and what may happen to them. */
export const ALLOWED_LEASES = {
  "a success, told twice because its answer was lost": () =>
    succeeded(pulledTask()).praise("a").praise("a", { isReplayed: true }).rest(),
  "a task that was taken away, and its next consumer's success": () =>
    succeeded(pulledTask().wait(2_500).endLease("a").pull("a").give("a")).praise("a").rest(),
  "a success after the end of its lease, as long as nobody has taken the task away": () =>
    succeeded(pulledTask().wait(2_500)).praise("a").rest(),
  "a lease that was extended": () =>
    pulledTask().wait(1_900).lease("a").wait(1_900).lease("a").wait(2_500).endLease("a"),
  "a task that dies by the ends of its leases, and that no consumer ever heard of": () =>
    new HistoryBuilder().create("a", { maxAttempts: 1 }).pull("a").wait(2_500).endLease("a").rest(),
  "a task that stays with its consumer while Postgres is away": () =>
    pulledTask()
      .began({ name: "postgres-away" })
      .wait(30_000)
      .over({ name: "postgres-away" })
      .wait(5_000)
      .endLease("a"),
  "a lease that was over until the database's clock was set back": () =>
    pulledTask().wait(2_001).began({ name: "clock-step", stepMs: -1_000 }).endLease("a"),
  "a lease that the database's clock prolongs, since it is set back": () =>
    pulledTask().began({ name: "clock-step", stepMs: -60_000 }).wait(60_000).endLease("a"),
  "a pull that is given back at once": () => new HistoryBuilder().create("a").pull("a").wait(20).release("a"),
  "a pull that a cut network keeps for its lease": () =>
    new HistoryBuilder()
      .create("a")
      .pull("a", { leaseMs: 3_000 })
      .began({ name: "postgres-cut", bootId: "n1" })
      .wait(3_500)
      .endLease("a"),
};
