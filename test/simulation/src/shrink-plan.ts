import type { Action, Plan } from "./plan.js";

/** The most runs that are spent on reducing one plan. */
const MAX_RUNS = 300;

/**
 * Reduces a plan to as little as possible that still fails: fewer faults, requests, nodes. It leaves out smaller and
 * smaller parts, and keeps each plan that still fails.
 *
 * @param fails runs a plan
 * @param onStep called with each smaller plan that still fails
 */
export async function shrinkPlan(
  plan: Plan,
  fails: (candidate: Plan) => Promise<boolean>,
  onStep: (smaller: Plan) => void = () => undefined,
): Promise<Plan> {
  let smallest = plan;
  let runs = 0;
  for (let isSmaller = true; isSmaller && runs < MAX_RUNS;) {
    isSmaller = false;
    for (const candidate of smallerPlans(smallest)) {
      if (++runs > MAX_RUNS) break;
      if (!(await fails(candidate))) continue;
      smallest = candidate;
      isSmaller = true;
      onStep(smallest);
      break;
    }
  }
  return smallest;
}

function* smallerPlans(plan: Plan): Iterable<Plan> {
  for (const faults of withoutParts(plan.faults)) yield { ...plan, faults };
  for (const requests of withoutParts(plan.requests)) yield { ...plan, requests };
  for (const consumers of withoutParts(plan.consumers ?? [])) if (consumers.length > 0) yield { ...plan, consumers };
  if (plan.nodes > 1) yield { ...plan, nodes: plan.nodes - 1 };
  if (plan.clockRates.some((rate) => rate !== 1)) yield { ...plan, clockRates: plan.clockRates.map(() => 1) };
  for (const [place, request] of plan.requests.entries()) {
    for (const action of smallerActions(request.action)) {
      yield { ...plan, requests: plan.requests.with(place, { ...request, action }) };
    }
  }
}

/** The list without its halves, quarters, … single items. */
function* withoutParts<Item>(items: readonly Item[]): Iterable<Item[]> {
  for (let size = Math.ceil(items.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < items.length; from += size) yield [...items.slice(0, from), ...items.slice(from + size)];
  }
}

function* smallerActions(action: Action): Iterable<Action> {
  if (action.kind === "create-many") {
    for (const tasks of withoutParts(action.tasks)) if (tasks.length > 0) yield { ...action, tasks };
  } else if (action.kind === "transaction") {
    for (const actions of withoutParts(action.actions)) if (actions.length > 0) yield { ...action, actions };
  }
}
