import type { ScheduleRun } from "../api/wire.js";
import { formatCount } from "../time/format.js";
import { runMark } from "./schedule-words.js";

/** A run as a bar: its height is its lateness, logarithmic from 1 ms to 10 s. */
export interface RunBar {
  readonly state: string;
  readonly heightPercent: number;
}

const mostBars = 60;
/** Powers of ten between 1 ms and 10 s. */
const decades = 4;
const leastPercent = 8;

/** The oldest first. Skipped instants are one bar, however many they are. */
export function runBars(runs: readonly ScheduleRun[], now: number): RunBar[] {
  const newest = runs.slice(0, mostBars).toReversed();
  return newest.map((run) => {
    const lateMs = run.kind === "skip" ? null : run.latenessMs;
    return { state: runMark(run, now).state, heightPercent: lateMs === null ? 0 : heightOf(lateMs) };
  });
}

function heightOf(lateMs: number): number {
  const share = Math.log10(Math.max(1, lateMs)) / decades;
  return Math.round(leastPercent + (100 - leastPercent) * Math.min(1, share));
}

/** What the bars show, in a sentence: `Of the last 50: 46 succeeded, 3 skipped, 1 dead.` */
export function barsSentence(bars: readonly RunBar[]): string {
  const counts = new Map<string, number>();
  for (const { state } of bars) counts.set(state, (counts.get(state) ?? 0) + 1);
  const parts = [...counts].sort(([, one], [, other]) => other - one);
  return `Of the last ${formatCount(bars.length)}: ${parts.map(([state, count]) => `${formatCount(count)} ${names[state] ?? state}`).join(", ")}.`;
}

/** A state whose word is another than its sign's. */
const names: Readonly<Record<string, string>> = { notice: "of which nothing is kept" };
