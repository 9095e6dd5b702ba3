import { clusterRules } from "./cluster-rules.js";
import { effectRules } from "./effect-rules.js";
import { fenceRules } from "./fence-rules.js";
import { flowLimitRules } from "./flow-limit-rules.js";
import { finderRules } from "./finder-rules.js";
import { type History, historyOptions, type Violation } from "../history/history.js";
import { indexHistory } from "../history/indexed-history.js";
import { pausedRules } from "./paused-rules.js";
import { obeyedPauseRules } from "./obeyed-pause-rules.js";
import { keyRules } from "./key-rules.js";
import { type Lateness, latenessOf } from "../history/lateness.js";
import { latenessRules } from "./lateness-rules.js";
import { leaseRules } from "./lease-rules.js";
import { lossRules } from "./loss-rules.js";
import { mergeRules } from "./merge-rules.js";
import { policyRules } from "./policy-rules.js";
import { recoveryRules } from "./recovery-rules.js";
import { restRules } from "./rest-rules.js";
import { type Finding, RULE_NAMES, type RuleCheck, type RuleName } from "../history/rule.js";
import { startRules } from "./start-rules.js";
import { suspectRules } from "./suspect-rules.js";
import { transitionRules } from "./transition-rules.js";

const RULES: Record<RuleName, RuleCheck> = {
  ...lossRules,
  ...effectRules,
  ...startRules,
  ...pausedRules,
  ...obeyedPauseRules,
  ...flowLimitRules,
  ...transitionRules,
  ...fenceRules,
  ...policyRules,
  ...suspectRules,
  ...keyRules,
  ...mergeRules,
  ...clusterRules,
  ...recoveryRules,
  ...leaseRules,
  ...finderRules,
  ...restRules,
  ...latenessRules,
};

/** What a history comes to. */
export interface Judgement {
  violations: readonly Violation[];
  /** How late every start was: for those who put many runs together, since one run has few starts. */
  lateness: readonly Lateness[];
}

/**
 * Checks what happened in a run against everything that Tickwheel promises: nothing lost, effects once, never early,
 * one execution at a time, each layer finding what is its own, everything tidy at rest, lateness within its bounds.
 * Each rule's promise stands at its function. Commits that a fail-over forgot are taken out first; an explicit retry
 * begins a new account.
 *
 * Pure, and believes no node: events come from who watched the callers, the handlers and the database. Starts, ends and
 * faults must all be there; without row changes, which nobody sees of real processes, the rules that read them find
 * nothing, and a task's state is the one at the last rest. Cost: one pass over tasks or events for each rule, about 1
 * ms for 1,000 events.
 *
 * @returns what was broken, in the order of {@link RULE_NAMES}; empty where everything held
 * @example
 * expect(checkHistory({ events, options: { horizonMs: 15_000 } })).toEqual([]);
 */
export function checkHistory(history: History): readonly Violation[] {
  return judgeHistory(history).violations;
}

/** The same, with what it has measured. */
export function judgeHistory({ events, options }: History): Judgement {
  const known = indexHistory(events, historyOptions(options));
  const violations = RULE_NAMES.flatMap((rule) => RULES[rule](known).map((found) => violationOf(rule, found)));
  return { violations, lateness: latenessOf(known) };
}

function violationOf(rule: RuleName, { taskId, message, events }: Finding): Violation {
  const shown = events.at(-1);
  return { rule, taskId, message, at: shown?.at ?? 0, monoMs: shown?.monoMs ?? 0, events };
}
