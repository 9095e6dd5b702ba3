import { isTerminal } from "@tickwheel/testing";
import type { IndexedRun } from "../history/indexed-history.js";
import { type Finding, finding, findingsIn, type Rules } from "../history/rule.js";
import { blockedKillsOf, overMonoMs, suspectExecutions } from "../history/suspects.js";
import type { Execution } from "../history/task-history.js";

/** How tasks run that were there when a node died with a blocked loop, or when two nodes died. */
export const suspectRules = {
  "one-suspect-at-a-time": oneSuspectAtATime,
  "suspect-alone-of-its-type": suspectAloneOfItsType,
  "two-blocked-kills": twoBlockedKills,
} satisfies Rules;

/**
 * [poison-stops]: no suspect starts while the row of another one that has started runs, wherever that is. A fail-over
 * may have forgotten who was in quarantine.
 */
function oneSuspectAtATime(known: IndexedRun): Finding[] {
  const suspects = suspectExecutions(known.accounts, known.nodeEvents);
  return findingsIn(suspects, (suspect, place) => {
    const start = suspect.starts[0]!;
    const other = suspects
      .slice(0, place)
      .find((each) => each.task !== suspect.task && (each.exit?.monoMs ?? Infinity) > start.monoMs);
    if (!other || isRewound(known, other, suspect)) return null;
    return finding(suspect.task.id, "a suspect starts while another one runs", [other.starts[0]!, start]);
  });
}

/**
 * [poison-stops]: on a suspect's node nothing else of its type runs. What a broken lease has ended there may go on for
 * a while.
 */
function suspectAloneOfItsType(known: IndexedRun): Finding[] {
  return suspectExecutions(known.accounts, known.nodeEvents).flatMap((suspect) => {
    const { bootId, monoMs } = suspect.starts[0]!;
    const typeId = suspect.claims[0]!.after!.typeId;
    const untilMonoMs = overMonoMs(suspect);
    const other = known.executions.find((each) => {
      const [start] = each.starts;
      if (each === suspect || start?.bootId !== bootId || each.claims[0]?.after?.typeId !== typeId) return false;
      if (start.monoMs > monoMs) return start.monoMs < untilMonoMs;
      return overMonoMs(each) > monoMs && !isLeaseBroken(known, bootId, { fromMonoMs: start.monoMs, monoMs });
    });
    if (!other) return [];
    const events = [suspect.starts[0]!, other.starts[0]!].sort((one, two) => one.monoMs - two.monoMs);
    return [finding(suspect.task.id, "a suspect runs beside another task of its type", events)];
  });
}

/**
 * [poison-stops]: a task that was there when two nodes died with a blocked loop is neither scheduled nor running again.
 */
function twoBlockedKills(known: IndexedRun): Finding[] {
  return findingsIn(known.accounts, (account) => {
    const second = blockedKillsOf(account, known.nodeEvents)[1];
    if (!second || isTerminal(second.after!.state)) return null;
    return finding(account.taskId, "it runs again after two nodes died with a blocked loop", [second]);
  });
}

function isRewound({ faults, rewound }: IndexedRun, one: Execution, other: Execution): boolean {
  if (rewound.has(one.task.id) || rewound.has(other.task.id)) return true;
  const from = one.claims[0]!.monoMs;
  const to = other.starts[0]!.monoMs;
  return faults.some(
    ({ fault, beganMonoMs, endedMonoMs }) => fault.name === "failover" && endedMonoMs >= from && beganMonoMs <= to,
  );
}

function isLeaseBroken(
  { nodeEvents }: IndexedRun,
  bootId: string,
  { fromMonoMs, monoMs }: { fromMonoMs: number; monoMs: number },
): boolean {
  return (nodeEvents.get(bootId) ?? []).some(
    (event) => event.kind === "lease-broken" && event.monoMs >= fromMonoMs && event.monoMs <= monoMs,
  );
}
