import { HistoryBuilder } from "./history-builder.js";
import { ALLOWED_LIMITS } from "./limit-violations.js";
import { ALLOWED_PAUSES } from "./paused-violations.js";
import { ALLOWED_LEASES } from "./lease-histories.js";
import { ALLOWED_MERGES } from "./merge-histories.js";
import { doneTask, dueTask, lateTasks, lateTheft, led, runningTask, twoNodes, twoSuspects } from "./first-chapters.js";
import { ALLOWED_FAILOVERS } from "./failover-histories.js";

/** What looks like a violation and is none, by what lets it pass. */
export const ALLOWED: Record<string, Record<string, () => HistoryBuilder>> = {
  "a task's life": {
    "nothing at all": () => new HistoryBuilder(),
    success: () => doneTask().rest(),
    "a cancel before it is due": () => dueTask().cancel("a").rest(),
    "a cancel that was only requested, and the handler completes": () => runningTask().cancel("a").succeed("a").rest(),
    "a reschedule that is kept": () =>
      dueTask().edit("a", { delayMs: 8_000 }).wait(8_000).claim("a", "n1").start("a").succeed("a").rest(),
    "a failure and a second attempt": () =>
      runningTask()
        .settle("a", { kind: "retry", delayMs: 700 })
        .wait(700)
        .claim("a", "n2")
        .start("a")
        .succeed("a")
        .rest(),
    "a snooze, which costs no attempt": () =>
      runningTask({ maxAttempts: 1 }).settle("a", { kind: "snoozed", delayMs: 0 }).claim("a", "n2").succeed("a").rest(),
    "a death of exhausted attempts": () => runningTask({ maxAttempts: 1 }).settle("a", { kind: "dead" }).rest(),
    "an expiry, and a claim before it that was given back": () =>
      dueTask({ startDeadlineMs: 50 }).claim("a", "n1").release("a").wait(51).expire("a").rest(),
    "two steps, each with its effect": () =>
      runningTask().effect("a", { step: "s" }).effect("a", { step: "t" }).succeed("a").rest(),
    "retention, after the end": () => doneTask().drop("a").rest(),
    "a create that nobody was told of": () =>
      twoNodes()
        .write("a")
        .rest({ isEnd: true, nodes: [{ isStopped: true }] }),
  },
  "a fail-over": ALLOWED_FAILOVERS,
  "a pause": ALLOWED_PAUSES,
  "a limit": ALLOWED_LIMITS,
  "an explicit retry": {
    "a start after an expiry": () =>
      dueTask({ startDeadlineMs: 50 }).wait(51).expire("a").retry("a").claim("a", "n1").start("a").succeed("a").rest(),
    "a second effect": () => doneTask().retry("a").claim("a", "n1").start("a").succeed("a").rest(),
    "a start after a cancel": () => dueTask().cancel("a").retry("a").claim("a", "n1").start("a").succeed("a").rest(),
    "more attempts": () =>
      runningTask({ maxAttempts: 1 })
        .settle("a", { kind: "dead" })
        .retry("a")
        .claim("a", "n1")
        .start("a")
        .succeed("a")
        .rest(),
  },
  "a step of the database's clock": {
    "a start within a re-sampling interval of it": () =>
      dueTask().claim("a", "n1").began({ name: "clock-step", stepMs: -60_000 }).wait(10_000).start("a"),
    "a task that it made due": () =>
      twoNodes()
        .create("a", { due: { delayMs: 60_000 } })
        .wait(1_000)
        .began({ name: "clock-step", stepMs: 3_600_000 })
        .wait(1_100)
        .claim("a", "n1")
        .start("a", { finder: "sweep" })
        .succeed("a"),
    "a task that it put off": () =>
      twoNodes()
        .create("a", { due: { delayMs: 9_000 } })
        .wait(1_000)
        .began({ name: "clock-step", stepMs: -60_000 })
        .wait(68_000)
        .claim("a", "n1")
        .start("a")
        .succeed("a"),
  },
  "a lease break": {
    "overlap with a node that was declared dead in a pause": () =>
      runningTask()
        .began({ name: "pause", bootId: "n1" })
        .wait(7_000)
        .node("declared-dead", "n1")
        .reap("a")
        .wait(10)
        .claim("a", "n2")
        .start("a")
        .over({ name: "pause", bootId: "n1" })
        .end("a", { fence: 1, bootId: "n1" })
        .succeed("a"),
    "overlap with a handler that ignores the abort of a node that fenced itself": () =>
      runningTask().node("lease-broken", "n1").release("a").claim("a", "n2").start("a").succeed("a"),
    "a start by a node that wakes up, after a cancel": () =>
      dueTask()
        .claim("a", "n1")
        .began({ name: "pause", bootId: "n1" })
        .wait(7_000)
        .node("declared-dead", "n1")
        .reap("a")
        .cancel("a")
        .over({ name: "pause", bootId: "n1" })
        .start("a", { fence: 1, bootId: "n1" }),
  },
  "a time-out": {
    "overlap with a handler that ignores it": () =>
      runningTask()
        .wait(30_000)
        .abort("timed-out", "a")
        .settleLate("a", { kind: "retry", delayMs: 0 })
        .claim("a", "n2")
        .start("a")
        .succeed("a"),
  },
  "a drain abort": {
    "overlap with a handler that ignores it": () =>
      runningTask()
        .abort("drain-aborted", "a")
        .release("a")
        .node("goodbye", "n1")
        .claim("a", "n2")
        .start("a")
        .succeed("a"),
  },
  suspects: {
    "one after the other, wherever that is": () =>
      twoSuspects().claim("a", "n1").start("a").succeed("a").claim("b", "n3").start("b").succeed("b").rest(),
    "one that was given back before the next one starts": () =>
      twoSuspects().claim("a", "n1").start("a").end("a").release("a").claim("b", "n1").start("b").succeed("b"),
  },
  "a crash": {
    "a second start where the first never ended": () =>
      runningTask()
        .began({ name: "crash", bootId: "n1" })
        .wait(7_000)
        .reap("a")
        .wait(2_000)
        .claim("a", "n2")
        .start("a")
        .succeed("a")
        .rest(),
    "a death of crashes without any start": () => {
      const built = twoNodes().create("a");
      for (const bootId of ["n1", "n2", "n3"]) {
        if (bootId === "n3") built.node("joined", "n3");
        built.claim("a", bootId).began({ name: "crash", bootId }).wait(7_000).reap("a").wait(2_000);
      }
      return built.rest();
    },
    "of the leader too, a little later": () =>
      runningTask()
        .node("joined", "n3")
        .began({ name: "crash", bootId: "n1" })
        .wait(6_000)
        .began({ name: "crash", bootId: "n2" })
        .wait(10_000)
        .reap("a"),
    "a reap that waited for a caller's transaction": () =>
      runningTask()
        .began({ name: "crash", bootId: "n1" })
        .began({ name: "row-lock", taskId: "a" })
        .wait(30_000)
        .over({ name: "row-lock", taskId: "a" })
        .wait(1_000)
        .reap("a"),
    "bounds begin with the coming of the node that leads": () =>
      runningTask()
        .began({ name: "crash", bootId: "n1" })
        .wait(3_000)
        .node("joined", "n3")
        .wait(3_000)
        .node("leads", "n3")
        .wait(7_000)
        .reap("a")
        .claim("a", "n3")
        .start("a"),
    "the leader paused, and nobody there who had watched its term": () =>
      runningTask()
        .began({ name: "pause", bootId: "n2" })
        .began({ name: "crash", bootId: "n1" })
        .wait(5_000)
        .node("joined", "n3")
        .wait(4_000)
        .over({ name: "pause", bootId: "n2" })
        .wait(10_000)
        .reap("a"),
    "all nodes dead: bounds begin at the first one's restart": () =>
      runningTask()
        .create("b", { due: { delayMs: 1_000 } })
        .began({ name: "crash", bootId: "n1" })
        .began({ name: "crash", bootId: "n2" })
        .wait(600_000)
        .node("joined", "n3")
        .wait(2_900)
        .claim("b", "n3")
        .start("b", { finder: "sweep" })
        .wait(5_000)
        .reap("a")
        .wait(1_000)
        .claim("a", "n3")
        .start("a"),
  },
  "declared dead": {
    "after a goodbye": () => twoNodes().node("goodbye", "n2").wait(500).node("declared-dead", "n2"),
    "in a pause, and a little after": () =>
      twoNodes()
        .began({ name: "pause", bootId: "n2" })
        .wait(6_900)
        .over({ name: "pause", bootId: "n2" })
        .wait(200)
        .node("declared-dead", "n2"),
    "cut off from Postgres": () =>
      twoNodes().began({ name: "postgres-cut", bootId: "n2" }).wait(8_000).node("declared-dead", "n2"),
    "after a minute of a blocked loop": () =>
      twoNodes().began({ name: "loop-blocked", bootId: "n2" }).wait(68_000).node("declared-dead", "n2"),
  },
  "a leader": {
    "lost, and followed in time": () => led().began({ name: "crash", bootId: "n1" }).wait(5_000).node("leads", "n2"),
    "back in time": () =>
      led()
        .began({ name: "postgres-cut", way: "both", bootId: "n1" })
        .wait(5_000)
        .over({ name: "postgres-cut", way: "both", bootId: "n1" })
        .wait(60_000)
        .create("a"),
    "whose clock jumped ahead": () => led().began({ name: "pause", bootId: "n1" }).wait(60_000).create("a"),
    "lost, and followed in time without Redis": () =>
      led({ coordination: "postgres" }).began({ name: "crash", bootId: "n1" }).wait(8_000).node("leads", "n2"),
    "whose statements arrive, and their replies do not": () =>
      led().began({ name: "postgres-cut", way: "in", bootId: "n1" }).wait(7_000).node("leads", "n2"),
    "lost while Redis is away": () =>
      led().began({ name: "redis-away" }).began({ name: "crash", bootId: "n1" }).wait(7_000).node("leads", "n2"),
    "lost, and the other one goes": () =>
      led().began({ name: "crash", bootId: "n1" }).wait(5_100).node("draining", "n2").create("a"),
    "another node lost": () => led().began({ name: "crash", bootId: "n2" }).wait(60_000).create("a"),
  },
  "in doubt": {
    "released after one reconcile interval": () => dueTask().claim("a", "n1").wait(5_000).release("a"),
    "for as long as its owner is paused": () =>
      dueTask()
        .claim("a", "n1")
        .began({ name: "pause", bootId: "n1" })
        .wait(6_000)
        .over({ name: "pause", bootId: "n1" })
        .wait(9_000)
        .release("a"),
    "for as long as Postgres is away": () =>
      dueTask()
        .claim("a", "n1")
        .began({ name: "postgres-away" })
        .wait(60_000)
        .over({ name: "postgres-away" })
        .wait(9_000)
        .release("a"),
    "a handler that runs for long": () => runningTask().wait(3_600_000).succeed("a"),
  },
  "the finders": {
    "a sweep of what came at short notice": () =>
      twoNodes()
        .create("a", { due: { delayMs: 4_999 } })
        .wait(6_000)
        .claim("a", "n1")
        .start("a", { finder: "sweep" }),
    "a theft in the shadow of a crash": () =>
      dueTask().began({ name: "crash", bootId: "n2" }).wait(2_000).claim("a", "n1").start("a", { finder: "steal" }),
    "a sweep of a node that leaves, when no other is to stay": () =>
      dueTask().node("leaving", "n1", "n2").wait(60).claim("a", "n1").start("a", { finder: "sweep" }),
    "a full sweep that was there before the sweep": () =>
      twoNodes().create("a").wait(900).claim("a", "n1").start("a", { finder: "full-sweep" }),
    "a full sweep that finds what was committed below the bound": () => {
      const built = twoNodes();
      const dueAt = built.at;
      return built
        .wait(70_000)
        .write("a")
        .forge({ dueAt, createdAt: dueAt })
        .wait(60_000)
        .claim("a", "n1")
        .start("a", { finder: "full-sweep" });
    },
  },
  "at rest": {
    "a scheduled row in a wheel, with an extra entry": () => {
      const built = dueTask()
        .cancel("a")
        .create("b", { due: { delayMs: 9_000 } });
      const entries = [
        { taskId: "a", dueAt: built.at + 1 },
        { taskId: "b", dueAt: built.row("b").dueAt },
      ];
      return built.rest({ isEnd: false, nodes: [{ entries }] });
    },
    "rows beyond the horizon, or not yet reloaded": () =>
      twoNodes()
        .create("a", { due: { delayMs: 3_600_000 } })
        .create("b", { due: { delayMs: 10_001 } })
        .rest({ isEnd: false }),
    "a row of a type that nobody runs": () =>
      twoNodes()
        .create("a")
        .rest({ isEnd: false, nodes: [{ typeIds: [2] }] }),
  },
  lateness: {
    "a hundred starts that were 50 ms late": () => lateTasks(100, 50),
    "a hundred starts that were 200 ms late in a rolling restart": () =>
      lateTasks(100, 200, { meanwhile: (built) => built.node("goodbye", "n2") }),
    "a hundred starts that the sweep found, of what callers' transactions wrote": () =>
      lateTasks(100, 900, { by: "caller", delayMs: 1_000 }),
    "a start in time that a fail-over forgot, and another after it": () =>
      twoNodes()
        .create("a", { due: { delayMs: 1_000 } })
        .wait(2_100)
        .claim("a", "n1")
        .start("a", { finder: "sweep" })
        .wait(300)
        .failover(1)
        .wait(1_900)
        .claim("a", "n2")
        .start("a", { finder: "sweep" }),
    "a rolling restart while nobody leads: what the node held is stolen": () =>
      twoNodes()
        .node("leads", "n1")
        .create("a", { due: { delayMs: 1_000 } })
        .node("goodbye", "n1")
        .wait(4_000)
        .claim("a", "n2")
        .start("a", { finder: "steal" }),
    "no node until the next one joins": () =>
      dueTask()
        .node("goodbye", "n1", "n2")
        .wait(60_000)
        .node("joined", "n3")
        .wait(1_100)
        .claim("a", "n3")
        .start("a", { finder: "sweep" }),
    "a node whose beats arrive, though no reply reaches it, for long: what it should have run is stolen": () =>
      twoNodes()
        .began({ name: "postgres-cut", way: "in", bootId: "n2" })
        .wait(20_000)
        .create("a", { due: { delayMs: 1_000 } })
        .wait(2_900)
        .claim("a", "n1")
        .start("a", { finder: "steal" }),
    "a theft from a lost node, which an outage of Postgres kept from being suspected": () =>
      lateTheft((built) =>
        built.wait(2_000).began({ name: "postgres-away" }).wait(6_000).over({ name: "postgres-away" }),
      ),
    "a lost hint, 1.2 s": () =>
      twoNodes()
        .create("a", { due: { delayMs: 1_000 } })
        .wait(2_200)
        .claim("a", "n1")
        .start("a", { finder: "sweep" }),
    "more work than places": () =>
      dueTask()
        .began({ name: "overload" })
        .wait(30_000)
        .over({ name: "overload" })
        .wait(1_200)
        .claim("a", "n1")
        .start("a"),
    "a row that a caller's transaction held": () =>
      dueTask()
        .began({ name: "row-lock", taskId: "a" })
        .wait(30_000)
        .over({ name: "row-lock", taskId: "a" })
        .wait(1_200)
        .claim("a", "n1")
        .start("a"),
    "a blocked loop: what it had not claimed": () =>
      dueTask()
        .began({ name: "loop-blocked", bootId: "n1" })
        .wait(3_000)
        .claim("a", "n2")
        .start("a", { finder: "steal" }),
    "a blocked loop: what it had claimed": () =>
      dueTask()
        .claim("a", "n1")
        .began({ name: "loop-blocked", bootId: "n1" })
        .wait(20_000)
        .over({ name: "loop-blocked", bootId: "n1" })
        .wait(1_000)
        .start("a"),
    "Redis away": () =>
      twoNodes()
        .began({ name: "redis-away" })
        .create("a", { due: { delayMs: 100 } })
        .wait(1_300)
        .claim("a", "n1")
        .start("a", { finder: "sweep" }),
  },
  merges: ALLOWED_MERGES,
  leases: ALLOWED_LEASES,
  keys: {
    "a key whose holder has ended": () => runningTask({ key: "k" }).succeed("a").create("b", { key: "k" }),
    "an idempotency key a day later": () =>
      twoNodes()
        .create("a", { idempotencyKey: "k", due: { delayMs: 1e9 } })
        .wait(86_400_000)
        .create("b", { idempotencyKey: "k", due: { delayMs: 1e9 } }),
  },
};
