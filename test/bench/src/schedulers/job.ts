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
  /** One repetition of one contestant. */
  measure(stage: Stage, options: SchedulerOptions): Promise<Sample>;
}
