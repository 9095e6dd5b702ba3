// A claim leaves the fence as it is: the execution before it and its own cannot be told apart.
import { replaceFunction } from "../replacing.mjs";

export const says = "a claim raises no fence";
export const breaks = ["fence-rises"];

export function plant() {
  replaceFunction("testing/statements/row-transitions.js", "claimedRow", (claimedRow) => (row, claim, now) => {
    const after = claimedRow(row, claim, now);
    return after && { ...after, fence: row.fence };
  });
}
