// A resume leaves a task due when it was due before its pause, so its countdown has run on meanwhile.
import { replaceFunction } from "../replacing.mjs";

export const says = "a countdown runs on while its task is held";
export const breaks = ["held-stands-still"];

export function plant() {
  replaceFunction("testing/statements/row-transitions.js", "resumedRow", (resumedRow) => (held, now) => {
    const row = resumedRow(held, now);
    return row && { ...row, dueAt: Math.max(now, held.dueAt) };
  });
}
