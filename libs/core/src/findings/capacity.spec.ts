import { describe, expect, test } from "@jest/globals";
import { capacityOf, firstOverCapacity } from "./capacity.js";

const CLUSTER = { places: 300, nodes: 3 };
const bucket = (at: number, due: number) => ({
  at,
  due,
  topType: due > 0 ? "mail" : null,
  topDue: due,
  fromSchedules: 0,
});

describe("the capacity", () => {
  test("the capacity is not known where nothing has run", () => {
    expect(capacityOf({ bestMinute: 0, started: 0, placeMs: 0 }, CLUSTER)).toEqual({
      perSecond: null,
      measured: false,
    });
  });

  test("the capacity is guessed from the places where the cluster was never busy", () => {
    expect(capacityOf({ bestMinute: 3, started: 30, placeMs: 30_000 }, CLUSTER)).toEqual({
      perSecond: 300,
      measured: false,
    });
  });

  test("a guessed capacity has a bound, however short executions are", () => {
    expect(capacityOf({ bestMinute: 3, started: 30, placeMs: 1 }, CLUSTER).perSecond).toBe(3_000);
  });

  test("the capacity is what the best minute reached where that is more", () => {
    expect(capacityOf({ bestMinute: 240_000, started: 240_000, placeMs: 240_000 }, CLUSTER)).toEqual({
      perSecond: 4_000,
      measured: true,
    });
  });
});

describe("the first bucket over the capacity", () => {
  const capacity = { perSecond: 10, measured: true };

  test("the first bucket over the capacity is the first with more than can start in it, and tells how late its last task is", () => {
    const buckets = [bucket(0, 600), bucket(60_000, 900), bucket(120_000, 9_000)];
    expect(firstOverCapacity({ buckets }, capacity, 60_000)).toEqual({
      at: 60_000,
      bucketMs: 60_000,
      due: 900,
      capacity: 600,
      lateMs: 30_000,
      type: "mail",
      typeDue: 900,
    });
  });

  test("the first bucket over the capacity does not exist where all fits, or where the capacity is not known", () => {
    expect(firstOverCapacity({ buckets: [bucket(0, 600)] }, capacity, 60_000)).toBeNull();
    expect(firstOverCapacity({ buckets: [bucket(0, 600)] }, { perSecond: null, measured: false }, 60_000)).toBeNull();
  });
});
