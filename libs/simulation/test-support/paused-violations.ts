import { dueTask, runningTask, twoNodes } from "./first-chapters.js";
import type { HistoryBuilder } from "./history-builder.js";
import { PLANTED_OF_LIMITS } from "./limit-violations.js";

/** Histories for the rules about what people pause and limit: each breaks one, and no other rule. */
export const PLANTED_OF_PAUSED = {
  "paused-stands-still": {
    "a start of what is paused": () => dueTask().pause("a").start("a", { fence: 1, bootId: "n1" }),
    "a countdown that ran while its task was paused": () => {
      const paused = dueTask().edit("a", { delayMs: 1_000 }).pause("a").wait(300);
      const { at } = paused;
      return paused.resume("a").forge({ dueAt: at + 700 });
    },
    "a start after the second pause": () =>
      runningTask()
        .end("a")
        .release("a")
        .pause("a")
        .wait(10)
        .resume("a")
        .pause("a")
        .start("a", { fence: 2, bootId: "n1" }),
  },
  "pause-obeyed": {
    "a start of a type whose pause every node obeys": () => dueTask().pauseType(5_000).claim("a", "n1").start("a"),
    "a start of a key whose pause every node obeys": () =>
      dueTask({ key: "k" }).pauseType(5_000, "k").claim("a", "n1").start("a"),
    "a start of what was claimed before its type was paused": () =>
      dueTask().claim("a", "n1").pauseType(5_000).wait(20).start("a"),
  },
  ...PLANTED_OF_LIMITS,
};

/** What looks like a violation and is none. */
export const ALLOWED_PAUSES: Record<string, () => HistoryBuilder> = {
  "a countdown that stood still for a while": () =>
    twoNodes()
      .create("a", { due: { delayMs: 9_000 } })
      .pause("a")
      .wait(60_000)
      .resume("a")
      .wait(9_000)
      .claim("a", "n1")
      .start("a")
      .succeed("a")
      .rest(),
  "a start before its type's pause was answered": () =>
    dueTask().askType().claim("a", "n1").start("a").pauseType(5_000).succeed("a").wait(9_000).rest(),
  "a start of another key than the paused one": () =>
    dueTask({ key: "k" }).pauseType(60_000, "other").claim("a", "n1").start("a").succeed("a").rest(),
  "a start when its type's pause is over": () =>
    dueTask().pauseType(50).wait(50).claim("a", "n1").start("a").succeed("a").rest(),
  "a start after somebody asked to resume the type": () =>
    dueTask().pauseType(60_000).askType().claim("a", "n1").start("a").succeed("a").rest(),
  "a start beside a pause that was asked for while another call was under way": () =>
    dueTask().askTypeUnwritten().pauseType(60_000).claim("a", "n1").start("a").succeed("a").rest(),
  "a start after a fail-over, which may have forgotten the pause": () =>
    dueTask().pauseType(60_000).failover(1).claim("a", "n1").start("a").succeed("a").rest(),
  "a success whose type keeps none": () =>
    dueTask().claim("a", "n1").start("a").succeedForgotten("a").wait(9_000).rest(),
  "a task that is paused at the end": () => dueTask().pause("a").wait(60_000).rest(),
};
