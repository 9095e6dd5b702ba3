import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { planOf, TURNS } from "../runner/plan.mjs";

const files = fc.uniqueArray(fc.nat(9_999), { minLength: 1, maxLength: 120 }).map((ids) => ids.map((id) => `f${id}`));
const timesOf = (names: readonly string[], seconds: readonly number[]): Record<string, number> =>
  Object.fromEntries(names.map((name, at) => [name, seconds[at % seconds.length]!]));
const seconds = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 50 });
const never = (): boolean => false;

describe("the plan of a run within a budget", () => {
  test("the plan of a run within a budget keeps the budget, names what it leaves out, and takes nothing twice", () => {
    fc.assert(
      fc.property(files, seconds, fc.tuple(fc.nat(1_000), fc.nat(2_000)), (names, durations, [turn, budgetSeconds]) => {
        const times = timesOf(names, durations);
        const plan = planOf({ files: names, times, isAlways: never, touched: [], turn, budgetSeconds });
        expect(plan.run.reduce((sum, name) => sum + times[name]!, 0)).toBeLessThanOrEqual(budgetSeconds);
        expect([...plan.run, ...plan.left].toSorted()).toEqual(names.toSorted());
      }),
    );
  });

  test("the plan of a run runs each file within ten commits, where a tenth of all and the longest file fit its budget", () => {
    fc.assert(
      fc.property(files, seconds, fc.nat(1_000), (names, durations, first) => {
        const times = timesOf(names, durations);
        const all = Object.values(times);
        const budgetSeconds = Math.ceil(all.reduce((sum, each) => sum + each, 0) / TURNS) + 2 * Math.max(...all);
        const ran = new Set<string>();
        for (let turn = first; turn < first + TURNS; turn++)
          for (const file of planOf({ files: names, times, isAlways: never, touched: [], turn, budgetSeconds }).run)
            ran.add(file);
        expect(names.filter((name) => !ran.has(name))).toEqual([]);
      }),
    );
  });

  test("the plan of a run takes what is always run whatever the budget, and what is touched before all others", () => {
    const names = ["a", "b", "c", "d"];
    const times = { a: 10, b: 10, c: 10, d: 10 };
    const isAlways = (name: string): boolean => name === "a";
    for (let turn = 0; turn < TURNS; turn++) {
      const plan = planOf({ files: names, times, isAlways, touched: ["d", "c"], turn, budgetSeconds: 25 });
      expect(plan).toMatchObject({ run: ["a", "d"], left: ["b", "c"], touchedLeft: ["c"] });
    }
    expect(planOf({ files: names, times, isAlways, touched: [], turn: 0, budgetSeconds: 0 }).run).toEqual(["a"]);
  });
});
