import { expect, test } from "@jest/globals";
import type { KnownAnnouncement } from "@tickwheel/schedules";
import { schedulesInForce } from "./code-schedules.js";

const one = (hash: string, firstSeenAt: number, liveForMs: number | null): KnownAnnouncement =>
  ({ namespace: "default", name: "s", application: "shop", hash, firstSeenAt, liveForMs }) as KnownAnnouncement;

const inForce = (announced: readonly KnownAnnouncement[], exists: boolean): string[] =>
  schedulesInForce(announced, () => exists).map(({ hash }) => hash);

test("the text of a schedule that was first seen last is in force where settled nodes announce several", () => {
  expect(inForce([one("old", 1, 90_000), one("new", 2, 30_000)], true)).toEqual(["new"]);
  expect(inForce([one("new", 2, 30_000), one("old", 1, 90_000)], true)).toEqual(["new"]);
});

test("a node that is gone, or has been live for less than 30 s, changes no schedule of the code", () => {
  expect(inForce([one("old", 1, 90_000), one("new", 2, 29_999)], true)).toEqual(["old"]);
  expect(inForce([one("old", 1, 90_000), one("new", 2, null)], true)).toEqual(["old"]);
  expect(inForce([one("new", 2, 29_999)], true)).toEqual([]);
});

test("a roll-back is first seen again only if its text was forgotten: the older text comes back when the newer is gone", () => {
  expect(inForce([one("old", 1, 40_000), one("new", 2, null)], true)).toEqual(["old"]);
});

test("a name without a schedule takes the text that any live node announces, the latest first", () => {
  expect(inForce([one("a", 1, 5), one("b", 2, 5)], false)).toEqual(["b"]);
  expect(inForce([one("a", 1, null)], false)).toEqual([]);
});

test("each name has its own text in force, and each node chooses alike of two texts that were first seen at once", () => {
  const announced = [one("a", 1, 60_000), one("b", 1, 60_000), { ...one("x", 5, 60_000), name: "t" }];
  expect(inForce(announced, true)).toEqual(["b", "x"]);
  expect(inForce(announced.toReversed(), true).toSorted()).toEqual(["b", "x"]);
});
