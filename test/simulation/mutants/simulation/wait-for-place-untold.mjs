// The wait for a place behind a claim is left out of the lateness in parts, and so is told nowhere.
import { replaceFunction } from "../replacing.mjs";

export const says = "a wait for a place behind its claim is told nowhere";
export const breaks = ["lateness-in-parts"];

export function plant() {
  replaceFunction("engine/running/lateness-parts.js", "latenessPartsOf", (latenessPartsOf) => (start) => {
    const parts = latenessPartsOf(start);
    return start.placelessMonoMs === 0 ? parts : { ...parts, place: 0 };
  });
}
