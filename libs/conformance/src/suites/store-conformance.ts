import { pulseCases } from "../cluster/pulse-cases.js";
import { claimCases } from "../tasks/claim-cases.js";
import { nodeCases, termCases } from "../cluster/cluster-cases.js";
import { eventCases } from "../cluster/event-cases.js";
import { breakerCases } from "../cluster/breaker-cases.js";
import { limitedClaimCases } from "../cluster/limited-claim-cases.js";
import { limitSettingCases } from "../cluster/limit-setting-cases.js";
import { rateCases } from "../cluster/rate-cases.js";
import { pausedKeyCases } from "../cluster/paused-key-cases.js";
import { leaseCases } from "../cluster/lease-cases.js";
import { pullCases } from "../cluster/pull-cases.js";
import { pullLimitCases } from "../cluster/pull-limit-cases.js";
import { settingCases } from "../cluster/setting-cases.js";
import { createCases } from "../tasks/create-cases.js";
import { dueCases, windowCases } from "../tasks/due-cases.js";
import { reportCases, stepCases } from "../tasks/effect-cases.js";
import { forgetCases } from "../cluster/forget-cases.js";
import { expireCases } from "../tasks/expire-cases.js";
import { pausedCases } from "../tasks/paused-cases.js";
import { idempotencyCases } from "../tasks/idempotency-cases.js";
import { interleavedClaimCases } from "../interleaved/interleaved-claim-cases.js";
import { interleavedClusterCases } from "../interleaved/interleaved-cluster-cases.js";
import { interleavedEffectCases } from "../interleaved/interleaved-effect-cases.js";
import { interleavedEndCases } from "../interleaved/interleaved-end-cases.js";
import { interleavedForgetCases } from "../interleaved/interleaved-forget-cases.js";
import { interleavedExpireCases } from "../interleaved/interleaved-expire-cases.js";
import { interleavedHandlerCases } from "../interleaved/interleaved-handler-cases.js";
import { interleavedBreakerCases } from "../interleaved/interleaved-breaker-cases.js";
import { interleavedLeaseCases } from "../interleaved/interleaved-lease-cases.js";
import { interleavedPullCases } from "../interleaved/interleaved-pull-cases.js";
import { interleavedLimitCases } from "../interleaved/interleaved-limit-cases.js";
import { interleavedPausedCases } from "../interleaved/interleaved-paused-cases.js";
import { interleavedKeyCases } from "../interleaved/interleaved-key-cases.js";
import { interleavedMergeCases } from "../interleaved/interleaved-merge-cases.js";
import { interleavedQuarantineCases } from "../interleaved/interleaved-quarantine-cases.js";
import { interleavedRequestCases } from "../interleaved/interleaved-request-cases.js";
import { interleavedRetryCases } from "../interleaved/interleaved-retry-cases.js";
import { interleavedScheduleCases } from "../interleaved/interleaved-schedule-cases.js";
import { interleavedPausedKeyCases } from "../interleaved/interleaved-paused-key-cases.js";
import { interleavedSettingCases } from "../interleaved/interleaved-setting-cases.js";
import { interleavedRunCases } from "../interleaved/interleaved-run-cases.js";
import type { InterleavingCase } from "../subject/interleaving.js";
import { boundedJournalCases } from "../tasks/bounded-journal-cases.js";
import { keyRunCases } from "../tasks/key-run-cases.js";
import { cycleCases, putOffCases } from "../tasks/cycle-cases.js";
import { judgedMergeCases, mergeCases } from "../tasks/merge-cases.js";
import { mergeFoldCases } from "../tasks/merge-fold-cases.js";
import { journalCases } from "../tasks/journal-cases.js";
import { quarantineCases } from "../tasks/quarantine-cases.js";
import { raceCases } from "../tasks/race-cases.js";
import { readCases } from "../tasks/read-cases.js";
import { reapCases } from "../tasks/reap-cases.js";
import { cancelCases } from "../tasks/cancel-cases.js";
import { editCases, retryCases } from "../tasks/request-cases.js";
import { announcementCases } from "../schedules/announcement-cases.js";
import { liveCases } from "../schedules/live-cases.js";
import { planCases } from "../schedules/plan-cases.js";
import { runCases } from "../schedules/run-cases.js";
import { scheduleListCases } from "../schedules/list-cases.js";
import { stalledCases } from "../schedules/stalled-cases.js";
import { settleCases, latenessCases } from "../tasks/settle-cases.js";
import { spawnCases } from "../tasks/spawn-cases.js";
import type { ConformanceCase } from "../subject/subject.js";
import { filterCases } from "../lists/filter-cases.js";
import { fingerprintCases } from "../lists/fingerprint-cases.js";
import { tabCases } from "../lists/tab-cases.js";
import { seriesCases } from "../tasks/series-cases.js";
import { interleavedSeriesCases } from "../interleaved/interleaved-series-cases.js";
import { tagCases } from "../tasks/tag-cases.js";
import { transactionCases } from "../tasks/transaction-cases.js";
import { leaseTransitionCases, transitionCases } from "../tasks/transition-cases.js";

/** The plain life of a task, without concurrency. A store that fails these does not work at all. */
export const plainConformance: readonly ConformanceCase[] = [...createCases, ...claimCases, ...settleCases];

/**
 * The promises of every `TaskStore`: each transition with its guards, the races between them, the reads. Imports no
 * test runner.
 *
 * @example
 * for (const { name, run } of taskStoreConformance) test(name, () => run(subject));
 */
export const taskStoreConformance: readonly ConformanceCase[] = [
  ...transitionCases,
  ...createCases,
  ...keyRunCases,
  ...mergeFoldCases,
  ...mergeCases,
  ...judgedMergeCases,
  ...putOffCases,
  ...cycleCases,
  ...tagCases,
  ...seriesCases,
  ...tabCases,
  ...filterCases,
  ...fingerprintCases,
  ...idempotencyCases,
  ...claimCases,
  ...settleCases,
  ...spawnCases,
  ...forgetCases,
  ...latenessCases,
  ...reapCases,
  ...quarantineCases,
  ...expireCases,
  ...pausedCases,
  ...cancelCases,
  ...editCases,
  ...retryCases,
  ...raceCases,
  ...transactionCases,
  ...windowCases,
  ...dueCases,
  ...pulseCases,
  ...readCases,
  ...journalCases,
  ...boundedJournalCases,
];

/**
 * The promises of every `ClusterStore`: nodes and their beats, verdicts, terms, views, and the events of all these; and
 * those of every `SettingStore`, whose revision the beats bring, of every `LimitStore` and of every `BreakerStore`.
 */
export const clusterStoreConformance: readonly ConformanceCase[] = [
  ...nodeCases,
  ...termCases,
  ...eventCases,
  ...settingCases,
  ...pausedKeyCases,
  ...limitSettingCases,
  ...limitedClaimCases,
  ...rateCases,
  ...breakerCases,
];

/** The promises of every `LeaseStore`, about tasks of the same subject. */
export const leaseStoreConformance: readonly ConformanceCase[] = [
  ...leaseTransitionCases,
  ...pullCases,
  ...pullLimitCases,
  ...leaseCases,
];

/** The promises of every `EffectStore`, about tasks of the same subject. */
export const effectStoreConformance: readonly ConformanceCase[] = [...stepCases, ...reportCases];

/** The promises of every `ScheduleStore`; its occurrences are tasks of the same subject. */
export const scheduleStoreConformance: readonly ConformanceCase[] = [
  ...planCases,
  ...liveCases,
  ...runCases,
  ...announcementCases,
  ...scheduleListCases,
  ...stalledCases,
];

/**
 * The promises of both stores about concurrent statements: which one waits, which one skips a row, and what is seen
 * after a wait. Each case forces one order, so it needs a subject whose statements can be stopped.
 */
export const interleavingConformance: readonly InterleavingCase[] = [
  ...interleavedClaimCases,
  ...interleavedEffectCases,
  ...interleavedEndCases,
  ...interleavedExpireCases,
  ...interleavedForgetCases,
  ...interleavedHandlerCases,
  ...interleavedPausedCases,
  ...interleavedKeyCases,
  ...interleavedSeriesCases,
  ...interleavedMergeCases,
  ...interleavedQuarantineCases,
  ...interleavedRequestCases,
  ...interleavedRetryCases,
  ...interleavedRunCases,
  ...interleavedScheduleCases,
  ...interleavedSettingCases,
  ...interleavedPausedKeyCases,
  ...interleavedLimitCases,
  ...interleavedBreakerCases,
  ...interleavedClusterCases,
];

/** The same of a `LeaseStore`. */
export const interleavedLeaseConformance: readonly InterleavingCase[] = [
  ...interleavedPullCases,
  ...interleavedLeaseCases,
];
