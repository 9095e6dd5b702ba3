import { expect, test } from "@jest/globals";
import { closestTo, suggestion, withoutSuggestion } from "./did-you-mean.js";

const KNOWN = ["type", "priorityFrom", "id"];
const SHORT = ["tag", "key"];

test("the name that is like what was written is meant, whatever the case, and no other", () => {
  const written = ["typ", "TYPE", "tyype", "prioritFrom", "ib", "t", "order", "", "x".repeat(100_000)];
  expect(written.map((name) => closestTo(name, KNOWN))).toEqual([
    "type",
    "type",
    "type",
    "priorityFrom",
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test("two letters of a name that are swapped are one slip", () => {
  expect([closestTo("tga", SHORT), closestTo("kye", SHORT), closestTo("gat", SHORT)]).toEqual([
    "tag",
    "key",
    undefined,
  ]);
});

test("the name that was meant is told behind the fault, or nothing is", () => {
  expect([suggestion("typ", KNOWN), suggestion("order", KNOWN)]).toEqual(['; did you mean "type"?', ""]);
});

test("a message is told apart from the name that it suggests", () => {
  expect(withoutSuggestion(`is no field${suggestion("typ", KNOWN)}`)).toEqual({
    message: "is no field",
    meant: "type",
  });
  expect(withoutSuggestion(`is no field${suggestion("order", KNOWN)}`)).toEqual({
    message: "is no field",
    meant: null,
  });
});
