import { expect, test } from "@jest/globals";
import { ManualClock } from "@tickwheel/testing";
import { LatelySeen } from "./lately-seen.js";

test("an entry that was seen is known for its time, counted from when it was seen last", async () => {
  const clock = new ManualClock();
  const seen = new LatelySeen<number>(clock, { most: 10, forMs: 100 });
  seen.see("a", 1);
  await clock.advance(60);
  seen.see("a", 2);
  await clock.advance(99);
  expect(seen.of("a")).toBe(2);
  await clock.advance(1);
  expect(seen.of("a")).toBeNull();
});

test("the entry that was seen longest ago leaves the memory first, and a forgotten entry is gone", () => {
  const seen = new LatelySeen<number>(new ManualClock(), { most: 2, forMs: 100 });
  seen.see("a", 1);
  seen.see("b", 2);
  seen.see("a", 3);
  seen.see("c", 4);
  expect(["a", "b", "c"].map((hash) => seen.of(hash))).toEqual([3, null, 4]);
  seen.forget("a");
  expect(seen.of("a")).toBeNull();
});
