import type { TaskRow } from "@tickwheel/testing";
import type { NodeAtRest, Rest } from "../history/history-event.js";
import type { IndexedRun } from "../history/indexed-history.js";
import { type Finding, finding, type Rules } from "../history/rule.js";

/** How everything is when nothing is to be done. */
export const restRules = {
  "rest-without-running-row": restWithoutRunningRow,
  "rest-without-claim-in-doubt": restWithoutClaimInDoubt,
  "rest-with-scheduled-in-wheel": restWithScheduledInWheel,
  "rest-without-overdue-entry": restWithoutOverdueEntry,
  "rest-without-timer": restWithoutTimer,
  "rest-without-condition": restWithoutCondition,
} satisfies Rules;

/** At rest no row is `running` ([no-orphan], [no-in-doubt-leak]). */
function restWithoutRunningRow({ rests }: IndexedRun): Finding[] {
  return rests.flatMap((rest) =>
    rest.rows
      .filter(({ state }) => state === "running")
      .map((row) => finding(row.id, `at rest it runs under ${row.owner}, fence ${row.fence}`, [rest])),
  );
}

/** At rest no node has a claim that it got no answer to [no-in-doubt-leak]. */
function restWithoutClaimInDoubt({ rests }: IndexedRun): Finding[] {
  return ofNodes(rests, (node) =>
    node.claimsInDoubt.map((id) => ({ id, message: `at rest node ${node.bootId} has a claim of it in doubt` })),
  );
}

/**
 * At rest every scheduled row within the horizon lies in a wheel of a node that runs its type [level-triggered]. Within
 * means as the last reload saw it: a reload interval less. A task that nobody runs lies nowhere.
 */
function restWithScheduledInWheel({ rests, options }: IndexedRun): Finding[] {
  return rests.flatMap((rest) => {
    const running = rest.nodes.filter(({ isStopped }) => !isStopped);
    const known = new Set(running.flatMap(({ entries }) => entries.map(({ taskId }) => taskId)));
    const served = new Set(running.flatMap(({ typeIds }) => typeIds));
    const until = rest.at + options.horizonMs - options.reloadIntervalMs;
    const isMissing = (row: TaskRow): boolean =>
      row.state === "scheduled" && row.dueAt <= until && served.has(row.typeId) && !known.has(row.id);
    return rest.rows
      .filter(isMissing)
      .map((row) => finding(row.id, `at rest it is due in ${row.dueAt - rest.at} ms and in no wheel`, [rest]));
  });
}

/** At rest an entry, which may be of a task that was cancelled or moved meanwhile, is gone by its due time. */
function restWithoutOverdueEntry({ rests }: IndexedRun): Finding[] {
  return ofNodes(rests, ({ bootId, entries }, { at }) =>
    entries
      .filter(({ dueAt }) => dueAt < at)
      .map(({ taskId, dueAt }) => ({
        id: taskId,
        message: `at rest node ${bootId} has an entry that was due ${at - dueAt} ms ago`,
      })),
  );
}

/** At rest no timer is left, but those of the wheel and the periodic services of a node that runs. */
function restWithoutTimer({ rests }: IndexedRun): Finding[] {
  return ofNodes(rests, ({ bootId, timers }) =>
    timers > 0 ? [{ id: null, message: `at rest node ${bootId} has ${timers} timers left` }] : [],
  );
}

/** Says for longer than it takes to come to rest that a stranger has spoken. */
const SAID_LONGER = "messages";

/** At rest nothing is said to fail: a condition ends with the next good look, or when nothing is left to look for. */
function restWithoutCondition({ rests }: IndexedRun): Finding[] {
  return ofNodes(rests, ({ bootId, degraded }) =>
    degraded
      .filter((part) => part !== SAID_LONGER)
      .map((part) => ({ id: null, message: `at rest node ${bootId} says that ${part} does not work` })),
  );
}

type Fault = { id: string | null; message: string };

function ofNodes(rests: readonly Rest[], faultsOf: (node: NodeAtRest, rest: Rest) => Fault[]): Finding[] {
  return rests.flatMap((rest) =>
    rest.nodes.flatMap((node) => faultsOf(node, rest)).map(({ id, message }) => finding(id, message, [rest])),
  );
}
