// A reap leaves the crash count as it is: what kills its node does so for ever.
import { replaceFunction } from "../replacing.mjs";

export const says = "a reap counts no crash";
export const breaks = ["crashes-within-policy"];

export function plant() {
  replaceFunction("testing/statements/row-transitions.js", "reapedRow", (reapedRow) => (row, death, now) => {
    const reaped = reapedRow({ ...row, crashCount: 0 }, { ...death, maxCrashes: Infinity }, now);
    return { ...reaped, crashCount: row.crashCount };
  });
}
