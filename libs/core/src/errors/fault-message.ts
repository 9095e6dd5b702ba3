import type { Fault } from "./errors.js";

/** An error's message repeats at most this many of its faults. */
const MAX_FAULTS_IN_MESSAGE = 5;

/**
 * What an error says of its faults: the first five of them, and how many more there are.
 *
 * @param shown those that the error lists
 * @param count how many there are in all. Default: those that it lists
 */
export function faultMessage(shown: readonly Fault[], count = shown.length): string {
  const named = shown.slice(0, MAX_FAULTS_IN_MESSAGE).map(({ path, message }) => `${path || "the input"} ${message}`);
  const others = count - named.length;
  return [...named, ...(others > 0 ? [`and ${others} more`] : [])].join("; ");
}
