import { dueTask, runningTask, twoNodes } from "./first-chapters.js";
import type { HistoryBuilder } from "./history-builder.js";

/** Of the rule about paused tasks: histories that break it, and no other rule. */
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
  "a task that is paused at the end": () => dueTask().pause("a").wait(60_000).rest(),
};
