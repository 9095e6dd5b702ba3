import { claimCases } from "./claim-cases.js";
import { nodeCases, termCases } from "./cluster-cases.js";
import { createCases } from "./create-cases.js";
import { dueCases, windowCases } from "./due-cases.js";
import { expireCases } from "./expire-cases.js";
import { idempotencyCases } from "./idempotency-cases.js";
import { journalCases } from "./journal-cases.js";
import { raceCases } from "./race-cases.js";
import { readCases } from "./read-cases.js";
import { reapCases } from "./reap-cases.js";
import { cancelCases, editCases, retryCases } from "./request-cases.js";
import { settleCases } from "./settle-cases.js";
import type { ConformanceCase } from "./subject.js";
import { transactionCases } from "./transaction-cases.js";

/**
 * What every `TaskStore` promises: each transition with its guards, the races between them, the readers. Imports no test runner.
 *
 * @example
 * for (const { name, run } of taskStoreConformance) test(name, () => run(subject));
 */
export const taskStoreConformance: readonly ConformanceCase[] = [
  ...createCases,
  ...idempotencyCases,
  ...claimCases,
  ...settleCases,
  ...reapCases,
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
];

/** What every `ClusterStore` promises: nodes and their beats, verdicts, terms, views. */
export const clusterStoreConformance: readonly ConformanceCase[] = [...nodeCases, ...termCases];
