import type { TaskState } from "@tickwheel/core";

/**
 * The codes of the states in the rows. They are in the order of a task's life; terminal states begin at 2, so indexes
 * and checks can say `state >= 2`.
 */
export const STATE = {
  scheduled: 0,
  running: 1,
  succeeded: 2,
  dead: 3,
  cancelled: 4,
  expired: 5,
} as const satisfies Record<TaskState, number>;

const NAMES = Object.keys(STATE) as TaskState[];

export function stateOf(code: unknown): TaskState {
  const name = NAMES[Number(code)];
  if (name === undefined) throw new RangeError(`There is no state ${String(code)}`);
  return name;
}
