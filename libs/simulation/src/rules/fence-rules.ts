import { CONSUMER, type TaskState } from "@tickwheel/core";
import { isTerminal } from "@tickwheel/testing";
import type { EffectCommitted, RowChanged } from "../history/history-event.js";
import type { IndexedRun, Move } from "../history/indexed-history.js";
import { type Finding, finding, findingsIn, type Rules } from "../history/rule.js";
import type { Execution } from "../history/task-history.js";

/** Who may change a row. */
export const fenceRules = {
  "fence-rises": fenceRises,
  "single-claim": singleClaim,
  "stale-silence": staleSilence,
  "terminal-is-final": terminalIsFinal,
} satisfies Rules;

/** The statements that end an execution from inside. */
const SETTLING: readonly string[] = ["settle", "completeWithin", "release", "defer"];

/**
 * [stale-silence]: the fence rises with every claim and every way out of `running` back to `scheduled`, and never
 * falls.
 */
function fenceRises({ moves }: IndexedRun): Finding[] {
  return findingsIn(moves, (move) => {
    const { before, after, statement } = move;
    const mustRise = isMove(move, "scheduled", "running") || isMove(move, "running", "scheduled");
    if (after.fence > before.fence || (after.fence === before.fence && !mustRise)) return null;
    return finding(after.id, `${statement} took fence ${before.fence} to ${after.fence}`, [move]);
  });
}

function isMove({ before, after }: Move, from: TaskState, to: TaskState): boolean {
  return before.state === from && after.state === to;
}

/** [single-claim]: a (task, fence) is claimed at most once, and started at most once. */
function singleClaim({ executions }: IndexedRun): Finding[] {
  return findingsIn(executions, ({ task, fence, claims, starts }) => {
    if (claims.length > 1) return finding(task.id, `fence ${fence} was claimed ${claims.length} times`, claims);
    if (starts.length > 1) return finding(task.id, `fence ${fence} was started ${starts.length} times`, starts);
    return null;
  });
}

/**
 * [stale-silence]: a row leaves `running` only by a statement about the very execution that it names, by a reap of
 * its owner, or by the end of a consumer's lease; and no effect commits for an execution after that.
 */
function staleSilence({ changes, executions }: IndexedRun): Finding[] {
  const writes = findingsIn(changes, (change) => {
    if ((change.execution === null && !leavesRunning(change)) || isAllowed(change)) return null;
    const { before, after, statement } = change;
    return finding((after ?? before)!.id, `${statement} changed a row that was not its execution's`, [change]);
  });
  const effects = findingsIn(executions, (execution) => {
    const effect = staleEffect(execution);
    if (!effect) return null;
    return finding(effect.taskId, "an effect of a superseded execution was committed", [execution.exit, effect]);
  });
  return [...writes, ...effects];
}

function leavesRunning({ before, after }: RowChanged): boolean {
  return before?.state === "running" && after !== null && after.state !== "running";
}

function isAllowed({ before, statement, execution, owners }: RowChanged): boolean {
  if (before?.state !== "running") return false;
  if (statement === "reap") return before.owner !== null && owners.includes(before.owner);
  if (statement === "leases.endLeases") return before.owner === CONSUMER;
  if (!SETTLING.includes(statement)) return false;
  return execution !== null && execution.owner === before.owner && execution.fence === before.fence;
}

/** The completion of a transactional handler and its effect are one commit. */
function staleEffect({ task: { events }, exit, effects }: Execution): EffectCommitted | undefined {
  if (exit === null) return undefined;
  return effects.find(
    (effect) =>
      (effect.commit === null || effect.commit !== exit.commit) && events.indexOf(effect) > events.indexOf(exit),
  );
}

/** [terminal-is-final]: only an explicit retry leaves a terminal state, and it raises the fence by one. */
function terminalIsFinal({ moves }: IndexedRun): Finding[] {
  return findingsIn(moves, (move) => {
    const { before, after, statement } = move;
    if (!isTerminal(before.state)) return null;
    if (statement === "retry" && after.state === "scheduled" && after.fence === before.fence + 1) return null;
    return finding(after.id, `${statement} changed the task, which was ${before.state}`, [move]);
  });
}
