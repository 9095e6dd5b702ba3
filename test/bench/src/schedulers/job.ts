import type { OptionRules, SchedulerOptions } from "./options.js";
import type { Sample } from "./sample.js";
import type { Stage } from "./stage.js";

/** One thing that is measured of every contestant. */
export interface Job extends OptionRules {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What its `--help` says: what is measured, and what `perSecond` means. */
  readonly explains: string;
  /**
   * True: all repetitions of a contestant take place on one stage, since it takes long to fill, and `measure` makes
   * them all.
   */
  readonly repeatsOnStage?: boolean;
  /** One repetition of one contestant, or all. */
  measure(stage: Stage, options: SchedulerOptions): Promise<Sample | readonly Sample[]>;
}
