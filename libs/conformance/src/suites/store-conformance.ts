import { claimCases } from "./claim-cases.js";
import { nodeCases, termCases } from "./cluster-cases.js";
import { createCases } from "./create-cases.js";
import { dueCases, windowCases } from "./due-cases.js";
import { expireCases } from "./expire-cases.js";
import { idempotencyCases } from "./idempotency-cases.js";
import { interleavedClaimCases } from "./interleaved-claim-cases.js";
import { interleavedClusterCases } from "./interleaved-cluster-cases.js";
import { interleavedEndCases } from "./interleaved-end-cases.js";
import { interleavedExpireCases } from "./interleaved-expire-cases.js";
import { interleavedHandlerCases } from "./interleaved-handler-cases.js";
import { interleavedKeyCases } from "./interleaved-key-cases.js";
import { interleavedQuarantineCases } from "./interleaved-quarantine-cases.js";
import { interleavedRequestCases } from "./interleaved-request-cases.js";
import { interleavedRetryCases } from "./interleaved-retry-cases.js";
import type { InterleavingCase } from "./interleaving.js";
import { boundedJournalCases } from "./bounded-journal-cases.js";
import { journalCases } from "./journal-cases.js";
import { quarantineCases } from "./quarantine-cases.js";
import { raceCases } from "./race-cases.js";
import { readCases } from "./read-cases.js";
import { reapCases } from "./reap-cases.js";
import { cancelCases, editCases, retryCases } from "./request-cases.js";
import { settleCases } from "./settle-cases.js";
import type { ConformanceCase } from "./subject.js";
import { transactionCases } from "./transaction-cases.js";
import { transitionCases } from "./transition-cases.js";

/** The straight life of a task, with nobody in its way. A store that fails here is broken, not wrong. */
export const plainConformance: readonly ConformanceCase[] = [...createCases, ...claimCases, ...settleCases];

/**
 * What every `TaskStore` promises: each transition with its guards, the races between them, the readers. Imports no test runner.
 *
 * @example
 * for (const { name, run } of taskStoreConformance) test(name, () => run(subject));
 */
export const taskStoreConformance: readonly ConformanceCase[] = [
  ...transitionCases,
  ...createCases,
  ...idempotencyCases,
  ...claimCases,
  ...settleCases,
  ...reapCases,
  ...quarantineCases,
  ...expireCases,
  ...cancelCases,
  ...editCases,
  ...retryCases,
  ...raceCases,
  ...transactionCases,
  ...windowCases,
  ...dueCases,
  ...readCases,
  ...journalCases,
  ...boundedJournalCases,
];

/** What every `ClusterStore` promises: nodes and their beats, verdicts, terms, views. */
export const clusterStoreConformance: readonly ConformanceCase[] = [...nodeCases, ...termCases];

/**
 * What both stores promise where statements meet in the middle: who waits for whom, who passes by, and what is seen after a wait. Each case
 * forces one order, so it needs a subject whose statements can be stopped.
 */
export const interleavingConformance: readonly InterleavingCase[] = [
  ...interleavedClaimCases,
  ...interleavedEndCases,
  ...interleavedExpireCases,
  ...interleavedHandlerCases,
  ...interleavedKeyCases,
  ...interleavedQuarantineCases,
  ...interleavedRequestCases,
  ...interleavedRetryCases,
  ...interleavedClusterCases,
];
