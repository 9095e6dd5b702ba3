import { describe, expect, test } from "@jest/globals";
import { type MachineSample, stretchOf, whyTooSlow } from "./slowness.js";

/** Samples of 100 ms each from an instant on, each with so much waiting. */
function samplesFrom(at: number, waits: number[]): MachineSample[] {
  return waits.map((waitedMs, index) => {
    const fromAt = at + index * 100;
    return { fromAt, toAt: fromAt + 100, ranMs: 2, waitedMs, load: index, cores: 2 };
  });
}

describe("whether a machine was too slow to judge times", () => {
  const all = { fromAt: 0, toAt: Infinity };

  test("the slowness check says nothing of a machine on which the process waits for a tenth of the time or less", () => {
    expect(whyTooSlow(samplesFrom(0, [0, 0, 0]), all)).toBeNull();
    expect(whyTooSlow(samplesFrom(0, [30, 0, 0]), all)).toBeNull();
  });

  test("the slowness check says nothing of a process that has much to do itself and gets a quarter of what it wants", () => {
    const hardAtWork = samplesFrom(0, [60, 60]).map((sample) => ({ ...sample, ranMs: 20 }));
    expect(whyTooSlow(hardAtWork, all)).toBeNull();
    expect(whyTooSlow([...hardAtWork, ...samplesFrom(200, [62])], all)).not.toBeNull();
  });

  test("the slowness check tells how long the process waited, and the highest load", () => {
    expect(whyTooSlow(samplesFrom(0, [31, 0, 0]), all)).toMatch(
      /^the machine was busy: .*0\.0 s.*load 2\.0 on 2 cores$/,
    );
    expect(whyTooSlow(samplesFrom(0, Array<number>(50).fill(50)), all)).toBe(
      "the machine was busy: in 5.0 s this process waited 2.5 s for a processor, load 49.0 on 2 cores",
    );
  });

  test("the slowness check takes one long halt for slowness", () => {
    const halt = { fromAt: 0, toAt: 3_100, ranMs: 2, waitedMs: 3_000, load: 1, cores: 2 };
    expect(whyTooSlow([halt, ...samplesFrom(3_100, Array<number>(100).fill(0))], all)).not.toBeNull();
  });

  test("the slowness check looks only at the times that are asked about", () => {
    const samples = [...samplesFrom(0, [90, 90]), ...samplesFrom(200, [0, 0])];
    expect(whyTooSlow(samples, { fromAt: 0, toAt: 200 })).not.toBeNull();
    expect(whyTooSlow(samples, { fromAt: 200, toAt: 400 })).toBeNull();
  });

  test("the slowness check does not excuse what it has not measured", () => {
    expect(whyTooSlow([], all)).toBeNull();
  });
});

describe("the stretch of limits", () => {
  test("the stretch of limits is how much longer the process's own work took, at most tenfold", () => {
    expect(stretchOf([])).toBe(1);
    expect(stretchOf(samplesFrom(0, [0, 0]))).toBe(1);
    expect(stretchOf(samplesFrom(0, [2, 6]))).toBe(3);
    expect(stretchOf(samplesFrom(0, [500]))).toBe(10);
  });
});
