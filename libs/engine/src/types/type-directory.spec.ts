import { expect, test } from "@jest/globals";
import type { TaskStore, TaskType } from "@tickwheel/core";
import type { Health } from "@tickwheel/coordination";
import { ManualClock } from "@tickwheel/testing";
import { TypeDirectory } from "./type-directory.js";

const ORDER = { namespace: "shop", type: "order" };

test("a type that others have made is found at its look-up, for which the list is read once a second at most", async () => {
  const stored: TaskType[] = [];
  let reads = 0;
  const clock = new ManualClock();
  const listTypes = (): Promise<TaskType[]> => {
    reads++;
    return Promise.resolve([...stored]);
  };
  const types = new TypeDirectory({
    ...{ clock, health: {} as Health, executors: [], refreshIntervalMs: 5_000, typeQuota: 1_000 },
    tasks: { listTypes } as unknown as TaskStore,
  });
  const both = [types.lookUp(ORDER), types.lookUp({ ...ORDER, namespace: "other" })];
  expect([await Promise.all(both), reads]).toEqual([[undefined, undefined], 1]);

  stored.push({ id: 7, ...ORDER, delivery: "handler" });
  await clock.advance(999);
  expect([await types.lookUp(ORDER), reads]).toEqual([undefined, 1]);
  await clock.advance(1);
  expect([(await types.lookUp(ORDER))?.id, reads]).toEqual([7, 2]);
  await clock.advance(10_000);
  expect([(await types.lookUp(ORDER))?.id, reads]).toEqual([7, 2]);
});
