import { expect, test } from "@jest/globals";
import { backfillLookAt } from "./next-look.js";

test("a run that has lasted for any time is looked at again at a whole millisecond", () => {
  for (let ageMs = 0; ageMs < 100_000; ageMs += 777) {
    const live = { dueAt: 1_000, startedAt: null } as never;
    const lookAt = backfillLookAt({ backfill: null } as never, live, 1_000 + ageMs)!;
    expect(Number.isInteger(lookAt)).toBe(true);
    expect(lookAt).toBeGreaterThan(1_000 + ageMs);
  }
});
