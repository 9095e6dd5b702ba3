import type { ImplementationName } from "./queues/implementations.js";
import type { LoadName } from "./loads.js";

/** One thing to measure. */
export interface Subject {
  readonly impl: ImplementationName;
  /** Number of timers. */
  readonly n: number;
  readonly load: LoadName;
}

/** The figures of one repetition or their medians; null: not measured. */
export interface Figures {
  /** ns per insert, per cancel, per reschedule, and per timer that fires, the steps of the time included. */
  insertNs: number | null;
  cancelNs: number | null;
  rescheduleNs: number | null;
  fireNs: number | null;
  /** ns of all phases together, per timer that was inserted. */
  totalNs: number | null;
  /** Growth of resident memory by n inserts, per timer. */
  bytesPerTimer: number | null;
  /** The longest single poll, with the engine's limits, in ms. */
  worstPollMs: number | null;
  /** The longest pause of the garbage collector while the figures in ns were taken, in ms. */
  gcMaxMs: number | null;
}

export const figureNames = [
  "insertNs",
  "cancelNs",
  "rescheduleNs",
  "fireNs",
  "totalNs",
  "bytesPerTimer",
  "worstPollMs",
  "gcMaxMs",
] as const satisfies (keyof Figures)[];

/** What the process of one repetition sends. */
export interface Sample {
  figures: Figures;
  /** Why figures are null, one sentence each. */
  notRun: string[];
}
