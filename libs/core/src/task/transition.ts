import type { TaskState } from "./task.js";

/** What a transition does to a number of the row: sets it, moves it by one, or puts back what was remembered. */
export type Step = number | "+1" | "-1" | "remembered";

/** What a transition changes of a task besides its state. A field that is not named stays as it was. */
export interface Effects {
  fence?: Step;
  attempt?: Step;
  crashCount?: Step;
  snoozeCount?: Step;
  version?: Step;
  /** `claimer`: the node that claims it. `consumer`: `CONSUMER`. `remembered`: who it was. */
  owner?: "claimer" | "consumer" | "nobody" | "remembered";
  /** `taken`: it holds its key, if it has one. `free`: another task may have it. `remembered`: as it was. */
  key?: "taken" | "free" | "remembered";
}

/** One line of a task's life. */
export interface Transition {
  name: string;
  /** The methods of the store that perform it. {@link BY_PAGE}: an operation on many tasks; in memory there is none. */
  by: readonly string[];
  /** Null: there was no row. */
  from: TaskState | null;
  to: TaskState;
  /** Only where a cancel had been requested of the running task, or only where none had. Absent: in either case. */
  cancelRequested?: boolean;
  /** What must hold besides, in words. */
  when: string;
  sets: Effects;
  /** What else it writes, in words. */
  also: string;
}

/** What every way back from `running` to `scheduled` does. */
export const GIVEN_BACK: Effects = { fence: "+1", owner: "nobody" };
