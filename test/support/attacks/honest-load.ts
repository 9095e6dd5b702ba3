import { expect } from "@jest/globals";
import { quiet } from "../cluster-view.js";
import type { TestNode } from "../cluster.js";
import { printFigures, tellTimes } from "../figures.js";
import { requirePromises } from "../broken-promise.js";
import { gatherEvidence, invariantsOf } from "../invariants.js";
import { latenessOf, type Ledger } from "../ledger.js";
import type { TaskLoad } from "../task-load.js";

/** The lateness that a lost hint may cause. */
const LATENESS_LIMIT_MS = 1_200;

/** The load whose creates went on beside an attack. */
export interface HonestScene {
  load: TaskLoad;
  node: TestNode;
  ledger: Ledger;
}

/**
 * Ends a load that ran beside an attack: expects that each create was answered and nothing was lost, and reports the
 * lateness.
 */
export async function expectUnharmed(
  { load, node, ledger }: HonestScene,
  { name, figures }: { name: string; figures: object },
): Promise<void> {
  const acknowledged = await load.stop();
  await quiet(node);
  const evidence = await gatherEvidence(acknowledged, { ledger, client: node.client });
  const ids = new Set(acknowledged.map(({ id }) => id));
  const lateness = latenessOf(evidence.starts.filter(({ taskId }) => ids.has(taskId)));
  printFigures(name, { ...figures, tasks: acknowledged.length });
  tellTimes(`rude callers: ${name}`, { "lateness, worst": { ms: lateness.max, boundMs: LATENESS_LIMIT_MS } });
  expect(node.endedByItself).toBe(false);
  expect({ refusals: load.refusals, unanswered: load.unanswered }).toEqual({ refusals: [], unanswered: 0 });
  expect(acknowledged.length).toBeGreaterThan(60);
  requirePromises(invariantsOf(evidence));
}
