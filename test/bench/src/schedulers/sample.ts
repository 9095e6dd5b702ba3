import type { Lateness } from "./verdict.js";

/** What one repetition of one contestant measured. */
export interface Sample {
  /** What the job counts, per second; null: it counts nothing. */
  readonly perSecond: number | null;
  readonly latenessMs: Lateness | null;
  readonly lost: number;
  readonly early: number;
  readonly duplicates: number;
  /** User and system time of the contestant and the servers together, until nothing was left to do. */
  readonly cpuSeconds: number;
  /** Figures of this job alone, by name. */
  readonly figures: Readonly<Record<string, number>>;
  /** Figures of each cell, where the job measures a table: by the cell's name, then by the figure's. */
  readonly cells?: Cells;
  /** How figures went on with time, by name, for jobs that watch them: one row for each look. */
  readonly curve?: readonly CurvePoint[];
}

/** Figures by the name of a cell and their own. */
export type Cells = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Figures at one moment. */
export interface CurvePoint {
  readonly minute: number;
  readonly [figure: string]: number;
}

/** A sample in which nothing went wrong. */
export function sampleOf(measured: Partial<Sample> & Pick<Sample, "cpuSeconds">): Sample {
  return { perSecond: null, latenessMs: null, lost: 0, early: 0, duplicates: 0, figures: {}, ...measured };
}
