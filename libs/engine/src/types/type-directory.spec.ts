import { expect, test } from "@jest/globals";
import type { TaskStore, TaskType } from "@tickwheel/core";
import type { Health } from "@tickwheel/coordination";
import { ManualClock } from "@tickwheel/testing";
import { TypeDirectory } from "./type-directory.js";

const ORDER = { namespace: "shop", type: "order" };

/** A directory over a list of types that others make, and how often it has read it. */
function directory() {
  const stored: TaskType[] = [];
  const counted = { reads: 0 };
  const clock = new ManualClock();
  const listTypes = (): Promise<TaskType[]> => {
    counted.reads++;
    return Promise.resolve([...stored]);
  };
  const types = new TypeDirectory({
    clock,
    health: {} as Health,
    executors: [],
    refreshIntervalMs: 5_000,
    typeQuota: 1_000,
    tasks: { listTypes } as unknown as TaskStore,
  });
  return { clock, counted, stored, types };
}

test("a type that other nodes have made is found at its look-up, for which the list is read once a second at most", async () => {
  const { clock, counted, stored, types } = directory();
  const both = [types.lookUp(ORDER), types.lookUp({ ...ORDER, namespace: "other" })];
  expect([await Promise.all(both), counted.reads]).toEqual([[undefined, undefined], 1]);

  stored.push({ id: 7, ...ORDER, delivery: "handler" });
  await clock.advance(999);
  expect([await types.lookUp(ORDER), counted.reads]).toEqual([undefined, 1]);
  await clock.advance(1);
  expect([(await types.lookUp(ORDER))?.id, counted.reads]).toEqual([7, 2]);
  await clock.advance(10_000);
  expect([(await types.lookUp(ORDER))?.id, counted.reads]).toEqual([7, 2]);
});

test("a type whose number a claim has brought is found at once, however lately the list was read, by one read for all callers", async () => {
  const { counted, stored, types } = directory();
  await types.lookUp(ORDER);
  stored.push({ id: 7, ...ORDER, delivery: "pull" });
  const asked = await Promise.all([types.lookUpId(7), types.lookUpId(7), types.lookUpId(8)]);
  expect([asked.map((type) => type?.id), counted.reads]).toEqual([[7, 7, undefined], 2]);
  expect([(await types.lookUp(ORDER))?.id, counted.reads]).toEqual([7, 2]);
});
