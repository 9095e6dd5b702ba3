// What ends an execution looks only whether the task runs, not whose execution it is.
import { replaceFunction } from "../replacing.mjs";

export const says = "a completion has no guard";
export const breaks = ["stale-silence"];

export function plant() {
  replaceFunction("testing/statements/row-transitions.js", "isExecution", () => (row) => row?.state === "running");
}
