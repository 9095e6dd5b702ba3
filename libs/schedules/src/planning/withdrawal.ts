import { Instants } from "../instants/instants.js";
import { isUnstarted } from "./executed-run.js";
import { openUntil } from "./open.js";
import type { LiveVerdict, PlanningInput } from "./planning.js";
import { settle, type Settlement, type SettleOptions } from "./settle.js";

/** What a pause, an edit or a trigger finds: whatever was due is settled under the definition in force. */
export interface Closing {
  settlement: Settlement;
  verdict: LiveVerdict;
}

/** Whether the live occurrence has not started and is due later than now: then it can be taken back whole. */
export function isAhead(input: PlanningInput): boolean {
  return isUnstarted(input) && input.live!.dueAt > input.now;
}

/** Whether occurrences of this definition hold one key, so that at most one lives. */
export function isChain({ definition }: PlanningInput): boolean {
  return definition.policies.overlap !== "allow" && definition.spec.kind !== "after";
}

/**
 * Settles what was due by now, and takes back the occurrence that is ahead: its instant is open again. The open
 * occurrences of overlap `allow` are taken back all.
 */
export function closed(input: PlanningInput, options: Omit<SettleOptions, "accountedUntil"> = {}): Closing {
  const { state, definition } = input;
  const verdict = isAhead(input) ? "withdraw" : "keep";
  if (definition.spec.kind === "after")
    return { settlement: settle(input, { ...options, accountedUntil: 0 }), verdict };
  if (!isChain(input)) {
    const alone = { ...input, live: null, last: null };
    return { settlement: settle(alone, { ...options, accountedUntil: openUntil(input) }), verdict: "withdraw" };
  }
  if (!isAhead(input))
    return { settlement: settle(input, { ...options, accountedUntil: state.plannedUntil }), verdict };
  // Nothing up to now is open: the occurrence ahead was chosen behind all of it.
  const accountedUntil = new Instants(definition).newestDueBy(input.now) ?? 0;
  return { settlement: settle(input, { ...options, accountedUntil }), verdict };
}
