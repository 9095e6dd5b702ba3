import { expect, test } from "@jest/globals";
import { DEFAULT_OPTIONS, type Retention, SystemContext, wait } from "@tickwheel/core";
import { MemoryWorld } from "@tickwheel/testing";
import { Health } from "@tickwheel/coordination";
import { DbClock } from "../runtime/db-clock.js";
import { PartitionKeeper } from "./housekeeper.js";
import { NodeMeters } from "../counting/node-meters.js";
import { Tallies } from "../counting/tallies.js";

/** A keeper whose store takes 10 ms for a call and has more to forget after each of the first `fullCalls` of them. */
function keeperOf(fullCalls: number) {
  const world = new MemoryWorld(1);
  const { clock, telemetry } = world;
  const { tasks, random } = world.join("n1");
  const calls: number[] = [];
  const store = Object.assign(Object.create(tasks) as typeof tasks, {
    maintain: async (retention: Retention) => {
      calls.push(clock.monotonicMs());
      await wait(clock, 10);
      return { ...(await tasks.maintain(retention)), hasMore: calls.length <= fullCalls };
    },
  });
  const health = new Health(clock, telemetry);
  const dbClock = new DbClock({ clock, health, tasks, resampleMs: 10_000 });
  const home = new SystemContext();
  const context = {
    clock,
    home,
    random,
    tasks: store,
    telemetry,
    health,
    dbClock,
    tallies: new Tallies(),
    meters: new NodeMeters(),
    options: DEFAULT_OPTIONS,
  };
  return { clock, calls, keeper: new PartitionKeeper(context) };
}

test("data past its retention is deleted call by call until none is left, then hourly", async () => {
  const { clock, calls, keeper } = keeperOf(3);
  await keeper.start();
  await clock.advance(3_600_050);
  await keeper.stop();
  expect(calls).toEqual([0, 10, 20, 30, 3_600_040]);
});

test("a stop of the housekeeper waits for no more than the call under way", async () => {
  const { clock, calls, keeper } = keeperOf(Infinity);
  await keeper.start();
  await clock.advance(25);
  const stopped = keeper.stop();
  await clock.advance(1_000);
  await stopped;
  expect(calls).toEqual([0, 10, 20]);
  expect(clock.pendingTimers).toBe(0);
});
