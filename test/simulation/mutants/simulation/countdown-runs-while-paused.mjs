// A resume leaves a task due when it was due before its pause, so its countdown has run on meanwhile.
import { replaceFunction } from "../replacing.mjs";

export const says = "a countdown runs on while its task is paused";
export const breaks = ["paused-stands-still"];

export function plant() {
  replaceFunction("testing/statements/row-transitions.js", "resumedRow", (resumedRow) => (paused, now) => {
    const row = resumedRow(paused, now);
    return row && { ...row, dueAt: Math.max(now, paused.dueAt) };
  });
}
