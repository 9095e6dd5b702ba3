import type { TaskState } from "@tickwheel/core";

/**
 * The codes of the states in the rows. They are in the order of a task's life: waiting states end at 0 and terminal
 * ones begin at 2, so statements, indexes and checks can say `state <= 0` and `state >= 2`.
 */
export const STATE = {
  paused: -1,
  scheduled: 0,
  running: 1,
  succeeded: 2,
  dead: 3,
  cancelled: 4,
  expired: 5,
} as const satisfies Record<TaskState, number>;

const NAMES = new Map<number, TaskState>(Object.entries(STATE).map(([name, code]) => [code, name as TaskState]));

export function stateOf(code: unknown): TaskState {
  const name = NAMES.get(Number(code));
  if (name === undefined) throw new RangeError(`There is no state ${String(code)}`);
  return name;
}
