import { describe, expect, test } from "@jest/globals";
import { Health } from "@tickwheel/coordination";
import { noLateness, type TallyRequest, TickwheelError } from "@tickwheel/core";
import { ManualClock, RecordingTelemetry, SeededRandom } from "@tickwheel/testing";
import { NodeMeters } from "./node-meters.js";
import { Tallies } from "./tallies.js";
import { TallyKeeper } from "../upkeep/tally-keeper.js";

const task = (typeId: number, dueAt = 1_000) => ({ typeId, dueAt, createdAt: 0 });

describe("Tallies", () => {
  test("Tallies count by type, and lateness by buckets with its largest", () => {
    const tallies = new Tallies();
    tallies.created(1);
    tallies.started(task(1), 1_003, { ...noLateness(), start: 3 });
    tallies.started(task(1), 1_003, { ...noLateness(), wheel: 2, start: 1 });
    tallies.started(task(1), 1_100, { known: 10, wheel: 20, place: 30, claim: 39, start: 1 });
    tallies.succeeded(1, 61_200);
    tallies.skipped(1, 60_000);
    tallies.failed(2, false, "Error: first\n at x");
    tallies.failed(2, true, `Error: ${"😀".repeat(300)}`);
    tallies.held(1, 1_499.6);
    tallies.cancelled(2, 61_998);
    const { tallies: told } = tallies.take(61_999);
    expect(told).toEqual([
      {
        at: 61_000,
        typeId: 1,
        created: 1,
        started: 3,
        failed: 0,
        dead: 0,
        succeeded: 2,
        skipped: 1,
        cancelled: 0,
        latestMs: 100,
        latenessMs: [3, 104],
        latenessCounts: [2, 1],
        latenessPartsMs: { known: 10, wheel: 22, place: 30, claim: 39, start: 5 },
        placeMs: 1_500,
        lastError: null,
      },
      {
        at: 61_000,
        typeId: 2,
        created: 0,
        started: 0,
        failed: 2,
        dead: 1,
        succeeded: 0,
        skipped: 0,
        cancelled: 1,
        latestMs: null,
        latenessMs: [],
        latenessCounts: [],
        latenessPartsMs: noLateness(),
        placeMs: 0,
        lastError: `Error: ${"😀".repeat(96)}…`,
      },
    ]);
    expect(tallies.take(62_000)).toEqual({ tallies: [], doubts: [] });
  });

  test("tallies that are taken are added to what the node has counted since it was made", () => {
    const meters = new NodeMeters();
    const tallies = new Tallies(meters);
    for (const at of [1_000, 2_000]) {
      tallies.started(task(1), 1_003, { ...noLateness(), place: 3 });
      tallies.ran(1, 250);
      tallies.failed(1, at === 2_000, "no");
      tallies.take(at);
    }
    const readings = meters.read(() => ({ namespace: "default", type: "a" }));
    const valueOf = (name: string): unknown => readings.find((one) => one.name === name)?.samples[0]?.value;
    expect(valueOf("tickwheel_task_failures_total")).toBe(2);
    expect(valueOf("tickwheel_task_retries_total")).toBe(1);
    expect(valueOf("tickwheel_tasks_dead_total")).toBe(1);
    expect(valueOf("tickwheel_task_lateness_seconds")).toMatchObject({ sum: 0.006 });
    expect(valueOf("tickwheel_task_run_seconds")).toMatchObject({ sum: 0.5 });
  });

  test("an end counts in the tallies for the minute that its row tells, however late its reply comes", () => {
    const meters = new NodeMeters();
    const tallies = new Tallies(meters);
    tallies.succeeded(1, 59_999);
    tallies.skipped(1, 58_000);
    tallies.cancelled(1, 120_001);
    tallies.created(1);
    const told = tallies.take(181_500).tallies.map(({ at, created, succeeded, skipped, cancelled }) => {
      return [at, created, succeeded, skipped, cancelled];
    });
    expect(told).toEqual([
      [181_000, 1, 0, 0, 0],
      [120_000, 0, 0, 0, 1],
      [59_000, 0, 2, 1, 0],
    ]);
    const succeeded = meters
      .read(() => ({ namespace: "default", type: "a" }))
      .find(({ name }) => /succeeded/.test(name));
    expect(succeeded?.samples.map(({ value }) => value)).toEqual([2]);
    expect(tallies.take(182_000).tallies).toEqual([]);
  });

  test("a doubt about tallies covers all minutes since the write was sent first, of two hours at most", () => {
    const tallies = new Tallies();
    tallies.doubt(121_000, 239_500);
    expect(tallies.take(0).doubts).toEqual([240_000, 180_000, 120_000]);
    tallies.doubt(120_999, 121_000);
    expect(tallies.take(0).doubts).toEqual([120_000, 60_000]);
    tallies.doubt(0, 86_400_000);
    expect(tallies.take(0).doubts).toHaveLength(120);
  });
});

function keeper() {
  const clock = new ManualClock();
  const told: TallyRequest[] = [];
  const store = { isAway: false };
  const tallies = new Tallies();
  const context = {
    clock,
    health: new Health(clock, new RecordingTelemetry()),
    random: new SeededRandom(1),
    dbClock: { nowMs: () => 600_000 + clock.monotonicMs() },
    tasks: {
      tally: (request: TallyRequest) => {
        told.push(request);
        return store.isAway ? Promise.reject(new TickwheelError("STORE_UNAVAILABLE", "away")) : Promise.resolve();
      },
    },
    tallies,
  };
  return { clock, told, store, tallies, keeper: new TallyKeeper(context as never, "10.0.0.1:1", () => []) };
}

describe("TallyKeeper", () => {
  test("TallyKeeper writes once a second what happened, and every ten seconds that it is alive", async () => {
    const { clock, told, tallies, keeper: service } = keeper();
    await service.start();
    await clock.advance(500);
    tallies.succeeded(3, 600_500);
    await clock.advance(30_000);
    await service.stop();
    expect(told.flatMap((request) => request.tallies.map(({ succeeded }) => succeeded))).toEqual([1]);
    expect(told.length).toBeGreaterThanOrEqual(3);
    expect(told.length).toBeLessThanOrEqual(5);
  });

  test("TallyKeeper never sends twice what was not acknowledged: its minute stays in doubt until the doubt is acknowledged", async () => {
    const { clock, told, store, tallies, keeper: service } = keeper();
    store.isAway = true;
    tallies.succeeded(3, 600_000);
    await service.start();
    await clock.advance(2_000);
    store.isAway = false;
    await clock.advance(2_000);
    await service.stop();
    const numbers = told.map(({ tallies: sent, doubts }) => [sent.length, ...doubts]);
    expect(numbers[0]).toEqual([1]);
    expect(numbers.slice(1).every(([sent]) => sent === 0)).toBe(true);
    expect(numbers.at(-1)).toEqual([0, 600_000]);
  });

  test("TallyKeeper writes the rest and its end when it leaves", async () => {
    const { told, tallies, keeper: service } = keeper();
    tallies.cancelled(3, 600_000);
    await service.leave();
    expect(told.map(({ isLast, tallies: sent }) => [isLast, sent.length])).toEqual([[true, 1]]);
  });
});
