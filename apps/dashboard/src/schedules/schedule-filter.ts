import { type Schedule, type ScheduleState, scheduleStates } from "../api/wire.js";
import { needsYou, whenWords } from "./schedule-words.js";

/** Which schedules are shown: of a state the API lists them, who needs somebody is looked for in what was read. */
export const whiches = ["all", "need you", "active", "paused", "finished"] as const;
export type Which = (typeof whiches)[number];

export interface ScheduleFilter {
  readonly which: Which;
  /** Words in any order, each somewhere in its name, type, zone, application or in when it runs. */
  readonly text: string;
}

/** The state that the API is asked for; undefined: any. */
export function stateOf({ which }: Pick<ScheduleFilter, "which">): ScheduleState | undefined {
  return scheduleStates.find((state) => state === which);
}

export function matches(schedule: Schedule, { which, text }: ScheduleFilter): boolean {
  return isOf(schedule, which) && hasWords(schedule, text);
}

export function isOf(schedule: Schedule, which: Which): boolean {
  if (which === "all") return true;
  return which === "need you" ? needsYou(schedule) : schedule.state === which;
}

function hasWords(schedule: Schedule, text: string): boolean {
  const { name, type, timeZone, application, cron, tags } = schedule;
  const told = [name, type, timeZone, application, cron, whenWords(schedule), ...tags].join(" ").toLowerCase();
  return text
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .every((word) => told.includes(word));
}
