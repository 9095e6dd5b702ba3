import { twoNodes } from "./first-chapters.js";
import type { HistoryBuilder } from "./history-builder.js";

const RATE = { count: 1, perMs: 1_000, burst: 1 };

/** Tasks that are due together. */
function dueTasks(...ids: string[]): HistoryBuilder {
  return ids.reduce((history, id) => history.create(id, { due: { delayMs: 100 } }), twoNodes()).wait(100);
}

/** Histories for the rules about limits of the cluster: each breaks one, and no other rule. */
export const PLANTED_OF_LIMITS = {
  "limit-kept": {
    "a claim above a limit that every node obeys": () =>
      dueTasks("a", "b").limitType({ maxRunning: 1 }).claim("a", "n1").claim("b", "n2"),
    "a claim beside one that was made before the limit": () =>
      dueTasks("a", "b").claim("a", "n1").limitType({ maxRunning: 1 }).claim("b", "n2"),
    "a claim beside the row of a dead node": () =>
      dueTasks("a", "b")
        .limitType({ maxRunning: 1 })
        .claim("a", "n1")
        .began({ name: "crash", bootId: "n1" })
        .claim("b", "n2"),
  },
  "rate-kept": {
    "a start too soon after another": () =>
      dueTasks("a", "b").limitType({ rate: RATE }).claim("a", "n1").start("a").claim("b", "n1").wait(499).start("b"),
  },
};

/** What looks like a violation and is none. */
export const ALLOWED_LIMITS: Record<string, () => HistoryBuilder> = {
  "what ran before its limit was lowered": () =>
    dueTasks("a", "b")
      .claim("a", "n1")
      .claim("b", "n1")
      .limitType({ maxRunning: 1 })
      .start("a")
      .start("b")
      .succeed("a")
      .succeed("b")
      .rest(),
  "a claim while its limit is not answered": () =>
    dueTasks("a", "b")
      .askLimit()
      .claim("a", "n1")
      .claim("b", "n1")
      .start("a")
      .start("b")
      .succeed("a")
      .succeed("b")
      .rest(),
  "a claim after somebody asked to change the limit": () =>
    dueTasks("a", "b")
      .limitType({ maxRunning: 1 })
      .askLimit()
      .claim("a", "n1")
      .claim("b", "n1")
      .start("a")
      .start("b")
      .succeed("a")
      .succeed("b")
      .rest(),
  "a claim after a limit that raced with another call, which may have been written later": () =>
    dueTasks("a", "b")
      .askLimitUnwritten()
      .limitType({ maxRunning: 1 })
      .claim("a", "n1")
      .claim("b", "n1")
      .start("a")
      .start("b")
      .succeed("a")
      .succeed("b")
      .rest(),
  "a place that an end has freed": () =>
    dueTasks("a", "b")
      .limitType({ maxRunning: 1 })
      .claim("a", "n1")
      .start("a")
      .succeed("a")
      .claim("b", "n1")
      .start("b")
      .succeed("b")
      .rest(),
  "starts as far apart as the rate wants": () =>
    dueTasks("a", "b")
      .limitType({ rate: RATE })
      .claim("a", "n1")
      .start("a")
      .succeed("a")
      .wait(500)
      .claim("b", "n1")
      .start("b")
      .succeed("b")
      .rest(),
};
