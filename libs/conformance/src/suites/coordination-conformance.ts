import type { CoordinationCase } from "../subject/coordination-subject.js";
import { keyCases, lockCases } from "../coordination/key-cases.js";
import { messageCases, notifyCases, reachCases } from "../coordination/message-cases.js";
import { outageCases } from "../coordination/outage-cases.js";

/**
 * The promises of every `Coordination` of the kind "redis": messages, beats that expire, the election's lock, and their
 * behaviour in an outage. Imports no test runner.
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

/** The promises of every `Coordination` of the kind "postgres": messages, and nothing else. */
export const notifyConformance: readonly CoordinationCase[] = [...messageCases, ...notifyCases];
