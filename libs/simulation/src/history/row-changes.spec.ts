import { expect, test } from "@jest/globals";
import { newTaskId, type NewTask, JSON_NULL } from "@tickwheel/core";
import { MemoryWorld } from "@tickwheel/testing";
import { rowChangesOf } from "./row-changes.js";
import { checkHistory } from "../rules/check-history.js";

const OWNER = "101";

/** The log of one keyed task that is claimed, fails, is claimed again, reaped, claimed again and succeeds. */
async function storyOf(world: MemoryWorld): Promise<string> {
  const { tasks, cluster } = world.join("n1");
  const type = await tasks.ensureType({ namespace: "n", type: "t", delivery: "handler" });
  await cluster.join({ bootId: OWNER, label: "n1", version: "1", roles: [], typeIds: [type.id] });
  const task: NewTask = {
    id: newTaskId(world.database.now(), 1, world.join("n2").random),
    typeId: type.id,
    key: "k",
    payload: JSON_NULL,
    due: { delayMs: 100 },
    startDeadlineMs: null,
    onConflict: "reject",
    priority: 5,
    maxAttempts: 3,
    timeoutMs: 1_000,
    backoff: { kind: "fixed", delayMs: 0 },
    delivery: null,
    actor: "test",
  };
  await tasks.create({ namespace: "n", tasks: [task] });
  await world.clock.advance(100);
  const claim = async () => (await tasks.claim({ owner: OWNER, ids: [task.id], claimAheadMs: 0 })).tasks[0]!;
  const startedAt = world.database.now();
  await tasks.settle([{ ...(await claim()), startedAt, kind: "retry", delayMs: 0, error: "e" }]);
  await tasks.release([{ ...(await claim()), reason: "DRAIN" }]);
  const last = await claim();
  await world.database.transaction(async (within) => {
    await world.clock.advance(30);
    await tasks.completeWithin({ ...last, startedAt, result: null }, within);
    await world.clock.advance(5);
  });
  return task.id;
}

test("a memory database's log tells each change with its statement, its execution and the instant of its commit", async () => {
  const world = new MemoryWorld(1);
  const id = await storyOf(world);
  const changes = rowChangesOf(world.database.log);
  expect(changes.map(({ statement, execution }) => [statement, execution?.fence ?? null])).toEqual([
    ["create", null],
    ["claim", null],
    ["settle", 1],
    ["claim", null],
    ["release", 3],
    ["claim", null],
    ["completeWithin", 5],
  ]);
  expect(changes.map(({ after }) => after?.id)).toEqual(changes.map(() => id));
  const commits = changes.map(({ commit }) => commit!);
  expect(commits).toEqual([...new Set(commits)].toSorted((one, other) => one - other));
  expect(changes.map(({ monoMs }) => monoMs)).toEqual([0, 100, 100, 100, 100, 100, 135]);
  expect(changes.at(-1)!.at).toBe(world.database.now());
});

test("the memory store breaks no rule of the history, but that nobody has watched its handlers", async () => {
  const world = new MemoryWorld(1);
  await storyOf(world);
  const violations = checkHistory({ events: rowChangesOf(world.database.log) });
  expect(violations.map(({ rule }) => rule)).toEqual(["ended-has-started"]);
});
