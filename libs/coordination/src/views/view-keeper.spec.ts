import { describe, expect, test } from "@jest/globals";
import type { View } from "@tickwheel/core";
import { ManualClock, RecordingTelemetry } from "@tickwheel/testing";
import { Health } from "../health/health.js";
import { ViewKeeper } from "./view-keeper.js";

function viewOf(number: number, publishedAt = number): View {
  return { number, term: 1, publishedAt, nodes: [{ bootId: "1", label: "10.0.0.1:1", typeIds: [] }] };
}

/** A keeper whose store shows the views given, one after the other. */
function keeperOf(...readings: (View | null)[]) {
  const clock = new ManualClock();
  const taken: number[] = [];
  const health = new Health(clock, new RecordingTelemetry());
  const store = { readView: async () => readings.shift() ?? null };
  const keeper = new ViewKeeper({ clock, health, store }, ({ publishedAt }) => taken.push(publishedAt));
  const read = async (times: number): Promise<number[]> => {
    for (let time = 0; time < times; time++) await keeper.runOnce();
    return taken;
  };
  return { keeper, read };
}

describe("the keeper of the view", () => {
  test("the keeper of the view takes each newer view once, from any source", async () => {
    const { keeper, read } = keeperOf(viewOf(1), viewOf(2), viewOf(3));
    keeper.accept(viewOf(2));
    expect(await read(3)).toEqual([2, 3]);
    keeper.accept(viewOf(3));
    expect(keeper.number).toBe(3);
  });

  test("the keeper of the view ignores a single reading that is older than the known view", async () => {
    const { keeper, read } = keeperOf(viewOf(1), viewOf(2), viewOf(1));
    keeper.accept(viewOf(2));
    expect(await read(3)).toEqual([2]);
  });

  test("the keeper of the view follows a promoted standby that has lost the last view, then takes the next of the same number", async () => {
    const { keeper, read } = keeperOf(viewOf(1), viewOf(1), viewOf(2, 77));
    keeper.accept(viewOf(2));
    expect(await read(3)).toEqual([2, 1, 77]);
  });

  test("the keeper of the view takes another view of the known number when the store shows it twice", async () => {
    const { keeper, read } = keeperOf(viewOf(2, 77), viewOf(2, 77));
    keeper.accept(viewOf(2));
    expect(await read(2)).toEqual([2, 77]);
  });
});
