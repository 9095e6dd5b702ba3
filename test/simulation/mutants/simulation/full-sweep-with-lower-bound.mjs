// The full sweep looks no further back than the sweep: a row that was committed long after it was due lies below both.
import { replaceFunction } from "../replacing.mjs";

export const says = "the full sweep has a lower bound";
export const breaks = ["create-ends-terminal", "rest-with-scheduled-in-wheel"];

export function plant() {
  let lowerBound = null;
  // All nodes go by the same database's time, so the bound of the last sweep of any of them will do.
  replaceFunction("engine/finding/sweep-scopes.js", "sweepScopes", (sweepScopes) => (input) => {
    lowerBound = Math.floor(input.dbNow - input.lookbackMs);
    return sweepScopes(input);
  });
  replaceFunction("engine/finding/full-sweep-pages.js", "firstPages", (firstPages) => (types, ownership) => {
    return firstPages(types, ownership).map((scope) => ({ ...scope, notBefore: lowerBound }));
  });
}
