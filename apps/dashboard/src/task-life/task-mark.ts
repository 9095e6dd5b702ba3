import type { Task } from "../api/wire.js";

/** How a task stands: the state whose sign it has, and its word. One whose condition said no has succeeded, too. */
export function taskMark({ state, reason }: Pick<Task, "state" | "reason">): { state: string; text: string } {
  const shown = state === "succeeded" && reason === "SKIPPED" ? "skipped" : state;
  return { state: shown, text: shown };
}
