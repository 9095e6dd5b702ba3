import { SeededRandom } from "../seeded-random.js";
import type { WheelBesideList } from "./wheel-beside-list.js";
import { EDGE_STEPS, randomStep, type WheelGeometry, type WheelStep } from "./wheel-step.js";

/** A run that failed, with what it takes to repeat it. */
export class WheelRunFailed extends Error {}

/**
 * Every sequence of so many {@link EDGE_STEPS}, each on a wheel of its own.
 *
 * @param depth how many steps a sequence has; there are 14 to this power
 * @returns how many sequences there were
 * @throws WheelRunFailed with the steps
 */
export function runEverySequence(depth: number, make: () => WheelBesideList): number {
  const count = EDGE_STEPS.length ** depth;
  for (let sequence = 0; sequence < count; sequence++) {
    const steps: WheelStep[] = [];
    for (let left = sequence; steps.length < depth; left = Math.floor(left / EDGE_STEPS.length))
      steps.push(EDGE_STEPS[left % EDGE_STEPS.length]!);
    runSteps(make(), steps);
  }
  return count;
}

/**
 * So many random steps on one wheel; the same seed gives the same steps.
 *
 * @throws WheelRunFailed with the seed and the number of the step
 */
export function runRandomSteps(
  subject: WheelBesideList,
  of: { geometry: WheelGeometry; seed: number; steps: number },
): void {
  const random = new SeededRandom(of.seed);
  const next = (): number => random.next();
  let step = 0;
  try {
    for (; step < of.steps; step++) subject.run(randomStep(next, of.geometry));
    subject.finish();
  } catch (error) {
    throw new WheelRunFailed(`seed ${of.seed}, ${of.geometry.name}, step ${step}: ${String(error)}`, { cause: error });
  }
}

function runSteps(subject: WheelBesideList, steps: readonly WheelStep[]): void {
  try {
    for (const step of steps) subject.run(step);
    subject.finish();
  } catch (error) {
    throw new WheelRunFailed(`${JSON.stringify(steps)}: ${String(error)}`, { cause: error });
  }
}
