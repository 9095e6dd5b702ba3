// A handler may put its task off for ever.
import { replaceFunction } from "../replacing.mjs";

export const says = "a task may be put off for ever";
export const breaks = ["snoozes-within-policy"];

export function plant() {
  replaceFunction("engine/ending/outcome.js", "outcomeOf", (outcomeOf) => (result, execution, policy) => {
    return outcomeOf(result, execution, { ...policy, maxSnoozes: Infinity });
  });
}
