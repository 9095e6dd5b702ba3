import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { FairLine } from "./fair-line.js";

/** `a1x`: the first of caller 1 of namespace a. */
const placeOf = (name: string) => ({ namespace: name[0]!, caller: name[1]! });

function lineOf(names: readonly string[]): FairLine<string> {
  const line = new FairLine<string>();
  for (const name of names) line.add(placeOf(name), name);
  return line;
}

function allOf(line: FairLine<string>): string[] {
  const taken: string[] = [];
  for (let item = line.take(); item !== undefined; item = line.take()) taken.push(item);
  return taken;
}

test("namespaces take turns, and within a namespace its callers, each in the order of arrival", () => {
  const names = ["a1x", "a1y", "a1z", "a2x", "a2y", "b1x", "b1y", "c1x"];
  expect(allOf(lineOf(names))).toEqual(["a1x", "b1x", "c1x", "a2x", "b1y", "a1y", "a2y", "a1z"]);
});

test("a caller that has left the line is passed over, and one that was never in it changes nothing", () => {
  const line = lineOf(["a1x", "a2x", "b1x"]);
  for (const name of ["a1x", "b1x", "d1x", "a2q"]) line.remove(placeOf(name), name);
  expect(allOf(line)).toEqual(["a2x"]);
  line.add(placeOf("b1x"), "b1x");
  expect(allOf(line)).toEqual(["b1x"]);
});

test("no namespace and no caller of one gets two turns between two of another that waits", () => {
  const name = fc.tuple(fc.constantFrom("a", "b", "c"), fc.constantFrom("1", "2", "3")).map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.array(name, { maxLength: 40 }), (names) => {
      const taken = allOf(lineOf(names));
      expect([...taken].sort()).toEqual([...names].sort());
      requireTurns(taken.map((item) => item[0]!));
      for (const namespace of "abc") requireTurns(taken.filter((item) => item.startsWith(namespace)));
    }),
  );
});

/** Each round serves everybody who has something left, once. */
function requireTurns(taken: readonly string[]): void {
  const served = new Map<string, number>();
  taken.forEach((who, place) => {
    const rounds = served.get(who) ?? 0;
    for (const other of taken.slice(place)) expect(served.get(other) ?? 0).toBeGreaterThanOrEqual(rounds);
    served.set(who, rounds + 1);
  });
}
