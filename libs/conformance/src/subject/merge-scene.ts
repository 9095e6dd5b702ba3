import { type CreateResult, type JsonText, type NewTask } from "@tickwheel/core";
import { accepted, type NewTaskWish, type Scenario } from "./scenario.js";

/** The key and the tasks of cases about merges. */
export const KEY = "collected";
export const LATER_MS = 60_000;

/** A merge of the case's key. @param payload the text as it is received */
export function mergeOf(scene: Scenario, payload: string, given: NewTaskWish = {}): NewTask {
  const due = { delayMs: LATER_MS };
  const wish: NewTaskWish = { key: KEY, onConflict: "merge", due, reducers: { n: "add" }, ...given };
  return { ...scene.newTask(wish), payload: payload as JsonText };
}

/** A task that holds the case's key and waits. */
export async function hold(scene: Scenario, payload: string): Promise<NewTask> {
  const task = { ...scene.newTask({ key: KEY, due: { delayMs: LATER_MS } }), payload: payload as JsonText };
  accepted((await scene.createAll(task))[0], "created");
  return task;
}

/** The outcome of each item; of a rejected one its code and path. */
export function told(results: readonly CreateResult[]): string[] {
  return results.map((result) =>
    result.outcome === "rejected" ? [result.code, ...(result.path ? [result.path] : [])].join(" ") : result.outcome,
  );
}
