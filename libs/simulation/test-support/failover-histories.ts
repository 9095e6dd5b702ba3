import { noLateness } from "@tickwheel/core";
import type { HistoryBuilder } from "./history-builder.js";
import { runningTask } from "./first-chapters.js";

/** What a fail-over that forgets commits may lead to. */
export const ALLOWED_FAILOVERS: Record<string, () => HistoryBuilder> = {
  "an expiry of what had started and ended before a fail-over": () =>
    runningTask({ startDeadlineMs: 50 }).succeed("a").failover(2).release("a").wait(51).expire("a").rest(),
  "an end of a start that a fail-over forgot, whose fence came again": () => endOfForgottenStart(),
};

/**
 * A fail-over forgot the claim of "a", whose fence came again: the end of the first start, 7 ms late, is taken for that
 * of the second.
 */
function endOfForgottenStart(): HistoryBuilder {
  const again = runningTask().failover(1).claim("a", "n1").start("a").settle("a", { kind: "dead" });
  return again.forge({ latenessParts: { ...noLateness(), wheel: 7, clockErrorUs: 0, takenFrom: null } });
}
