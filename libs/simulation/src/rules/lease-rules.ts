import { deadlineBehind, type FaultSpan } from "../history/fault-spans.js";
import type { RowChanged } from "../history/history-event.js";
import type { IndexedRun } from "../history/indexed-history.js";
import { type Finding, finding, findingsIn, type Rules } from "../history/rule.js";
import { type Execution, isPulled } from "../history/task-history.js";

/** Tasks that consumers pull, and their leases. */
export const leaseRules = {
  "lease-held-by-one": leaseHeldByOne,
  "pulled-success-counts-once": pulledSuccessCountsOnce,
  "lease-ends-in-time": leaseEndsInTime,
  "unheard-pull-given-back": unheardPullGivenBack,
} satisfies Rules;

/** Nodes look for leases that are over each second; a look may meet a row that is locked. */
const TAKEN_AWAY_WITHIN_MS = 5_000;
/** A pull whose caller has gone is given back as soon as the node learns of both. */
const GIVEN_BACK_WITHIN_MS = 3_000;

/**
 * A (task, fence) is given to one consumer, once: to the one that its lease names. It is taken away only when its lease
 * is over, by the database's clock; and the lease lasts for as long as its consumer was told. A fail-over that forgot a
 * pull lets the same fence be given again, and one that forgot an extend shortens the lease.
 */
function leaseHeldByOne(known: IndexedRun): Finding[] {
  return findingsIn(pulledIn(known), (execution) => {
    const { task, fence, pulls, leases, exit } = execution;
    if (pulls.length > 1) return finding(task.id, `fence ${fence} was given to ${pulls.length} consumers`, pulls);
    const pull = pulls[0] ?? null;
    const lease = leases.at(-1) ?? null;
    if (lease === null) return finding(task.id, `fence ${fence} runs without a lease`, execution.claims);
    if (pull && pull.consumer !== lease.consumer)
      return finding(task.id, `${pull.consumer} was given what ${lease.consumer} has a lease of`, [lease, pull]);
    const told = execution.extends.find(({ until }) => !leases.some((each) => each.until === until));
    if (told && !known.faults.some(({ fault }) => fault.name === "failover"))
      return finding(task.id, "its consumer was told of more time than its lease gives", [lease, told]);
    if (exit?.statement !== "leases.endLeases" || exit.at > lease.until || isStepped(known, execution)) return null;
    return finding(task.id, `it was taken away ${lease.until - exit.at} ms before its lease was over`, [lease, exit]);
  });
}

/**
 * For an account, a consumer's success counts once, and it is that of the execution which ended `succeeded`: every
 * other consumer that has had the task learns that its lease is lost.
 */
function pulledSuccessCountsOnce({ accounts, rewound }: IndexedRun): Finding[] {
  return accounts
    .filter(({ taskId, executions }) => !rewound.has(taskId) && executions.some(isPulled))
    .flatMap(({ taskId, executions }) => {
      const successes = executions.flatMap((execution) => execution.successes);
      const counted = successes.filter(({ isReplayed }) => !isReplayed);
      if (counted.length > 1) return [finding(taskId, `${counted.length} successes count`, counted)];
      return executions.filter(isPulled).flatMap((execution) => wrongSuccess(taskId, execution));
    });
}

function wrongSuccess(taskId: string, { fence, exit, successes }: Execution): Finding[] {
  if (successes.length === 0 || exit?.after?.state === "succeeded") return [];
  return [finding(taskId, `a success under fence ${fence} counts, which has not ended by it`, [...successes, exit])];
}

/**
 * A task whose lease is over leaves its consumer within some seconds, while there are a node and Postgres. What keeps
 * the nodes from looking starts them anew. A step of the database's clock moves the lease's end.
 */
function leaseEndsInTime(known: IndexedRun): Finding[] {
  return findingsIn(pulledIn(known), (execution) => {
    const { task, leases, exit } = execution;
    const lease = leases.at(-1);
    if (!lease || isStepped(known, execution)) return null;
    const fromMonoMs = lease.monoMs + Math.max(0, lease.until - lease.at);
    const obstacles = known.faults.flatMap((span) => obstacleToEnd(span, task.id));
    const deadline = deadlineBehind(obstacles, { fromMonoMs, withinMs: TAKEN_AWAY_WITHIN_MS });
    if (exit === null ? known.endMonoMs <= deadline : exit.monoMs <= deadline) return null;
    const message = `its consumer still had it ${deadline - fromMonoMs} ms after the end of its lease`;
    return finding(task.id, message, [lease, exit]);
  });
}

/**
 * Without faults, what was pulled for callers that have gone meanwhile is given back at once, and does not wait for its
 * lease. A node that leaves may not live to give it back.
 */
function unheardPullGivenBack(known: IndexedRun): Finding[] {
  return findingsIn(pulledIn(known), ({ task, claims, pulls, exit }) => {
    const claim = claims[0]!;
    const deadline = claim.monoMs + GIVEN_BACK_WITHIN_MS;
    if (pulls.length > 0 || (exit?.monoMs ?? known.endMonoMs) <= deadline) return null;
    if (isUpset(known, task.id, { claim, untilMonoMs: deadline })) return null;
    return finding(task.id, `no consumer was given it, and it ran for ${GIVEN_BACK_WITHIN_MS} ms`, [claim, exit]);
  });
}

/** Those of consumers, without the tasks of which a fail-over forgot a change. */
function pulledIn({ executions, rewound }: IndexedRun): Execution[] {
  return executions.filter((execution) => isPulled(execution) && !rewound.has(execution.task.id));
}

/** Whether the database's clock was stepped while the consumer had it. */
function isStepped({ faults }: IndexedRun, { claims, exit }: Execution): boolean {
  const from = claims[0]!.monoMs;
  const to = exit?.monoMs ?? Infinity;
  return faults.some(
    ({ fault, beganMonoMs }) => fault.name === "clock-step" && beganMonoMs >= from && beganMonoMs <= to,
  );
}

function obstacleToEnd(
  { fault, beganMonoMs, endedMonoMs }: FaultSpan,
  taskId: string,
): { beganMonoMs: number; overMonoMs: number }[] {
  const isInTheWay = { beganMonoMs, overMonoMs: endedMonoMs };
  if (fault.name === "row-lock") return fault.taskId === taskId ? [isInTheWay] : [];
  return ["postgres-away", "failover", "no-node"].includes(fault.name) ? [isInTheWay] : [];
}

/** Whether anything was at fault then, or a node was about to leave. */
function isUpset(
  { faults, nodeEvents }: IndexedRun,
  taskId: string,
  { claim, untilMonoMs }: { claim: RowChanged; untilMonoMs: number },
): boolean {
  const isFault = ({ fault, beganMonoMs, recoveredMonoMs }: FaultSpan): boolean =>
    beganMonoMs <= untilMonoMs &&
    recoveredMonoMs >= claim.monoMs &&
    (fault.name !== "row-lock" || fault.taskId === taskId);
  if (faults.some(isFault)) return true;
  return [...nodeEvents.values()].some((events) =>
    events.some(({ kind, monoMs }) => kind === "leaving" && monoMs >= claim.monoMs - 1_000 && monoMs <= untilMonoMs),
  );
}
