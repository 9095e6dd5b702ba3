import { median } from "../statistics.js";

/** A time as a scenario reports it. */
export interface ToldTime {
  readonly scenario: string;
  readonly what: string;
  readonly ms: number;
  readonly boundMs: number;
}

/** A time of a scenario in all runs that were judged, beside what the documents promise. */
export interface JudgedTime {
  readonly scenario: string;
  readonly what: string;
  readonly medianMs: number;
  readonly worstMs: number;
  readonly boundMs: number;
  /** The number of runs that reported it. */
  readonly runs: number;
  /** Each run kept the bound. */
  readonly holds: boolean;
}

/** Reads what scenarios have written, one JSON line a time. */
export function readTimes(text: string): ToldTime[] {
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as ToldTime);
}

/**
 * Puts the runs' times together, in the order in which they were first told. A bound is hard: the worst run decides.
 */
export function judgeTimes(runs: readonly (readonly ToldTime[])[]): JudgedTime[] {
  const byName = new Map<string, ToldTime[]>();
  for (const time of runs.flat()) {
    const name = `${time.scenario}\n${time.what}`;
    byName.set(name, [...(byName.get(name) ?? []), time]);
  }
  return [...byName.values()].map(judged);
}

function judged(times: readonly ToldTime[]): JudgedTime {
  const [first] = times as [ToldTime];
  const all = times.map(({ ms }) => ms);
  const worstMs = Math.max(...all);
  const { scenario, what, boundMs } = first;
  return { scenario, what, boundMs, medianMs: median(all)!, worstMs, runs: times.length, holds: worstMs <= boundMs };
}

/** The times as a table of Markdown; a scenario is named in its first line. */
export function timesTable(times: readonly JudgedTime[]): string {
  const head =
    "| what happens | time | median ms | worst ms | bound ms | holds |\n| --- | --- | ---: | ---: | ---: | --- |";
  const lines = times.map(({ scenario, what, medianMs, worstMs, boundMs, holds }, index) => {
    const name = times[index - 1]?.scenario === scenario ? "" : scenario;
    const [middle, worst, bound] = [medianMs, worstMs, boundMs].map((ms) => Math.round(ms).toLocaleString("en"));
    return `| ${name} | ${what} | ${middle} | ${worst} | ${bound} | ${holds ? "yes" : "**no**"} |`;
  });
  return [head, ...lines].join("\n");
}
