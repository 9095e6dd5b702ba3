import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "@jest/globals";
import { runEveryGeometry, runEverySequence } from "../../libs/timing-wheel/test-support/wheel-runs.js";
import { WheelBesideList } from "../../libs/timing-wheel/test-support/wheel-beside-list.js";
import { TimingWheel } from "@tickwheel/timing-wheel";
import { depth } from "../support/depth.js";
import { printFigures } from "../support/figures.js";

const STEPS_PER_RUN = 10_000;
const RUNS_PER_ORDER = depth({ sample: 8, whole: 40 });

describe("the timing wheel beside a sorted list, at length", () => {
  test("the timing wheel gives the same as a sorted list in a great many random calls, on every geometry, in either order", () => {
    const firstSeed = Date.now() % 2 ** 31;
    let calls = 0;
    for (let run = 0; run < RUNS_PER_ORDER; run++)
      calls += runEveryGeometry((options) => new TimingWheel(options), {
        seed: firstSeed + run,
        steps: STEPS_PER_RUN,
      });
    printFigures("timing wheel, random calls", { calls, firstSeed });
    expect(calls).toBeGreaterThan(50_000 * RUNS_PER_ORDER);
  });

  test("the timing wheel gives the same as a sorted list in every sequence of five calls on two levels of four slots", () => {
    const options = { slotBits: 2, levels: 2, capacity: 4 };
    expect(runEverySequence(5, () => new WheelBesideList(new TimingWheel(options), options))).toBe(537_824);
  });
});

describe("the timing wheel's memory", () => {
  const COUNT = 5_000_000;
  const TIMES = 5;

  test("five million timers of the wheel take 32 bytes each, and filling and draining it again takes no more", async () => {
    const script = join(import.meta.dirname, "../support/refill-wheel.mjs");
    const command = ["--expose-gc", script, String(COUNT), String(TIMES)];
    const { stdout } = await promisify(execFile)(process.execPath, command);
    const { startBytes, peakBytes, fired, wheelBytes } = JSON.parse(stdout) as {
      [name in "startBytes" | "fired" | "wheelBytes"]: number;
    } & { peakBytes: number[] };
    const fixedBytes = wheelBytes - 32 * COUNT;
    const bytesPerTimer = (peakBytes[0]! - startBytes - fixedBytes) / COUNT;
    const growth = Math.max(...peakBytes) / peakBytes[0]! - 1;
    printFigures("timing wheel, memory", { bytesPerTimer, growth, fixedBytes });
    expect(fired).toBe(COUNT * TIMES);
    expect(bytesPerTimer).toBeLessThan(33);
    expect(growth).toBeLessThan(0.05);
    expect(fixedBytes).toBeLessThan(8_000_000);
  });
});
