import { dueTask, runningTask } from "./first-chapters.js";
import { HistoryBuilder } from "./history-builder.js";

/** Histories for the rules about how often a task is tried: each breaks one of them, and no other rule. */
export const PLANTED_OF_POLICY = {
  "attempts-within-policy": {
    "one attempt too many": () =>
      runningTask({ maxAttempts: 1 })
        .settle("a", { kind: "retry", delayMs: 0 })
        .forge({ state: "scheduled", reason: null, finishedAt: null, owner: null, fence: 2 })
        .claim("a", "n1")
        .start("a"),
    "a claim that was not counted": () => dueTask().claim("a", "n1").forge({ attempt: 0 }),
    "a failure that was not charged": () =>
      runningTask().settle("a", { kind: "retry", delayMs: 0 }).forge({ attempt: 0 }),
  },
  "crashes-within-policy": {
    "a crash that nobody had": () => runningTask().release("a").forge({ crashCount: 1 }),
    "a task that is scheduled after its last crash": () =>
      new HistoryBuilder({ maxCrashes: 1 })
        .create("a")
        .claim("a", "n1")
        .began({ name: "crash", bootId: "n1" })
        .wait(7_000)
        .reap("a"),
  },
  "snoozes-within-policy": {
    "a snooze that nobody asked for": () => runningTask().release("a").forge({ snoozeCount: 1 }),
    "a task that is put off for ever": () =>
      new HistoryBuilder({ maxSnoozes: 1 })
        .create("a")
        .claim("a", "n1")
        .settle("a", { kind: "snoozed", delayMs: 0 })
        .claim("a", "n1")
        .settle("a", { kind: "snoozed", delayMs: 0 }),
  },
};
