import { expect, test } from "@jest/globals";
import { TickwheelError } from "@tickwheel/core";
import { type LastingCaller, LastingLoads } from "./lasting-loads.js";

/** Unless `more` gives a namespace, it has the key's name. */
function takes(loads: LastingLoads, key: string, more: Partial<LastingCaller> = {}): boolean {
  try {
    loads.take(callerOf(key, more));
    return true;
  } catch (error) {
    expect((error as TickwheelError).code).toBe("RATE_LIMITED");
    return false;
  }
}

const callerOf = (key: string, more: Partial<LastingCaller> = {}): LastingCaller => ({
  namespace: key,
  key,
  session: null,
  ...more,
});

test("a key has its own number of lasting loads at once, all keys together theirs, and a load that is over makes room", () => {
  const loads = new LastingLoads({ perNode: 3, perKey: 2 });
  expect(["a", "a", "a", "b", "c"].map((caller) => takes(loads, caller))).toEqual([true, true, false, true, false]);
  loads.done(callerOf("a"));
  expect(["c", "a"].map((caller) => takes(loads, caller))).toEqual([true, false]);
});

test("a session has its own number of lasting loads at once within its key's, and a load that is over makes room", () => {
  const loads = new LastingLoads({ perNode: 9, perKey: 4, perSession: 2 });
  const taken = ["one", "one", "one", "other"].map((session) => takes(loads, "a", { session }));
  expect(taken).toEqual([true, true, false, true]);
  expect([takes(loads, "a"), takes(loads, "a", { session: "third" })]).toEqual([true, false]);
  loads.done(callerOf("a", { session: "one" }));
  expect([takes(loads, "a", { session: "one" }), takes(loads, "b", { session: "one" })]).toEqual([true, false]);
});

test("a namespace leaves places to others, however many keys it has, and a namespace without any takes the last", () => {
  const loads = new LastingLoads({ perNode: 100, perKey: 3 });
  const takenBy = (namespace: string): number =>
    Array.from({ length: 100 }, (_, key) => takes(loads, `${namespace} ${key}`, { namespace })).filter(Boolean).length;
  expect(takenBy("many")).toBe(80);
  expect(["second", "third", "fourth"].map(takenBy)).toEqual([16, 3, 1]);
  expect(takes(loads, "late")).toBe(false);
  loads.done(callerOf("many 0", { namespace: "many" }));
  expect([takes(loads, "many 0", { namespace: "many" }), takes(loads, "late")]).toEqual([false, true]);
});
