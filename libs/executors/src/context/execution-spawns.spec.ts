import { describe, expect, test } from "@jest/globals";
import { type ClaimedTask, jsonTextOf, MAX_SPAWNED, type NewTask, TickwheelError } from "@tickwheel/core";
import { ExecutionSpawns, type SpawnDrafts, type SpawnedTask } from "./execution-spawns.js";

/** Drafts that keep what they are made of. */
const drafts: SpawnDrafts = async (_execution, tasks) =>
  tasks.map(({ payload, ...fields }) => {
    const given = { key: null, onConflict: "reject", ...fields };
    return { ...given, payload: jsonTextOf((payload ?? null) as never) } as unknown as NewTask;
  });

const execution = { task: {} as ClaimedTask } as never;
const some = (count: number, payload: unknown = null): SpawnedTask[] =>
  Array.from({ length: count }, () => ({ task: "child", payload }));

async function faultOf(work: Promise<void>): Promise<TickwheelError> {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(TickwheelError);
  return error as TickwheelError;
}

describe("ctx.spawn", () => {
  test("ctx.spawn gathers what several calls spawn, and nothing where none was made", async () => {
    const spawns = new ExecutionSpawns(execution, drafts);
    expect(spawns.tasks).toBeUndefined();
    await spawns.add([]);
    expect(spawns.tasks).toBeUndefined();
    await spawns.add(some(2));
    await spawns.add(some(1, { n: 3 }));
    expect(spawns.tasks!.map(({ payload }) => payload)).toEqual(["null", "null", '{"n":3}']);
  });

  test(`ctx.spawn takes ${MAX_SPAWNED} tasks and a megabyte, and refuses a call beyond that as a whole`, async () => {
    const spawns = new ExecutionSpawns(execution, drafts);
    await spawns.add(some(MAX_SPAWNED - 1));
    expect((await faultOf(spawns.add(some(2)))).code).toBe("VALIDATION_FAILED");
    await spawns.add(some(1));
    expect(spawns.tasks).toHaveLength(MAX_SPAWNED);
    const large = new ExecutionSpawns(execution, drafts);
    await large.add(some(10, "x".repeat(100_000)));
    expect((await faultOf(large.add(some(1, "x".repeat(100_000))))).code).toBe("VALIDATION_FAILED");
    expect(large.tasks).toHaveLength(10);
  });

  test("ctx.spawn names every task with a key or a policy for a key", async () => {
    const spawns = new ExecutionSpawns(execution, drafts);
    const tasks = [{ task: "child", key: "k" }, { task: "child" }, { task: "child", key: "k", onConflict: "return" }];
    const { faults } = await faultOf(spawns.add(tasks as SpawnedTask[]));
    expect(faults!.map(({ path }) => path)).toEqual(["tasks[0].key", "tasks[2].key", "tasks[2].onConflict"]);
    expect(spawns.tasks).toBeUndefined();
  });

  test("ctx.spawn needs a list, and a node that makes tasks", async () => {
    expect((await faultOf(new ExecutionSpawns(execution, drafts).add(null as never))).code).toBe("VALIDATION_FAILED");
    expect((await faultOf(new ExecutionSpawns(execution, null).add(some(1)))).code).toBe("VALIDATION_FAILED");
  });
});
