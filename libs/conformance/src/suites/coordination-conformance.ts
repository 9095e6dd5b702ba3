import type { CoordinationCase } from "../subject/coordination-subject.js";
import { keyCases, lockCases } from "../coordination/key-cases.js";
import { messageCases, notifyCases, reachCases } from "../coordination/message-cases.js";
import { outageCases } from "../coordination/outage-cases.js";

/**
 * What every `Coordination` of the kind "redis" promises: messages, beats that expire, the election's lock, and what
 * becomes of them in an outage. Imports no test runner.
 *
 * @example
 * for (const { name, run } of coordinationConformance) test(name, () => run(subject));
 */
export const coordinationConformance: readonly CoordinationCase[] = [
  ...messageCases,
  ...reachCases,
  ...keyCases,
  ...lockCases,
  ...outageCases,
];

/** What every `Coordination` of the kind "postgres" promises: messages, and nothing else. */
export const notifyConformance: readonly CoordinationCase[] = [...messageCases, ...notifyCases];
