import { expect, test } from "@jest/globals";
import { cured, faultsOf } from "./line-cures.js";

const moment = { now: Date.parse("2026-11-24T12:00:00Z") };

test.each([
  ["typ:mail", "is not a field of a filter", "type:mail"],
  ["-TAG:vip", "is not a field of a filter", "-tag:vip"],
  ["payload.id:4", "is not a field of a filter", null],
  ["order-1", 'has "order-1" without a field before it, such as "key:order-1"', "key:order-1"],
  ["type:", "must be 1 to 128 characters", null],
  ['error:"Http', "has a quotation mark that is never closed", null],
  ["created:1h", 'must be a range, such as "<24h", ">2026-11-24" or "06:00..07:00"', null],
  ["-state:dead", "cannot be negated", null],
])("the line %s is a fault: %s", (line, message, instead) => {
  expect(faultsOf(line, moment)).toEqual([{ from: 0, to: line.length, message, instead }]);
});

test.each([
  ["state:ded", "state:dead"],
  ["state:dead,expird,paused", "state:dead,expired,paused"],
  ["-reason:REQUESTD", "-reason:REQUESTED"],
])("the line %s may mean %s", (line, instead) => {
  expect(faultsOf(line, moment).map((fault) => fault.instead)).toEqual([instead]);
});

test("the faults of a filter line are all told with their places, and are put right where they stand", () => {
  const line = "typ:a key:k tga:b";
  const faults = faultsOf(line, moment);
  expect(faults.map(({ from, to }) => line.slice(from, to))).toEqual(["typ:a", "tga:b"]);
  expect(cured(line, faults[1]!)).toBe("typ:a key:k tag:b");
});

test("a condition that is said twice in a filter line can be left out", () => {
  const [fault] = faultsOf("key:a key:b", moment);
  expect(fault).toEqual({ from: 6, to: 11, message: "is said twice", instead: "" });
  expect(cured("key:a key:b", fault!)).toBe("key:a");
});
