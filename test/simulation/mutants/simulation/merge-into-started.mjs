// A merge looks only at the holder's state, not at whether it has started: what awaits its retry takes the merge,
// although an execution has seen its payload without it.
import { replaceFunction } from "../replacing.mjs";

export const says = "a merge into a task that has started";
export const breaks = ["merge-kept-once"];

export function plant() {
  replaceFunction("core/task/key-runs.js", "isWaiting", () => (holder) => holder?.state === "scheduled");
}
