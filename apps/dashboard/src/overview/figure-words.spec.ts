import { expect, test } from "@jest/globals";
import type { Cluster, History, TypeFigures } from "../api/wire.js";
import { failedNote, overdueNote, placesOf } from "./figure-words.js";
import { blockedWords } from "../nodes/node-words.js";

const node = (name: string, [inFlight, places]: readonly [number | null, number], state = "live") => ({
  name,
  label: name,
  bootId: name,
  joinedAt: "2026-11-21T03:00:00.000Z",
  inFlight,
  places,
  state,
});
const cluster = (...nodes: ReturnType<typeof node>[]): Cluster => ({ nodes }) as unknown as Cluster;
const type = (name: string, overdue: number, waitsFor: string | null = null) =>
  ({ type: name, overdue, waitsFor }) as TypeFigures;

test("the places of the overview are those of all nodes that have any, the busiest named", () => {
  const nodes = [node("a", [10, 100]), node("b", [64, 100]), node("gone", [5, 100], "dead"), node("api", [null, 0])];
  expect(placesOf(cluster(...nodes), null)).toEqual({ used: "74", of: "of 200", note: "37 %: b 64, a 10" });
});

test("a user who may not see the nodes gets the mean of the places in the last whole minute", () => {
  const history = { buckets: [{ places: 1.5 }, { places: 9 }] } as unknown as History;
  expect(placesOf(null, history)).toMatchObject({ used: "1.5", of: "last minute" });
  expect(placesOf(null, null).used).toBe("–");
});

test("overdue tasks are told by their type, with a reason that holds for all of them", () => {
  expect(overdueNote([type("a", 0)])).toBe("nothing waits");
  expect(overdueNote([type("a", 3, "HANDLER"), type("b", 0)])).toBe("all a, no node runs it");
  expect(overdueNote([type("a", 3), type("b", 9)])).toBe("most are b");
});

test("a blocked loop says for how long and by what", () => {
  expect(blockedWords({ forMs: 14_000, running: [{ type: "report", count: 2 }], lastStarted: null })).toBe(
    "Its loop is blocked for 14 s by report × 2.",
  );
  expect(blockedWords({ forMs: 2_000, running: [], lastStarted: null })).toContain("no handler runs");
});

test("failed attempts are told with their share and the last hour", () => {
  expect(failedNote({ failed: 15, started: 938, failedInHour: 40 })).toBe("1.6 % of the starts, 40 in the last hour");
  expect(failedNote({ failed: 0, started: 9, failedInHour: 0 })).toBe("0 in the last hour");
  expect(failedNote({ failed: 3, started: 0, failedInHour: undefined })).toBe("");
});
