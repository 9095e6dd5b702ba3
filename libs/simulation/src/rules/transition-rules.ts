import { departureOf } from "@tickwheel/core";
import type { IndexedRun } from "../history/indexed-history.js";
import { type Finding, finding, findingsIn, type Rules } from "../history/rule.js";

/** The life of a task. */
export const transitionRules = {
  "transition-in-table": transitionInTable,
} satisfies Rules;

/**
 * [moves-in-the-table]: every change of a row is a line of the table of transitions: by its statement, from its state
 * to its state, and with what it does to fence, owner, attempt, crash count, version and key. The general rule of what
 * others say of one of these.
 */
function transitionInTable({ changes }: IndexedRun): Finding[] {
  return findingsIn(changes, (change) => {
    const { statement, before, after } = change;
    if (after === null) return null;
    const departure = departureOf({ by: statement, before, after });
    return departure === null ? null : finding(after.id, departure, [change]);
  });
}
