import { expect, test } from "@jest/globals";
import { ManualClock } from "@tickwheel/testing";
import { PageBudget } from "./page-budget.js";

const MEBIBYTE = 1024 * 1024;

function budgeted() {
  const clock = new ManualClock();
  const budget = new PageBudget(clock);
  /** How many answers of so many bytes an address gets; `isKept`: none of them ends. */
  const taken = (address: string, count: number, { bytes = 0, isKept = false } = {}): number => {
    let some = 0;
    for (let answer = 0; answer < count; answer++) {
      try {
        budget.take(address, bytes);
        some++;
        if (!isKept) budget.done(address);
      } catch (error) {
        expect(error).toMatchObject({ code: "RATE_LIMITED" });
      }
    }
    return some;
  };
  return { clock, budget, taken };
}

test("an address has sixteen pages' answers at once, all together a hundred and twenty-eight, and more as they end", () => {
  const { budget, taken } = budgeted();
  const addresses = Array.from({ length: 9 }, (_, index) => `10.0.0.${index}`);
  expect(addresses.map((address) => taken(address, 20, { isKept: true }))).toEqual([...Array(8).fill(16), 0]);
  budget.done("10.0.0.0");
  expect(taken("10.0.0.8", 2, { isKept: true })).toBe(1);
});

test("an address reads twenty mebibytes of pages in ten seconds, all together eighty, and as many in the next ten", async () => {
  const { clock, taken } = budgeted();
  const read = (address: string): number => taken(address, 30, { bytes: MEBIBYTE });
  expect(["a", "b", "c", "d", "e"].map(read)).toEqual([20, 20, 20, 20, 0]);
  await clock.advance(9_000);
  expect(taken("e", 1)).toBe(0);
  await clock.advance(1_000);
  expect(read("e")).toBe(20);
});

test("short answers with pages are bounded, too, and a page that is loaded now and then never meets a bound", async () => {
  const { clock, taken } = budgeted();
  expect(taken("a", 10_000)).toBe(1_280);
  for (let load = 0; load < 20; load++) {
    expect(taken("b", 7, { bytes: 100_000, isKept: false })).toBe(7);
    await clock.advance(1_000);
  }
});
