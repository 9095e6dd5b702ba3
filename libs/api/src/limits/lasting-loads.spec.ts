import { expect, test } from "@jest/globals";
import { TickwheelError } from "@tickwheel/core";
import { LastingLoads } from "./lasting-loads.js";

function takes(loads: LastingLoads, caller: string): boolean {
  try {
    loads.take(caller);
    return true;
  } catch (error) {
    expect((error as TickwheelError).code).toBe("RATE_LIMITED");
    return false;
  }
}

test("a key has its own number at once, all keys together theirs, and what is over makes room", () => {
  const loads = new LastingLoads({ perNode: 3, perKey: 2 });
  expect(["a", "a", "a", "b", "c"].map((caller) => takes(loads, caller))).toEqual([true, true, false, true, false]);
  loads.done("a");
  expect(["c", "a"].map((caller) => takes(loads, caller))).toEqual([true, false]);
});
