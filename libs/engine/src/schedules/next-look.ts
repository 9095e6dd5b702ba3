import type { EpochMs } from "@tickwheel/core";
import type { BackfillState, OccurrenceTask, PlanningOutput } from "@tickwheel/schedules";

/**
 * An occurrence's end is told by the node that ends it; the look finds what was not told, this long after it is due.
 */
const AFTER_DUE_MS = 2_000;
/** What goes on for long is looked at ever more seldom, up to this. */
const LONGEST_PAUSE_MS = 60_000;
/** … by a share of how long it has lasted. */
const SHARE_OF_AGE = 1 / 4;

/**
 * When to ask about a schedule again if nothing tells of it before: when its decision says so, and else when its
 * occurrence may have ended without a word. A node that dies, a cancel by hand or an expiry tell nobody.
 *
 * @returns whole milliseconds; null: nothing that is to come can change it
 */
export function lookAtOf(scene: { output: PlanningOutput; live: OccurrenceTask | null; now: EpochMs }): EpochMs | null {
  const { output, live, now } = scene;
  const asked = [output.lookAt, ownLookAt(output, live, now)].filter((at) => at !== null);
  return asked.length === 0 ? null : Math.min(...asked);
}

function ownLookAt(output: PlanningOutput, live: OccurrenceTask | null, now: EpochMs): EpochMs | null {
  const [next] = output.insert;
  if (next) return Math.max(next.dueAt, now) + AFTER_DUE_MS;
  return live && output.live !== "withdraw" ? lookAfter(live, now) : null;
}

/** When to ask again whether a run of a backfill has ended; null: none goes on, or the next one's turn is taken now. */
export function backfillLookAt({ backfill }: BackfillState, live: OccurrenceTask | null, now: EpochMs): EpochMs | null {
  if (live) return lookAfter(live, now);
  return backfill ? now + AFTER_DUE_MS : null;
}

function lookAfter(live: OccurrenceTask, now: EpochMs): EpochMs {
  const since = live.startedAt ?? live.dueAt;
  if (since > now) return since + AFTER_DUE_MS;
  const pauseMs = Math.min(Math.max((now - since) * SHARE_OF_AGE, AFTER_DUE_MS), LONGEST_PAUSE_MS);
  return Math.ceil(now + pauseMs);
}
