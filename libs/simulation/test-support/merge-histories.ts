import { jsonTextOf } from "@tickwheel/core";
import type { HistoryBuilder } from "./history-builder.js";
import { collecting, runningTask } from "./first-chapters.js";

/** The smallest histories that break the rule `merge-kept-once`. */
export const PLANTED_MERGES: Record<string, () => HistoryBuilder> = {
  "a merge that was acknowledged and is not there": () =>
    collecting().tell({ kind: "merge-acknowledged", taskId: "a", item: "m", commit: 1 }),
  "a merge that a later write has overwritten": () =>
    collecting()
      .merge("a", "m")
      .forge({ payload: jsonTextOf({ items: [], count: 0 }) }),
  "a merge in two tasks": () =>
    collecting()
      .mergeUnheard("a", "m")
      .create("b", { key: "l", due: { delayMs: 9_000 } })
      .merge("b", "m"),
  "a merge twice in one task": () => collecting().merge("a", "m").mergeUnheard("a", "m"),
  "a sum that counts a merge twice": () =>
    collecting()
      .merge("a", "m")
      .forge({ payload: jsonTextOf({ items: ["m"], count: 2 }) }),
  "a start without a merge that was acknowledged before": () =>
    collecting().merge("a", "m").wait(9_000).claim("a", "n1").start("a", { items: [] }),
  "a merge into a task that runs": () => runningTask({ key: "k" }).mergeUnheard("a", "m"),
};

/** What looks like a merge that was lost or counted twice, and is none. */
export const ALLOWED_MERGES: Record<string, () => HistoryBuilder> = {
  "many merges into a task, then its execution": () =>
    collecting().merge("a", "m").merge("a", "n").wait(9_000).claim("a", "n1").start("a"),
  "a merge whose caller got no answer": () => collecting().mergeUnheard("a", "m"),
  "a merge that a fail-over forgot": () => collecting().merge("a", "m").failover(1),
  "a merge whose answer came after the fail-over that forgot it": () =>
    collecting().mergeUnheard("a", "m").failover(1).mergeHeard("a", "m"),
  "a merge after a person's retry": () =>
    collecting().merge("a", "m").wait(9_000).claim("a", "n1").start("a").succeed("a").retry("a").merge("a", "n"),
};
