import { isTerminal, type TaskRow } from "@tickwheel/testing";
import type { RowChanged } from "../history/history-event.js";
import type { IndexedRun } from "../history/indexed-history.js";
import { type Finding, finding, findingsIn, type Rules } from "../history/rule.js";
import type { Account } from "../history/task-history.js";

/** Nothing is lost. */
export const lossRules = {
  "row-durable": rowDurable,
  "create-ends-terminal": createEndsTerminal,
  "ended-has-started": endedHasStarted,
  "expired-never-started": expiredNeverStarted,
} satisfies Rules;

/**
 * [durable-create]: each change starts from what the last one left, and only a terminal row is dropped, or one whose
 * execution has just succeeded, where people have its type keep no success.
 */
function rowDurable({ tasks }: IndexedRun): Finding[] {
  return tasks.flatMap(({ changes }) => findingsIn(changes, (change, place) => lossIn(change, changes[place - 1])));
}

function lossIn(change: RowChanged, last: RowChanged | undefined): Finding | null {
  const { before, after, statement } = change;
  const { id } = (after ?? before)!;
  if (last && !isSameRow(last.after, before))
    return finding(id, `${statement} did not see the change that ${last.statement} had committed`, [last, change]);
  if (after === null && before !== null && !isTerminal(before.state) && !change.isForgotten)
    return finding(id, `${statement} removed the row, which was ${before.state}`, [change]);
  return null;
}

function isSameRow(a: TaskRow | null, b: TaskRow | null): boolean {
  if (a === null || b === null || a === b) return a === b;
  return a.state === b.state && a.fence === b.fence && a.version === b.version && a.dueAt === b.dueAt;
}

/**
 * [durable-create]: an acknowledged create ends terminal, or is paused. Judged where the history tells that nothing
 * more comes.
 */
function createEndsTerminal({ tasks, rests }: IndexedRun): Finding[] {
  const end = rests.findLast(({ isEnd }) => isEnd);
  if (!end) return [];
  return findingsIn(tasks, ({ id, created, lastAccount: { row }, isDropped }) => {
    if (created === null || isDropped || (row !== null && (isTerminal(row.state) || row.state === "paused")))
      return null;
    const state = row === null ? "is not there" : `is still ${row.state}`;
    return finding(id, `the task was acknowledged, and at the end it ${state}`, [created, end]);
  });
}

/**
 * [at-least-once]: what ended otherwise than `cancelled` or `expired` has started, or a consumer was given it. Three
 * deaths need no start: of crashes, which may all fall between claim and start, of a payload that was refused before,
 * and of the end of a consumer's lease, whose pull may have got no answer.
 */
function endedHasStarted({ accounts }: IndexedRun): Finding[] {
  return findingsIn(accounts, (account) => {
    if (!needsStart(account) || account.starts.length > 0) return null;
    if (account.executions.some(({ pulls }) => pulls.length > 0)) return null;
    const { taskId, row, changes } = account;
    if (row!.state === "dead" && changes.at(-1)?.statement === "leases.endLeases") return null;
    return finding(taskId, `the task ended ${row!.state} and never started`, [changes.at(-1) ?? null]);
  });
}

/**
 * [late-still-runs]: lateness alone never skips a task. One ends `expired` after a start deadline that it was given,
 * and only if nothing of its account has started. A start that no claim stands behind is of an execution that a
 * fail-over forgot; so may be the end of one whose claim it kept, and then nothing tells that its handler had started.
 */
function expiredNeverStarted({ accounts, rewound }: IndexedRun): Finding[] {
  return findingsIn(accounts, ({ taskId, row, changes, executions }) => {
    if (row?.state !== "expired") return null;
    const end = changes.at(-1) ?? null;
    const { startDeadlineAt, finishedAt } = row;
    if (startDeadlineAt === null || startDeadlineAt >= finishedAt!)
      return finding(taskId, "the task expired before any start deadline had passed", [end]);
    const started = executions.find(({ claims, starts }) => claims.length > 0 && starts.length > 0);
    return started && !rewound.has(taskId)
      ? finding(taskId, "the task expired and had started", [started.starts[0]!, end])
      : null;
  });
}

function needsStart({ row }: Account): boolean {
  if (row?.state === "succeeded") return true;
  return row?.state === "dead" && row.reason !== "CRASHES" && row.reason !== "PAYLOAD_INVALID";
}
