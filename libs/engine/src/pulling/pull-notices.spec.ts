import { beforeEach, expect, test } from "@jest/globals";
import type { ClusterMessage, TypeId } from "@tickwheel/core";
import { ManualClock } from "@tickwheel/testing";
import { PullNotices } from "./pull-notices.js";

const RESIZE = 1;
const EXPORT = 2;

let clock: ManualClock;
let notices: PullNotices;
let sent: ClusterMessage[];
let due: [TypeId, number][];
let waiting: TypeId[];

beforeEach(() => {
  clock = new ManualClock();
  [sent, due, waiting] = [[], [], []];
  notices = new PullNotices({
    clock,
    coordination: { send: (_to, message) => (sent.push(message), Promise.resolve(true)) },
    waiting: () => waiting,
    due: (typeId, dueAt) => void due.push([typeId, dueAt]),
  });
});

function publish(...given: [typeId: TypeId, dueAt: number][]): void {
  notices.publish(given.map(([typeId, dueAt]) => ({ id: "a", version: 1, priority: 5, slot: 0, typeId, dueAt })));
}

test("a node tells at once that calls wait for a type, then each second what waits by then, and no more once none does", async () => {
  waiting = [RESIZE];
  notices.waitingChanged();
  notices.waitingChanged();
  expect(sent).toEqual([{ kind: "waiting", typeIds: [RESIZE] }]);
  waiting = [RESIZE, EXPORT];
  notices.waitingChanged();
  await clock.advance(1_000);
  expect(sent.slice(1)).toEqual([{ kind: "waiting", typeIds: [RESIZE, EXPORT] }]);
  waiting = [];
  notices.waitingChanged();
  await clock.advance(5_000);
  expect([sent.length, clock.pendingTimers]).toEqual([2, 0]);
});

test("a node with calls for more types than a message has room for says that any may be waited for", () => {
  waiting = Array.from({ length: 101 }, (_, place) => place);
  notices.waitingChanged();
  expect(sent).toEqual([{ kind: "waiting", typeIds: "any" }]);
});

test("a due task is told to this node's own calls always, and to other nodes only where they wait for its type", async () => {
  publish([RESIZE, 5]);
  expect([due, sent]).toEqual([[[RESIZE, 5]], []]);
  notices.receive({ kind: "waiting", typeIds: [RESIZE] });
  publish([RESIZE, 6], [EXPORT, 7]);
  await clock.advance(10);
  expect(sent).toEqual([{ kind: "pull", typeIds: [RESIZE], dueAt: 6 }]);
});

test("a node that has not said for 3 s that it waits is told of no due task", async () => {
  notices.receive({ kind: "waiting", typeIds: [RESIZE] });
  await clock.advance(2_999);
  publish([RESIZE, 1]);
  expect(sent).toHaveLength(1);
  await clock.advance(1);
  publish([RESIZE, 2]);
  await clock.advance(100);
  expect(sent).toHaveLength(1);
});

test("a node that waits for any type is told of each", () => {
  notices.receive({ kind: "waiting", typeIds: "any" });
  publish([EXPORT, 9]);
  expect(sent).toEqual([{ kind: "pull", typeIds: [EXPORT], dueAt: 9 }]);
});

test("a task that is due within 10 ms of a message is told by one more message, with the earliest time", async () => {
  notices.receive({ kind: "waiting", typeIds: [RESIZE, EXPORT] });
  publish([RESIZE, 100]);
  publish([RESIZE, 300]);
  publish([EXPORT, 200]);
  publish([RESIZE, 250]);
  await clock.advance(9);
  expect(sent).toEqual([{ kind: "pull", typeIds: [RESIZE], dueAt: 100 }]);
  await clock.advance(1);
  expect(sent.slice(1)).toEqual([{ kind: "pull", typeIds: [RESIZE, EXPORT], dueAt: 200 }]);
});

test("a message about due tasks reaches this node's calls for each of its types", () => {
  notices.receive({ kind: "pull", typeIds: [RESIZE, EXPORT], dueAt: 4 });
  expect(due).toEqual([
    [RESIZE, 4],
    [EXPORT, 4],
  ]);
});

test("a node that stops sends no more notices, and has forgotten which nodes wait", async () => {
  waiting = [RESIZE];
  notices.waitingChanged();
  notices.receive({ kind: "waiting", typeIds: [RESIZE] });
  publish([RESIZE, 1]);
  publish([RESIZE, 2]);
  notices.stop();
  const before = sent.length;
  publish([RESIZE, 3]);
  await clock.advance(5_000);
  expect([sent.length - before, clock.pendingTimers]).toEqual([0, 0]);
});
