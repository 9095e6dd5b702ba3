import { expect, test } from "@jest/globals";
import { TickwheelError } from "@tickwheel/core";
import { LastingLoads } from "./lasting-loads.js";

function takes(loads: LastingLoads, caller: string, session: string | null = null): boolean {
  try {
    loads.take(caller, session);
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

test("a session has its own number at once within its key's, and what is over makes room", () => {
  const loads = new LastingLoads({ perNode: 9, perKey: 4, perSession: 2 });
  expect(["one", "one", "one", "other"].map((session) => takes(loads, "a", session))).toEqual([
    true,
    true,
    false,
    true,
  ]);
  expect([takes(loads, "a"), takes(loads, "a", "third")]).toEqual([true, false]);
  loads.done("a", "one");
  expect([takes(loads, "a", "one"), takes(loads, "b", "one")]).toEqual([true, false]);
});
