import { describe, expect, test } from "@jest/globals";
import { newTaskId, type TaskHint } from "@tickwheel/core";
import { SeededRandom } from "@tickwheel/testing";
import { hasRoom, messageOf, routeHints } from "./hint-routes.js";

const random = new SeededRandom(1);
const hintOf = (slot: number, dueAt = 1_000): TaskHint => ({
  id: newTaskId(0, slot, random),
  typeId: 1,
  version: 1,
  dueAt,
  priority: 5,
});
/** Slot 0 has no owner; node n owns slot n. */
const ownership = { ownerOf: (_: number, slot: number) => (slot === 0 ? null : `${slot}`) };

describe("a hint", () => {
  const nobodys = hintOf(0);
  const first = hintOf(1);
  const second = hintOf(2);
  const again = hintOf(2);
  const hints = [nobodys, first, second, again];

  test("a hint goes to its owner; a node keeps its own hints and those without an owner", () => {
    const routed = routeHints(hints, { ownership, self: "1", horizonAt: 2_000 });
    expect(routed).toEqual({ own: [nobodys, first], others: new Map([["2", [second, again]]]) });
  });

  test("a hint is kept by a node that is no member only if the hint has no owner", () => {
    const { own, others } = routeHints(hints, { ownership, self: null, horizonAt: 2_000 });
    expect([own, [...others.keys()]]).toEqual([[nobodys], ["1", "2"]]);
  });

  test("a hint beyond the horizon is not sent yet", () => {
    const far = [hintOf(0, 2_001), hintOf(2, 2_001)];
    const within = [hintOf(0, 2_000)];
    expect(routeHints([...far, ...within], { ownership, self: "1", horizonAt: 2_000 })).toEqual({
      own: within,
      others: new Map(),
    });
  });
});

test("hints that are too many for one message become a message to load", () => {
  const hints = Array.from({ length: 500 }, () => hintOf(1));
  expect([messageOf(hints), hasRoom(hints)]).toEqual([{ kind: "hints", hints }, true]);
  const more = [...hints, hintOf(1)];
  expect([messageOf(more), hasRoom(more)]).toEqual([{ kind: "load" }, false]);
});
