import { describe, expect, test } from "@jest/globals";
import { runEveryGeometry, runEverySequence, WheelBesideList } from "@tickwheel/testing";
import { TimingWheel } from "@tickwheel/timing-wheel";
import { printFigures } from "../support/figures.js";

const STEPS_PER_RUN = 10_000;
const RUNS_PER_ORDER = 20;

describe("the timing wheel beside a sorted list, at length", () => {
  test("gives the same in more than a million random calls, on every geometry, in either order", () => {
    const firstSeed = Date.now() % 2 ** 31;
    let calls = 0;
    for (let run = 0; run < RUNS_PER_ORDER; run++)
      calls += runEveryGeometry((options) => new TimingWheel(options), {
        seed: firstSeed + run,
        steps: STEPS_PER_RUN,
      });
    printFigures("timing wheel, random calls", { calls, firstSeed });
    expect(calls).toBeGreaterThan(1_000_000);
  });

  test("gives the same in every sequence of five calls on two levels of four slots", () => {
    const options = { slotBits: 2, levels: 2, capacity: 4 };
    expect(runEverySequence(5, () => new WheelBesideList(new TimingWheel(options), options))).toBe(537_824);
  });
});
