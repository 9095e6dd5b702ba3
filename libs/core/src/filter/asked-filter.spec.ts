import { expect, test } from "@jest/globals";
import { checkAsked } from "./asked-filter.js";

const NOW = Date.UTC(2026, 10, 24, 12);
const MOMENT = { now: NOW };

test("fields of a filter without a line are checked as they are", () => {
  expect(checkAsked({ fields: { state: "dead", createdFrom: "1h" } }, MOMENT)).toEqual({
    filter: { states: ["dead"], createdFrom: NOW - 3_600_000 },
    faults: [],
  });
});

test("the conditions of a filter's line stand beside the fields", () => {
  const { filter } = checkAsked({ fields: { type: "a", not: { tag: "x" } }, line: "key:k* -type:b" }, MOMENT);
  expect(filter).toEqual({ type: ["a"], keyPrefix: "k", not: { tag: ["x"], type: ["b"] } });
});

test("a condition that a filter's line and fields both have must hold as each says it", () => {
  const fields = { type: ["mail.*", "sms"], not: { tag: "x" }, states: ["dead" as const] };
  const { filter, faults } = checkAsked({ fields, line: "type:mail.a,push -tag:y live:false" }, MOMENT);
  expect(filter).toEqual({
    states: ["dead"],
    type: ["mail.*", "sms"],
    live: false,
    not: { tag: ["x"] },
    also: { type: ["mail.a", "push"], not: { tag: ["y"] } },
  });
  expect(faults).toEqual([]);
});

test("each fault of a filter has its field's name, or its place in the line, once", () => {
  const fields = { type: "", error: "e", createdFrom: "1h" };
  const { faults } = checkAsked({ fields, line: 'error:"" keyPrefix:a created:<2020-01-01 x:y' }, MOMENT);
  expect(faults.map(({ path }) => path).toSorted()).toEqual(["q[0..8]", "q[21..40]", "q[41..44]", "q[9..20]", "type"]);
});

test("the ends of a range are compared while the time of reading is not known only where that does not matter", () => {
  const pathsOf = (fields: object, moment: { now: number } | null) =>
    checkAsked({ fields }, moment).faults.map(({ path }) => path);
  const mixed = { createdFrom: "1h", createdTo: "2020-01-01" };
  expect([pathsOf(mixed, null), pathsOf(mixed, MOMENT)]).toEqual([[], ["createdTo"]]);
  const fixed = { dueFrom: 2, dueTo: 1 };
  expect([pathsOf(fixed, null), pathsOf(fixed, MOMENT)]).toEqual([["dueTo"], ["dueTo"]]);
  const unread = { startedFrom: "soon" };
  expect([pathsOf(unread, null), pathsOf(unread, MOMENT)]).toEqual([["startedFrom"], ["startedFrom"]]);
});
