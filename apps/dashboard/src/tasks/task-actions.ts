import type { TaskState } from "../api/wire.js";

export type TaskAction = "cancel" | "run-now" | "reschedule" | "pause" | "resume" | "retry";

/** What can be asked of a task in each state; the API answers 409 to the rest. */
const allowed: Record<TaskState, readonly TaskAction[]> = {
  scheduled: ["run-now", "reschedule", "pause", "cancel"],
  paused: ["resume", "reschedule", "cancel"],
  running: ["cancel"],
  succeeded: ["retry"],
  dead: ["retry"],
  cancelled: ["retry"],
  expired: ["retry"],
};

const liveStates: readonly TaskState[] = ["scheduled", "paused", "running"];

export function actionsFor(state: TaskState): readonly TaskAction[] {
  return allowed[state] ?? [];
}

export function isTerminal(state: TaskState): boolean {
  return !liveStates.includes(state);
}

/** What to ask before an action that cannot be undone. Null: nothing. */
export function questionBefore(action: TaskAction, state: TaskState): string | null {
  if (action === "cancel" && state === "running") {
    return "The handler is told to stop. If it finishes all the same, the task counts as succeeded.";
  }
  if (action === "cancel") return "The task will not run.";
  if (action === "retry" && state === "succeeded") return "The task has succeeded. Its handler runs once more.";
  if (action === "retry" && state === "cancelled") return "The task was cancelled. It runs at once.";
  return null;
}
