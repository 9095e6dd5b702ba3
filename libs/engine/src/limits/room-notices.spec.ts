import { expect, test } from "@jest/globals";
import type { ClusterMessage } from "@tickwheel/core";
import { ManualClock } from "@tickwheel/testing";
import { RoomNotices } from "./room-notices.js";

test("a free place is told at once to the nodes that wait alone, and places that get free within 10 ms together", async () => {
  const clock = new ManualClock();
  const sent: [string, ClusterMessage][] = [];
  const coordination = { send: async (to: string, message: ClusterMessage) => sent.push([to, message]) > 0 };
  const notices = new RoomNotices({ clock, coordination, waiting: (limitIds) => (limitIds.includes(7) ? ["2"] : []) });
  const told = (...limitIds: number[]): [string, ClusterMessage] => ["2", { kind: "room", limitIds }];
  notices.add([7]);
  expect(sent).toEqual([told(7)]);
  notices.add([7]);
  notices.add([7, 8]);
  await clock.advance(9);
  expect(sent).toHaveLength(1);
  await clock.advance(1);
  expect(sent).toEqual([told(7), told(7, 8)]);
  notices.add([8]);
  await clock.advance(10);
  expect(sent).toHaveLength(2);
  notices.add([7]);
  notices.stop();
  await clock.advance(10);
  expect(sent).toHaveLength(2);
});
