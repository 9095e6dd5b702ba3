import { expect, test } from "@jest/globals";
import { actorText, markOf, mayRotate, rateText, rightsText, typesWords } from "./key-words.js";

const id = "0199c0de-0000-7000-8000-000000000001";

test.each([
  [{ state: "works", replacedBy: null }, "works", true],
  [{ state: "works", replacedBy: id }, "works, replaced", false],
  [{ state: "ended", replacedBy: id }, "ended", false],
  [{ state: "revoked", replacedBy: null }, "revoked", false],
] as const)("the key %j says %j, and may be rotated: %j", (key, text, may) => {
  expect([markOf(key).text, mayRotate(key)]).toEqual([text, may]);
});

test("the maker of a key is called by name where that is known", () => {
  const names = new Map([[id, "shop"]]);
  expect(["user:vera@example.com", `key:${id}`, "system"].map((actor) => actorText(actor, names))).toEqual([
    "vera@example.com",
    "shop",
    "system",
  ]);
  expect(actorText(`key:${id}`, new Map())).toBe("key …00000001");
});

test.each([
  [0, "–"],
  [0.02, "< 0.1"],
  [1_234.5, "1,234.5"],
])("%d requests a second are told as %j", (perSecondHere, text) => {
  expect(rateText({ perSecondHere })).toBe(text);
});

test("a list shows the first five of a worker's types", () => {
  const types = ["a", "b", "c", "d", "e"];
  expect([typesWords({ types: null }), typesWords({ types })]).toEqual([null, "a, b, c, d, e"]);
  expect(typesWords({ types: [...types, "f", "g"] })).toBe("a, b, c, d, e and 2 more");
});

test("a key's role and rights are told in one text", () => {
  expect(rightsText({ role: "admin", cluster: true, rights: [] })).toBe("admin, cluster");
  expect(rightsText({ role: "viewer", cluster: false, rights: [] })).toBe("viewer");
  expect(rightsText({ role: "operator", cluster: true, rights: ["payload"] })).toBe("operator, cluster, payload");
});
