import { isTerminal } from "@tickwheel/testing";
import type { IndexedRun } from "../history/indexed-history.js";
import { type Finding, finding, findingsIn, type Rules } from "../history/rule.js";
import type { Account } from "../history/task-history.js";

/** How often a task may be tried. */
export const policyRules = {
  "attempts-within-policy": attemptsWithinPolicy,
  "crashes-within-policy": crashesWithinPolicy,
  "snoozes-within-policy": snoozesWithinPolicy,
} satisfies Rules;

/** The statements that do not charge the attempt. */
const GIVING_BACK: readonly string[] = ["release", "defer", "reap"];

/**
 * An account's executions that were not given back (by snooze, release, deferral or reap) are at most its
 * `maxAttempts`, and its row counts them. Where an edit changed `maxAttempts` the largest one holds.
 */
function attemptsWithinPolicy({ accounts }: IndexedRun): Finding[] {
  return accounts.flatMap((account) => [...overdrawn(account), ...miscounted(account)]);
}

function overdrawn({ taskId, changes, executions }: Account): Finding[] {
  const maxAttempts = Math.max(0, ...changes.map(({ after }) => after!.maxAttempts));
  const charged = executions.flatMap(({ claims, exit }) => (isGivenBack(exit) ? [] : claims.slice(0, 1)));
  if (charged.length <= maxAttempts) return [];
  return [finding(taskId, `${charged.length} attempts were charged, ${maxAttempts} are allowed`, charged)];
}

function isGivenBack(exit: Account["changes"][number] | null): boolean {
  return exit !== null && exit.after!.attempt < exit.before!.attempt;
}

function miscounted({ taskId, changes }: Account): Finding[] {
  return findingsIn(changes, (change) => {
    const { before, after, statement } = change;
    if (before === null || after === null || statement === "retry") return null;
    const step = after.attempt - before.attempt;
    const isClaim = before.state === "scheduled" && after.state === "running";
    const isUncharged = GIVING_BACK.includes(statement) || after.snoozeCount > before.snoozeCount;
    if (isClaim ? step === 1 : step === 0 || (step === -1 && isUncharged)) return null;
    return finding(taskId, `${statement} took attempt ${before.attempt} to ${after.attempt}`, [change]);
  });
}

/**
 * [poison-stops]: only a reap counts a crash, and what has crashed `maxCrashes` times is neither scheduled nor running
 * again.
 */
function crashesWithinPolicy({ moves, options }: IndexedRun): Finding[] {
  return findingsIn(moves, (move) => {
    const { before, after, statement } = move;
    if (statement === "retry") return null;
    const isCounted = after.crashCount - before.crashCount === (statement === "reap" ? 1 : 0);
    const isPoison = !isTerminal(after.state) && after.crashCount >= options.maxCrashes;
    if (isCounted && !isPoison) return null;
    return finding(after.id, `after ${statement} it is ${after.state} with ${after.crashCount} crashes`, [move]);
  });
}

/** Only a settlement counts a snooze, each costs no attempt, and there are at most `maxSnoozes` of one account. */
function snoozesWithinPolicy({ moves, options }: IndexedRun): Finding[] {
  return findingsIn(moves, (move) => {
    const { before, after, statement } = move;
    const step = after.snoozeCount - before.snoozeCount;
    if (step === 0 || statement === "retry") return null;
    const isSnooze = step === 1 && statement === "settle" && after.attempt === before.attempt - 1;
    if (isSnooze && after.snoozeCount <= options.maxSnoozes) return null;
    return finding(after.id, `after ${statement} it is ${after.state}, put off ${after.snoozeCount} times`, [move]);
  });
}
