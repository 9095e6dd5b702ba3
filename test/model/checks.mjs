// What is asked of the model in task.pml, and what it must answer.

/**
 * One run of Spin. The properties, by their names in the model, must hold; or fail, where something is planted.
 * @typedef {"property" | "bug" | "assumption"} CheckKind
 * @typedef {{ kind: CheckKind, properties: string[], selfFencing: boolean, nodes: number, budgets: Record<string,
 *   number>, plants: string | null }} Check
 */

const EFFECTS = ["AT_MOST_ONE_EFFECT", "NO_EFFECT_AFTER_CANCEL"];
const STARTS = ["AT_MOST_ONE_HANDLER", "NO_START_AFTER_CANCEL"];
const LIVENESS = ["NOTHING_LOST"];

/** The promise that each planted bug must break, and whether that promise holds only with self-fencing. */
const PLANTED_BUGS = [
  { plants: "BUG_CURSOR", property: "NOTHING_LOST", selfFencing: false },
  { plants: "BUG_NO_TOKEN", property: "AT_MOST_ONE_EFFECT", selfFencing: false },
  { plants: "BUG_SAME_TOKEN", property: "NO_EFFECT_AFTER_CANCEL", selfFencing: false },
  { plants: "BUG_NO_RECONCILE", property: "NOTHING_LOST", selfFencing: false },
  { plants: "BUG_READ_THEN_WRITE_CANCEL", property: "NO_EFFECT_AFTER_CANCEL", selfFencing: false },
  { plants: "BUG_LATE_REPLY", property: "AT_MOST_ONE_HANDLER", selfFencing: true },
];

/**
 * The one assumption about time that is more than self-fencing: without it a property must fail, or it would not be
 * needed.
 */
const ASSUMPTIONS = [{ plants: "LATE_ANSWERS", property: "AT_MOST_ONE_HANDLER", selfFencing: true }];

/** @returns {Check[]} the properties, which must hold */
export function propertyChecks(nodes) {
  const check = (properties, selfFencing) => ({
    kind: "property",
    properties,
    selfFencing,
    nodes,
    plants: null,
    budgets: budgetsOf({ properties, selfFencing, nodes }),
  });
  return [check(EFFECTS, false), check(LIVENESS, false), check([...EFFECTS, ...STARTS], true), check(LIVENESS, true)];
}

/** @returns {Check[]} each planted bug with the property that it must break */
export function bugChecks(nodes) {
  return PLANTED_BUGS.map((bug) => plantedCheck("bug", nodes, bug));
}

/** @returns {Check[]} each assumption taken away, with the property that needs it */
export function assumptionChecks(nodes) {
  return ASSUMPTIONS.map((assumption) => plantedCheck("assumption", nodes, assumption));
}

function plantedCheck(kind, nodes, { plants, property, selfFencing }) {
  return { kind, properties: [property], selfFencing, nodes, plants, budgets: {} };
}

/**
 * Every search is exhaustive. In the largest ones nobody asks for a retry: after one a task is as new, but for the
 * executions of its past, and of these the smaller searches tell.
 */
function budgetsOf({ properties, selfFencing, nodes }) {
  const isLiveness = properties === LIVENESS;
  const isLarge = selfFencing ? isLiveness && nodes > 2 : isLiveness || nodes > 2;
  return isLarge ? { RETRIES: 0 } : {};
}
