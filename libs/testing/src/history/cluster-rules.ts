import { type FaultSpan, isNodeLoss } from "./fault-spans.js";
import type { NodeEvent } from "./history-event.js";
import type { IndexedHistory } from "./indexed-history.js";
import { type Finding, finding, findingsIn, type Rules } from "./rule.js";

/** How the nodes judge each other. */
export const clusterRules = { "declared-dead-with-cause": declaredDeadWithCause } satisfies Rules;

/**
 * §7 liveness: a node is declared dead only after a crash or a goodbye, or while a pause or a cut from Postgres is on or so fresh that its
 * beats were missed. A blocked loop is no death until `loopBlockedFenceMs`, when the worker stops beating.
 */
function declaredDeadWithCause({ nodeEvents, faults, options }: IndexedHistory): Finding[] {
  const freshMs = options.deadAfterBeats * options.heartbeatIntervalMs;
  const explains = (death: NodeEvent, { fault, beganMonoMs, endedMonoMs }: FaultSpan): boolean => {
    if (!("bootId" in fault) || fault.bootId !== death.bootId || beganMonoMs > death.monoMs) return false;
    if (fault.name === "crash") return true;
    if (fault.name === "loop-blocked" && death.monoMs - beganMonoMs < options.loopBlockedFenceMs) return false;
    return (isNodeLoss(fault) || fault.name === "loop-blocked") && death.monoMs <= endedMonoMs + freshMs;
  };
  return findingsIn([...nodeEvents.values()], (events) => {
    const place = events.findIndex(({ kind }) => kind === "declared-dead");
    const death = events[place];
    if (!death || events.slice(0, place).some(({ kind }) => kind === "goodbye")) return null;
    if (faults.some((span) => explains(death, span))) return null;
    return finding(null, `node ${death.bootId} was declared dead without a cause`, [death]);
  });
}
