import { LATENESS_PROMISES } from "../src/history/lateness-promises.js";
import { dueTask, twoNodes } from "./first-chapters.js";
import { HistoryBuilder } from "./history-builder.js";

const lenient = { ...LATENESS_PROMISES, normal: { p99Ms: 60_000, hardMs: 61_000 } };

/** Histories for the rules about who finds what: each breaks one of them, and no other rule. */
export const PLANTED_OF_FINDERS = {
  "wheel-finds-what-was-known": {
    "a known task that the sweep found": () => dueTask().wait(60).claim("a", "n1").start("a", { finder: "sweep" }),
    "a known task that the sweep found, long after a fault": () =>
      twoNodes()
        .began({ name: "redis-away" })
        .over({ name: "redis-away" })
        .wait(60_000)
        .create("a", { due: { delayMs: 9_000 } })
        .wait(9_060)
        .claim("a", "n1")
        .start("a", { finder: "sweep" }),
    "a known task that the sweep found, another's row being locked": () =>
      dueTask().began({ name: "row-lock", taskId: "b" }).wait(60).claim("a", "n1").start("a", { finder: "sweep" }),
    "a known task that the sweep of a leaving node found, where another stays": () =>
      dueTask().node("leaving", "n1").wait(60).claim("a", "n1").start("a", { finder: "sweep" }),
    "a known task that was stolen in a hand-over": () =>
      dueTask().node("goodbye", "n2").wait(60).claim("a", "n1").start("a", { finder: "steal" }),
  },
  "full-sweep-finds-what-lies-below": {
    "a task that every sweep passed over": () =>
      new HistoryBuilder({ lateness: lenient })
        .create("a")
        .wait(1_201)
        .claim("a", "n1")
        .start("a", { finder: "full-sweep" }),
  },
};
