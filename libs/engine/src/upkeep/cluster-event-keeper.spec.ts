import { expect, test } from "@jest/globals";
import type { ClusterEventDraft, PastEvent } from "@tickwheel/core";
import { Health } from "@tickwheel/coordination";
import { ManualClock, RecordingTelemetry } from "@tickwheel/testing";
import { ClusterEventKeeper, MAX_WAITING_EVENTS } from "./cluster-event-keeper.js";

function keeper() {
  const clock = new ManualClock();
  const telemetry = new RecordingTelemetry();
  const store = { isAway: false, calls: [] as PastEvent[][] };
  const append = async (events: readonly PastEvent[]): Promise<void> => {
    if (store.isAway) throw new Error("away");
    store.calls.push([...events]);
  };
  const events = new ClusterEventKeeper({ clock, telemetry, health: new Health(clock, telemetry) }, { append });
  return { clock, telemetry, store, events };
}

const drained = (lastedMs: number): ClusterEventDraft => ({
  kind: "DRAINED",
  bootId: "1",
  facts: { lastedMs, givenBack: 0 },
});

test("cluster events wait for the next write, which is one statement and says how long ago each event was", async () => {
  const { clock, store, events } = keeper();
  events.add(drained(1));
  await clock.advance(400);
  events.add(drained(2));
  await clock.advance(100);
  expect(store.calls).toEqual([]);
  await events.runOnce();
  await events.runOnce();
  expect(store.calls).toEqual([
    [
      { ...drained(1), agoMs: 500 },
      { ...drained(2), agoMs: 100 },
    ],
  ]);
});

test("a started keeper writes the first cluster event at once, and events that follow within a second together", async () => {
  const { clock, store, events } = keeper();
  await events.start();
  await clock.advance(10_300);
  events.add(drained(1));
  await clock.settle();
  expect(store.calls.map((told) => told.length)).toEqual([1]);
  for (const lastedMs of [2, 3]) events.add(drained(lastedMs));
  await clock.advance(999);
  expect(store.calls.map((told) => told.length)).toEqual([1]);
  await clock.advance(1);
  expect(store.calls.map((told) => told.length)).toEqual([1, 2]);
  await events.stop();
});

test("the newest cluster events wait while the store is away, and the dropped ones are counted", async () => {
  const { store, events, telemetry } = keeper();
  store.isAway = true;
  for (let count = 0; count < MAX_WAITING_EVENTS; count++) events.add(drained(count));
  await expect(events.runOnce()).rejects.toThrow("away");
  for (let count = 0; count < 3; count++) events.add(drained(1_000 + count));
  store.isAway = false;
  await events.runOnce();
  const lasted = store.calls[0]!.map(({ facts }) => (facts as { lastedMs: number }).lastedMs);
  expect([lasted.length, lasted[0], lasted.at(-1)]).toEqual([MAX_WAITING_EVENTS, 3, 1_002]);
  expect(telemetry.named("engine.events.dropped").map(({ facts }) => facts)).toEqual([{ dropped: 3 }]);
});

test("a keeper's last write of cluster events that fails is no fault", async () => {
  const { store, events } = keeper();
  store.isAway = true;
  events.add(drained(1));
  await events.leave();
  store.isAway = false;
  await events.runOnce();
  expect(store.calls).toEqual([]);
});
