// A second node that dies with a blocked loop counts no more than any other crash.
import { replaceFunction } from "../replacing.mjs";

export const says = "deaths in a blocked loop are not counted";
export const breaks = ["two-blocked-kills"];

export function plant() {
  replaceFunction("testing/statements/row-transitions.js", "reapedRow", (reapedRow) => (row, death, now) => {
    return reapedRow(row, { ...death, blocked: death.blocked && { ...death.blocked, kills: 0 } }, now);
  });
}
