import { describe, expect, test } from "@jest/globals";
import type { LatenessSituation } from "@tickwheel/simulation";
import { LatenessTally } from "./lateness-tally.js";

function tallyOf(situation: LatenessSituation, starts: Record<number, number>): LatenessTally {
  const tally = new LatenessTally();
  for (const [latenessMs, count] of Object.entries(starts))
    tally.add(Array.from({ length: count }, () => ({ situation, latenessMs: Number(latenessMs) })));
  return tally;
}

describe("the starts of many runs", () => {
  test("the starts of many runs keep the promise if one in a hundred is late", () => {
    expect(tallyOf("normal", { 3: 990, 1_000: 10 }).broken()).toEqual([]);
  });

  test("the starts of many runs break the promise if a few more than one in a hundred are late", () => {
    const [sentence] = tallyOf("normal", { 3: 989, 1_000: 11 }).broken();
    expect(sentence).toBe("p99 of 1000 starts is 1000 ms, 50 ms are promised (normal)");
  });

  test("the starts of many runs are not judged if they are too few", () => {
    expect(tallyOf("normal", { 1_000: 999 }).broken()).toEqual([]);
  });

  test("the starts of many runs are not judged if they met faults", () => {
    expect(tallyOf("postgres-restarted", { 9_000: 2_000 }).broken()).toEqual([]);
  });

  test("the starts of many runs are added up from several processes", () => {
    const whole = new LatenessTally();
    for (const part of [tallyOf("drain", { 0: 60, 10.2: 30 }), tallyOf("drain", { 0: 8, 250: 2 })])
      whole.merge(JSON.parse(JSON.stringify(part.toCounts())));
    expect(whole.figures()).toEqual({ drain: { starts: 100, p50Ms: 0, p99Ms: 250, maxMs: 250 } });
  });
});
