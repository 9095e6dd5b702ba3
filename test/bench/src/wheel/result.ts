import type { PlannedSubject } from "./plan.js";
import { type Figures, figureNames, type Sample, type Subject } from "./sample.js";
import { median, ratio } from "../statistics.js";

/** The base of all ratios. */
const BASE = "wheel";

/** Between the reasons in `notRun`. */
export const REASON_SEPARATOR = "; ";

/** Medians over the repetitions of one combination. */
export interface Result extends Subject, Figures {
  /** Repetitions behind the medians. */
  reps: number;
  /** Why figures are null; null: none is. */
  notRun: string | null;
}

/** How many times as long another implementation takes as the wheel, by figure; null: one of the two is unknown. */
export interface Comparison extends Subject {
  ratios: Pick<Figures, ComparedFigure>;
}

export const comparedFigures = ["insertNs", "cancelNs", "rescheduleNs", "fireNs", "totalNs"] as const;
export type ComparedFigure = (typeof comparedFigures)[number];

/** The last line of `--json`. */
export interface JsonReport {
  job: "wheel";
  /** Version of Node. */
  node: string;
  results: Result[];
}

export function resultOf({ subject, reps, notRun }: PlannedSubject, samples: readonly Sample[]): Result {
  const medianOf = (name: keyof Figures): number | null => median(samples.map(({ figures }) => figures[name]));
  const figures = Object.fromEntries(figureNames.map((name) => [name, medianOf(name)])) as unknown as Figures;
  const reasons = new Set([...(notRun === null ? [] : [notRun]), ...samples.flatMap((sample) => sample.notRun)]);
  if (samples.length < reps) reasons.add(`${reps - samples.length} of ${reps} runs failed`);
  return {
    ...subject,
    ...figures,
    reps: samples.length,
    notRun: reasons.size === 0 ? null : [...reasons].join(REASON_SEPARATOR),
  };
}

/** The results of each size and load, by the title that tells both. */
export function byTitle(results: readonly Result[]): Map<string, Result[]> {
  const groups = new Map<string, Result[]>();
  for (const result of results) {
    const title = `${result.load}, ${result.n.toLocaleString("en")} timers`;
    groups.set(title, [...(groups.get(title) ?? []), result]);
  }
  return groups;
}

/** Each implementation against the wheel of the same size and load, as far as both ran. */
export function compare(results: readonly Result[]): Comparison[] {
  return results.flatMap((result) => {
    const { impl, n, load } = result;
    const base = results.find((other) => other.impl === BASE && other.n === n && other.load === load);
    if (!base || impl === BASE || result.reps === 0) return [];
    const ratios = Object.fromEntries(comparedFigures.map((name) => [name, ratio(result[name], base[name])]));
    return [{ impl, n, load, ratios: ratios as unknown as Comparison["ratios"] }];
  });
}
