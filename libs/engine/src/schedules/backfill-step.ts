import type { EpochMs } from "@tickwheel/core";
import {
  type BackfillState,
  backfillTurn,
  endedBackfill,
  type OccurrenceTask,
  type ScheduleChange,
  type ScheduleScene,
} from "@tickwheel/schedules";
import { type DraftedOccurrence, isLive } from "./drafted-occurrence.js";
import { backfillLookAt } from "./next-look.js";

/** What a decision about a schedule does for its backfill, beside the schedule's own course. */
export interface BackfillStep {
  state: BackfillState;
  live: ScheduleChange["live"];
  insert: readonly DraftedOccurrence[];
  lookAt: EpochMs | null;
}

/** The next turn of the backfill that goes on, if it is its turn; or its end by hand. Pure. */
export function backfillStep({ schedule: { planning }, open, now }: ScheduleScene, isEnded: boolean): BackfillStep {
  const live = open.find((one) => one.kind === "backfill" && isLive(one)) ?? null;
  const turn = isEnded
    ? { state: endedBackfill(planning, unstartedAt(live)), at: null }
    : backfillTurn(planning, live !== null);
  return {
    state: turn.state,
    live: isEnded && live ? [takenBack(live)] : [],
    insert: turn.at === null ? [] : [backfilled(turn.at, now)],
    lookAt: backfillLookAt(turn.state, live, now),
  };
}

/** Due now, for its own instant, however late. */
function backfilled(at: EpochMs, now: EpochMs): DraftedOccurrence {
  const itself = { missed: 0, hasMissedMore: false, startDeadlineAt: null, isTrigger: false };
  return { at, dueAt: now, ...itself, kind: "backfill" };
}

/** One that has started goes on. */
function takenBack({ taskId }: OccurrenceTask): ScheduleChange["live"][number] {
  return { taskId, verdict: "withdraw", reason: "REQUESTED" };
}

function unstartedAt(live: OccurrenceTask | null): EpochMs | null {
  return live?.state === "scheduled" && live.startedAt === null ? live.at : null;
}
