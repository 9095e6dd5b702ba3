// A release does not give the attempt back.
import { replaceFunction } from "../replacing.mjs";

export const says = "a release does not give the attempt back";
export const breaks = ["attempts-within-policy"];

export function plant() {
  replaceFunction("testing/statements/row-transitions.js", "releasedRow", (releasedRow) => (row, release, now) => {
    return { ...releasedRow(row, release, now), attempt: row.attempt };
  });
}
