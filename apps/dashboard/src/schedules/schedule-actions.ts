import type { Schedule } from "../api/schedule-wire.js";

export type ScheduleAction = "pause" | "resume" | "trigger" | "delete";

/** What can be asked of a schedule as it stands. One that is finished plans nothing that a pause could keep back. */
export function actionsFor({ state, pause }: Pick<Schedule, "state" | "pause">): readonly ScheduleAction[] {
  if (pause !== null) return ["resume", "trigger", "delete"];
  return state === "finished" ? ["trigger", "delete"] : ["pause", "trigger", "delete"];
}

export const actionNames: Readonly<Record<ScheduleAction, string>> = {
  pause: "Pause…",
  resume: "Resume",
  trigger: "Trigger now…",
  delete: "Delete…",
};

export const actionIcons: Readonly<Record<ScheduleAction, string>> = {
  pause: "pause",
  resume: "play",
  trigger: "running",
  delete: "x",
};

/** What to tell before it is deleted. */
export function deleteQuestion({ application }: Pick<Schedule, "application">): string {
  const rest = "What has not started is cancelled, what runs goes on. Its runs are listed no more.";
  if (application === null) return rest;
  return `The code of ${application} defines it, so the server keeps it: remove it there, or pause it here.`;
}
