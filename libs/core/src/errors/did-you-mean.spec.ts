import { expect, test } from "@jest/globals";
import { closestTo, suggestion } from "./did-you-mean.js";

const KNOWN = ["type", "priorityFrom", "id"];

test("a name is meant that is like what was written, whatever the case, and no other", () => {
  const written = ["typ", "TYPE", "tyype", "prioritFrom", "ib", "t", "order", "", "x".repeat(100_000)];
  expect(written.map((name) => closestTo(name, KNOWN))).toEqual([
    ...["type", "type", "type", "priorityFrom", undefined, undefined, undefined, undefined, undefined],
  ]);
});

test("what was meant is told behind what is wrong, or nothing", () => {
  expect([suggestion("typ", KNOWN), suggestion("order", KNOWN)]).toEqual(['; did you mean "type"?', ""]);
});
