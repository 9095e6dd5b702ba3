import { HistoryBuilder } from "./history-builder.js";
import {
  doneTask,
  dueTask,
  latenessPartsOf,
  lateTasks,
  lateTheft,
  led,
  runningTask,
  twoNodes,
  twoSuspects,
} from "./first-chapters.js";
import { PLANTED_OF_PAUSED } from "./paused-violations.js";
import { PLANTED_OF_FINDERS } from "./finder-violations.js";
import { PLANTED_OF_LEASES } from "./lease-histories.js";
import { PLANTED_MERGES } from "./merge-histories.js";
import { PLANTED_OF_POLICY } from "./policy-violations.js";
import type { RuleName } from "../src/history/rule.js";

/**
 * For every rule the smallest histories that break it and no other, but for `transition-in-table`, which is about every
 * change of a row.
 */
export const PLANTED: Record<RuleName, Record<string, () => HistoryBuilder>> = {
  "row-durable": {
    "a claim that did not see the row's last change": () =>
      dueTask()
        .claim("a", "n1")
        .forge((event) => ("before" in event ? { ...event, before: { ...event.before!, version: 7 } } : event)),
    "a scheduled row that retention dropped": () => dueTask().drop("a"),
  },
  "create-ends-terminal": {
    "a task that is still scheduled at the end": () => dueTask().rest({ nodes: [{ isStopped: true }] }),
    "a task of which there is no row": () =>
      twoNodes()
        .tell({ kind: "create-acknowledged", taskIds: ["a"], idempotencyKey: null, commit: 1 })
        .rest(),
  },
  "ended-has-started": {
    "a task that succeeded without a start": () => dueTask().claim("a", "n1").succeed("a"),
    "a task that is dead without a start": () => dueTask().claim("a", "n1").settleLate("a", { kind: "dead" }),
  },
  "expired-never-started": {
    "a task without a start deadline that expired": () =>
      dueTask({ startDeadlineMs: 0 }).wait(1).expire("a").forge({ startDeadlineAt: null }),
    "a task that expired at its start deadline": () =>
      dueTask({ startDeadlineMs: 1 })
        .wait(2)
        .expire("a")
        .forge((event) =>
          "after" in event ? { ...event, after: { ...event.after!, finishedAt: event.after!.startDeadlineAt } } : event,
        ),
    "a task that was started before it expired": () =>
      runningTask({ startDeadlineMs: 50 }).end("a").release("a").wait(51).expire("a"),
  },
  "effect-at-most-once": {
    "two effects of one task": () => doneTask().effect("a"),
    "two effects of one step": () => runningTask().effect("a", { step: "s" }).effect("a", { step: "s" }).succeed("a"),
  },
  "effect-iff-succeeded": {
    "a success without its effect": () => runningTask().settle("a", { kind: "succeeded" }),
    "an effect of a task that is dead": () => runningTask().settle("a", { kind: "dead" }).effect("a"),
  },
  "no-effect-after-cancel": {
    "an effect of a cancelled task": () => dueTask().cancel("a").wait(5).effect("a", { step: "s" }),
  },
  "never-early": {
    "a start 2 ms before the task is due": () => dueTask().wait(-2).claim("a", "n1").start("a"),
    "an early start of a claim that is not on record": () =>
      twoNodes().tell({
        kind: "started",
        taskId: "a",
        fence: 1,
        bootId: "n1",
        finder: null,
        dueAt: twoNodes().at + 1,
      }),
    "an early start, more than a re-sampling interval after the clock was set back": () =>
      dueTask().claim("a", "n1").began({ name: "clock-step", stepMs: -60_000 }).wait(10_001).start("a"),
  },
  "claim-not-early": {
    "a claim 21 ms ahead": () =>
      dueTask()
        .claim("a", "n1")
        .forge({ dueAt: dueTask().at + 21 }),
  },
  "one-execution-at-a-time": {
    "a second start while the first has not ended": () =>
      runningTask().release("a").wait(5).claim("a", "n2").start("a"),
  },
  "no-start-after-cancel": {
    "a superseded claim that starts all the same": () =>
      dueTask().claim("a", "n1").release("a").cancel("a").start("a", { fence: 1, bootId: "n1" }),
  },
  "acknowledged-edit-kept": {
    "a claim of the version before an acknowledged reschedule": () =>
      dueTask().tell({ kind: "edit-acknowledged", taskId: "a", version: 2, dueAt: 0, commit: null }).claim("a", "n1"),
    "a claim of this version with an earlier due time": () =>
      dueTask()
        .tell({ kind: "edit-acknowledged", taskId: "a", version: 1, dueAt: dueTask().at + 1, commit: null })
        .claim("a", "n1"),
  },
  "transition-in-table": {
    "an edit that left the version": () => dueTask().edit("a", { delayMs: 0 }).forge({ version: 1 }),
    "a release that left the task with its node": () => runningTask().end("a").release("a").forge({ owner: "n1" }),
    "a release of a cancelled task back to scheduled": () =>
      runningTask()
        .cancel("a")
        .end("a")
        .release("a")
        .forge({ state: "scheduled", fence: 2, owner: null, attempt: 0, finishedAt: null, reason: null }),
    "a success that kept the key": () => runningTask({ key: "k" }).succeed("a").forge({ keyLive: true }),
    "a claim by another statement": () =>
      dueTask()
        .claim("a", "n1")
        .forge((event) => ("statement" in event ? { ...event, statement: "edit" } : event)),
  },
  "fence-rises": {
    "a release that kept the fence": () => runningTask().end("a").release("a").forge({ fence: 1 }),
    "a claim that kept the fence": () => dueTask().claim("a", "n1").forge({ fence: 0 }),
  },
  "single-claim": { "one claim that started twice": () => runningTask().start("a", { bootId: "n2" }) },
  "stale-silence": {
    "a settle of another execution": () =>
      runningTask()
        .settle("a", { kind: "retry", delayMs: 0 })
        .forge((event) => ("execution" in event ? { ...event, execution: { owner: "n2", fence: 1 } } : event)),
    "an execution ended by a statement that is about none": () =>
      runningTask()
        .settle("a", { kind: "retry", delayMs: 0 })
        .forge((event) => ("statement" in event ? { ...event, statement: "edit", execution: null } : event)),
    "a reap of somebody else's task": () =>
      runningTask()
        .began({ name: "crash", bootId: "n1" })
        .wait(7_000)
        .reap("a")
        .forge((event) => ("owners" in event ? { ...event, owners: ["n2"] } : event)),
    "an effect after the execution lost its task": () =>
      runningTask().release("a").wait(1).effect("a", { fence: 1, step: "s", commit: 99 }),
  },
  "terminal-is-final": {
    "a retry that jumped a fence": () => doneTask().retry("a").forge({ fence: 3 }),
    "a revival by another statement": () =>
      dueTask()
        .cancel("a")
        .drop("a")
        .forge((event) => {
          if (event.kind !== "row-changed") return event;
          return { ...event, statement: "edit", after: { ...event.before!, state: "scheduled" } };
        }),
  },
  ...PLANTED_OF_POLICY,
  ...PLANTED_OF_PAUSED,
  "one-suspect-at-a-time": {
    "a suspect that starts while another one runs elsewhere": () =>
      twoSuspects().claim("a", "n1").start("a").claim("b", "n3").start("b"),
    "one that starts while the node of another one is dead, and its row not taken back": () =>
      twoSuspects().claim("a", "n1").start("a").began({ name: "crash", bootId: "n1" }).claim("b", "n3").start("b"),
  },
  "suspect-alone-of-its-type": {
    "a suspect that starts beside another task of its type": () =>
      twoSuspects().create("c").claim("c", "n1").start("c").claim("a", "n1").start("a"),
    "a task that starts beside a suspect of its type": () =>
      twoSuspects().create("c").claim("a", "n1").start("a").claim("c", "n1").start("c"),
  },
  "two-blocked-kills": {
    "a task that is scheduled again after two": () =>
      twoSuspects().claim("a", "n3").start("a").blockedDeath("n3").reap("a"),
  },
  "one-id-per-idempotency-key": {
    "two tasks of one idempotency key": () =>
      twoNodes().create("a", { idempotencyKey: "k" }).create("b", { idempotencyKey: "k" }),
  },
  "one-live-task-per-key": {
    "two live tasks of one key": () => twoNodes().create("a", { key: "k" }).create("b", { key: "k" }),
  },
  "merge-kept-once": PLANTED_MERGES,
  "declared-dead-with-cause": {
    "a healthy node": () => twoNodes().node("declared-dead", "n2"),
    "a healthy node, while another is paused": () =>
      twoNodes().began({ name: "pause", bootId: "n1" }).wait(8_000).node("declared-dead", "n2"),
    "a node whose pause is long over": () =>
      led()
        .began({ name: "pause", bootId: "n2" })
        .over({ name: "pause", bootId: "n2" })
        .wait(7_001)
        .node("declared-dead", "n2"),
    "a node whose loop is blocked": () =>
      led().began({ name: "loop-blocked", bootId: "n2" }).wait(59_000).node("declared-dead", "n2"),
    "a node that cannot reach Redis": () =>
      twoNodes().began({ name: "redis-cut", bootId: "n2" }).wait(8_000).node("declared-dead", "n2"),
  },
  "leader-followed": {
    "a leader that crashed": () => led().began({ name: "crash", bootId: "n1" }).wait(5_001).node("leads", "n2"),
    "a leader that is cut off from Postgres": () =>
      led().began({ name: "postgres-cut", way: "both", bootId: "n1" }).wait(5_001).node("leads", "n2"),
    "a leader that cannot send to Postgres, without Redis": () =>
      led({ coordination: "postgres" })
        .began({ name: "postgres-cut", way: "out", bootId: "n1" })
        .wait(8_001)
        .node("leads", "n2"),
  },
  "orphan-reaped": {
    "a task of a killed node, reaped late by a leader that was there": () =>
      runningTask()
        .node("joined", "n3")
        .began({ name: "crash", bootId: "n1" })
        .wait(4_000)
        .node("leads", "n3")
        .wait(6_001)
        .reap("a"),
    "a task of a killed node, reaped late though the leader was paused": () =>
      runningTask()
        .node("joined", "n3")
        .began({ name: "pause", bootId: "n3" })
        .began({ name: "crash", bootId: "n1" })
        .wait(17_001)
        .reap("a"),
    "a task of a killed node, reaped late": () =>
      runningTask().began({ name: "crash", bootId: "n1" }).wait(10_001).reap("a"),
    "a task of a killed node, reaped late, Postgres going away after the bound": () =>
      runningTask()
        .began({ name: "crash", bootId: "n1" })
        .wait(10_001)
        .began({ name: "postgres-away" })
        .wait(1_000)
        .over({ name: "postgres-away" })
        .reap("a"),
    "a task of a dead node, reaped late though another has been away for long": () =>
      runningTask()
        .node("joined", "n3")
        .began({ name: "pause", bootId: "n2" })
        .wait(20_000)
        .began({ name: "pause", bootId: "n1" })
        .wait(7_000)
        .node("declared-dead", "n1")
        .wait(3_001)
        .reap("a"),
    "a task of a dead node, never reaped": () =>
      runningTask()
        .began({ name: "postgres-cut", bootId: "n1" })
        .wait(7_000)
        .node("declared-dead", "n1")
        .wait(3_001)
        .create("b"),
  },
  "in-doubt-released": {
    "a claim that nobody knows, released late": () => dueTask().claim("a", "n1").wait(10_001).release("a"),
    "a claim that nobody knows, the clock set forward meanwhile": () =>
      dueTask().claim("a", "n1").began({ name: "clock-step", stepMs: 5_000 }).wait(10_001).release("a"),
    "a handler that is over, and its row runs on": () =>
      runningTask().end("a").wait(10_001).settleLate("a", { kind: "dead" }),
  },
  ...PLANTED_OF_LEASES,
  ...PLANTED_OF_FINDERS,
  "rest-without-running-row": { "a running row": () => runningTask().rest({ isEnd: false }) },
  "rest-without-claim-in-doubt": {
    "a claim without an answer": () => doneTask().rest({ nodes: [{ claimsInDoubt: ["a"] }] }),
  },
  "rest-with-scheduled-in-wheel": {
    "a row within the horizon": () =>
      twoNodes()
        .create("a", { due: { delayMs: 9_000 } })
        .rest({ isEnd: false }),
    "a row that only a stopped node's wheel knows": () => {
      const built = twoNodes().create("a", { due: { delayMs: 9_000 } });
      const entries = [{ taskId: "a", dueAt: built.row("a").dueAt }];
      return built.rest({ isEnd: false, nodes: [{ bootId: "n1" }, { bootId: "n2", isStopped: true, entries }] });
    },
  },
  "rest-without-overdue-entry": {
    "an entry that outlived its due time": () => {
      const built = doneTask();
      return built.rest({ nodes: [{ entries: [{ taskId: "a", dueAt: built.at - 1 }] }] });
    },
  },
  "rest-without-condition": {
    "a part that is said to fail": () => doneTask().rest({ nodes: [{ degraded: ["engine.verify"] }] }),
  },
  "rest-without-timer": {
    "a timer of a stopped node": () => doneTask().rest({ nodes: [{ isStopped: true, timers: 1 }] }),
  },
  "lateness-in-parts": {
    "parts that are more than the lateness": () =>
      runningTask()
        .settle("a", { kind: "dead" })
        .forge({ latenessParts: latenessPartsOf({ wheel: 7 }) }),
    "a part that is negative": () =>
      runningTask()
        .settle("a", { kind: "dead" })
        .forge({ latenessParts: latenessPartsOf({ wheel: 7, start: -7 }) }),
  },
  "lateness-hard-bound": {
    "a lost hint that took more than 1.2 s": () =>
      twoNodes()
        .create("a", { due: { delayMs: 1_000 } })
        .wait(2_201)
        .claim("a", "n1")
        .start("a", { finder: "sweep" }),
    "a lost hint that took more than 1.2 s, long after both nodes were paused": () => {
      const built = twoNodes();
      for (const bootId of ["n1", "n2"]) built.began({ name: "pause", bootId });
      for (const bootId of ["n1", "n2"]) built.over({ name: "pause", bootId });
      return built
        .wait(60_000)
        .create("a", { due: { delayMs: 1_000 } })
        .wait(2_201)
        .claim("a", "n1")
        .start("a", { finder: "sweep" });
    },
    "a theft from a node that was lost long ago": () => lateTheft((built) => built.wait(8_000)),
    "a key's holder that was left to the full sweep, after minutes without nodes": () => {
      const built = twoNodes().create("a", { due: { delayMs: 9_000 }, key: "k" });
      for (const bootId of ["n1", "n2"]) built.began({ name: "pause", bootId });
      built.wait(300_000);
      for (const bootId of ["n1", "n2"]) built.over({ name: "pause", bootId });
      return built.wait(10_000).claim("a", "n1").start("a", { finder: "full-sweep" });
    },
    "a row that was held for minutes and left to the full sweep then": () =>
      dueTask()
        .began({ name: "row-lock", taskId: "a" })
        .wait(300_000)
        .over({ name: "row-lock", taskId: "a" })
        .wait(10_000)
        .claim("a", "n1")
        .start("a", { finder: "full-sweep" }),
    "a rolling restart that took more than 1 s": () =>
      twoNodes()
        .create("a", { due: { delayMs: 1_000 } })
        .node("goodbye", "n2")
        .wait(2_001)
        .claim("a", "n1")
        .start("a", { finder: "sweep" }),
    "a pending task of a killed node after more than 3 s": () =>
      twoNodes()
        .create("a", { due: { delayMs: 1_000 } })
        .began({ name: "crash", bootId: "n2" })
        .wait(4_001)
        .claim("a", "n1")
        .start("a", { finder: "steal" }),
    "a lost hint that took more than 1.2 s, though a node has been away for long": () =>
      twoNodes()
        .began({ name: "pause", bootId: "n2" })
        .wait(20_000)
        .create("a", { due: { delayMs: 1_000 } })
        .wait(2_201)
        .claim("a", "n1")
        .start("a", { finder: "sweep" }),
    "a killed node's running task after more than 10 s": () =>
      runningTask().began({ name: "crash", bootId: "n1" }).wait(9_900).reap("a").wait(101).claim("a", "n2").start("a"),
    "a start more than 2 s after Postgres came back for the second time": () =>
      dueTask()
        .began({ name: "postgres-away" })
        .began({ name: "postgres-away" })
        .wait(8_000)
        .over({ name: "postgres-away" })
        .over({ name: "postgres-away" })
        .wait(2_001)
        .claim("a", "n1")
        .start("a"),
    "a start more than 2 s after Postgres came back": () =>
      dueTask()
        .began({ name: "postgres-away" })
        .wait(8_000)
        .over({ name: "postgres-away" })
        .wait(2_001)
        .claim("a", "n1")
        .start("a"),
  },
  "lateness-p99": {
    "a hundred starts that were 201 ms late in a rolling restart": () =>
      lateTasks(100, 201, { meanwhile: (built) => built.node("goodbye", "n2") }),
    "a hundred starts that were 51 ms late": () => lateTasks(100, 51),
    "a hundred starts that were 51 ms late, long after a caller's transaction had written the tasks": () =>
      lateTasks(100, 51, { by: "caller" }),
  },
};
