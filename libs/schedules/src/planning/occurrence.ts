import type { EpochMs } from "@tickwheel/core";
import { GRACE_MS } from "../definition/schedule.js";
import type { PlannedOccurrence, PlanningInput } from "./planning.js";
import type { Settlement } from "./settle.js";

/** An occurrence that was chosen. */
interface Chosen {
  at: EpochMs;
  dueAt: EpochMs;
  /** When it would have been due: lateness counts from there. */
  nominalAt: EpochMs;
  /** Whether the catch-up limit holds for it. A run after a resume is exempt. */
  hasLimit: boolean;
}

/** The occurrence to create for a choice, told what the decision skipped. */
export function occurrenceOf(chosen: Chosen, input: PlanningInput, { ledger }: Settlement): PlannedOccurrence {
  const { policies } = input.definition;
  return {
    at: chosen.at,
    dueAt: chosen.dueAt,
    missed: ledger.missed(policies.onResume === "last"),
    hasMissedMore: ledger.hasMissedMore,
    startDeadlineAt: startDeadlineAt(chosen, input),
    isTrigger: false,
  };
}

/** An occurrence by hand: its instant is the time of the call, it missed nothing. */
export function triggeredOccurrence({ definition, now }: PlanningInput): PlannedOccurrence {
  const { startDeadlineMs } = definition.policies;
  return {
    at: now,
    dueAt: now,
    missed: 0,
    hasMissedMore: false,
    startDeadlineAt: startDeadlineMs === null ? null : now + startDeadlineMs,
    isTrigger: true,
  };
}

/** The least of the deadline given, the catch-up limit, and with misfire `skip` the grace. */
function startDeadlineAt({ dueAt, nominalAt, hasLimit }: Chosen, { definition }: PlanningInput): EpochMs | null {
  const { startDeadlineMs, catchUpLimitMs, misfire } = definition.policies;
  const deadlines = [
    startDeadlineMs === null ? Infinity : dueAt + startDeadlineMs,
    catchUpLimitMs === null || !hasLimit ? Infinity : nominalAt + catchUpLimitMs,
    misfire.kind === "skip" ? dueAt + GRACE_MS : Infinity,
  ];
  const first = Math.min(...deadlines);
  return first === Infinity ? null : first;
}
