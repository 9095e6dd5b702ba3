import type { TimingWheelOptions } from "@tickwheel/timing-wheel";
import { SeededRandom } from "@tickwheel/testing";
import { type CheckedWheel, WheelBesideList } from "./wheel-beside-list.js";
import { EDGE_STEPS, randomStep, WHEEL_GEOMETRIES, type WheelGeometry, type WheelStep } from "./wheel-step.js";

/** Few enough for a wheel to be full now and then. */
const CAPACITY = 24;

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
 * Takes this many random steps on each geometry, in either order within a tick. The same seed gives the same steps.
 *
 * @param make the wheel to check, with these options
 * @returns how many steps there were in all
 * @throws WheelRunFailed with the seed, the geometry, the order and the number of the step
 */
export function runEveryGeometry(
  make: (options: TimingWheelOptions) => CheckedWheel,
  { seed, steps }: { seed: number; steps: number },
): number {
  for (const geometry of WHEEL_GEOMETRIES) {
    for (const orderWithinTick of ["insertion", "priority"] as const) {
      const options = { ...geometry.options, orderWithinTick, capacity: CAPACITY };
      runRandomSteps(new WheelBesideList(make(options), options), { geometry, orderWithinTick, seed, steps });
    }
  }
  return 2 * WHEEL_GEOMETRIES.length * steps;
}

interface RandomRun {
  geometry: WheelGeometry;
  orderWithinTick: string;
  seed: number;
  steps: number;
}

function runRandomSteps(subject: WheelBesideList, { geometry, orderWithinTick, seed, steps }: RandomRun): void {
  const random = new SeededRandom(seed);
  const next = (): number => random.next();
  let step = 0;
  try {
    for (; step < steps; step++) subject.run(randomStep(next, geometry));
    subject.finish();
  } catch (error) {
    const where = `seed ${seed}, ${geometry.name}, order by ${orderWithinTick}, step ${step}`;
    throw new WheelRunFailed(`${where}: ${String(error)}`, { cause: error });
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
