// A node that drains stops claiming at once, while the others still leave its slots to it.
import { replaceFunction } from "../replacing.mjs";

export const says = "a drain stops claiming before it has left the view";
export const breaks = ["wheel-finds-what-was-known"];

export function plant() {
  replaceFunction("coordination/views/leave-check.js", "mayStopClaiming", () => () => true);
}
