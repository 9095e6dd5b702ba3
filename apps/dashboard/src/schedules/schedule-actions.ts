import type { Schedule } from "../api/wire.js";

export type ScheduleAction = "pause" | "resume" | "trigger" | "backfill" | "end-backfill" | "delete";

/**
 * What can be asked of a schedule as it stands. One that is finished plans nothing that a pause could keep back; one
 * with a fixed delay has no instants that a backfill could run; one that stands in code would be made again.
 */
export function actionsFor(
  schedule: Pick<Schedule, "state" | "pause" | "backfill" | "after" | "application">,
): readonly ScheduleAction[] {
  const { state, pause, backfill, after } = schedule;
  const actions: ScheduleAction[] = pause !== null ? ["resume"] : state === "finished" ? [] : ["pause"];
  actions.push("trigger");
  if (backfill !== null) actions.push("end-backfill");
  else if (after === null) actions.push("backfill");
  return whyKept(schedule) === null ? [...actions, "delete"] : actions;
}

/** Why it cannot be deleted; null: it can. One that no node's code defines any more can be. */
export function whyKept({ application, pause }: Pick<Schedule, "application" | "pause">): string | null {
  if (application === null || pause?.reason === "UNANNOUNCED") return null;
  return `It is changed and deleted in the code of ${application}.`;
}

export const actionNames: Readonly<Record<ScheduleAction, string>> = {
  pause: "Pause…",
  resume: "Resume",
  trigger: "Trigger now…",
  backfill: "Backfill…",
  "end-backfill": "End the backfill",
  delete: "Delete…",
};

export const actionIcons: Readonly<Record<ScheduleAction, string>> = {
  pause: "pause",
  resume: "play",
  trigger: "running",
  backfill: "undo",
  "end-backfill": "x",
  delete: "x",
};

/** What to tell before it is deleted. */
export const deleteQuestion = "What has not started is cancelled, what runs goes on. Its runs are listed no more.";
