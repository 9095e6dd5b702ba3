import type { Schedule } from "../api/schedule-wire.js";
import { needsYou, whenWords } from "./schedule-words.js";

/** Which of the schedules that were read are shown. */
export const whiches = ["all", "need you", "active", "paused", "finished"] as const;
export type Which = (typeof whiches)[number];

export interface ScheduleFilter {
  readonly which: Which;
  /** Words in any order, each somewhere in its name, type, zone, application or in when it runs. */
  readonly text: string;
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
