import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Pulse } from "@tickwheel/core";
import type { PostgresStores } from "@tickwheel/postgres-store";
import { BatchScenes, LIMITS } from "./batches.scene.js";
import { DeadLetterScenes } from "./dead-letters.scene.js";
import { OperationScenes } from "./operations.scene.js";
import { Scene } from "./postgres-store.scene.js";

const QUIET = {
  ...{ endedTasks: false, lateTasks: false, deadOwners: false, deadTallies: false, batchTallies: false },
  ...{ openBatches: false, dueOperations: false, dueSchedules: false },
};
const REVIEW = { mostMembers: LIMITS.members, limit: 200, after: null };

let scene: Scene;
let stores: PostgresStores;

const pulse = (expiring: number[] = []): Promise<Pulse> => stores.pulse.pulse({ expiring, asksOwners: true });

beforeAll(async () => {
  scene = await Scene.start();
  stores = scene.open();
});
afterAll(() => scene?.stop());

describe("a pulse of Postgres", () => {
  test("tells of nothing where there is nothing", async () => {
    expect(await pulse([1, 2])).toEqual({ ...QUIET, timeline: await stores.tasks.timeline() });
  });

  test("tells of deaths that are tallied until they are folded", async () => {
    const deaths = new DeadLetterScenes(await OperationScenes.open(scene, stores));
    await deaths.died(["no answer"]);
    expect(await pulse()).toMatchObject({ ...QUIET, deadTallies: true });
    await deaths.fold();
    expect(await pulse()).toMatchObject(QUIET);
  });

  test("tells of members' ends until they are folded, and of a batch until no review can change it", async () => {
    const batches = await BatchScenes.open(stores);
    const member = batches.member();
    const { batch } = await batches.make({ isSealed: true }, [member]);
    while (await stores.batches.fold());
    expect(await stores.batches.toReview(REVIEW)).toEqual([{ id: batch.id, isStopping: false, isRetrying: false }]);
    await batches.review(batch.id);
    expect(await pulse()).toMatchObject({ ...QUIET, openBatches: true });
    await batches.succeed([member.id]);
    expect(await pulse()).toMatchObject({ ...QUIET, batchTallies: true, openBatches: true });
    while (await stores.batches.fold());
    expect(await pulse()).toMatchObject({ ...QUIET, openBatches: true });
    await batches.review(batch.id);
    expect((await batches.get(batch.id)).state).toBe("complete");
    expect(await pulse()).toMatchObject(QUIET);
  });

  test("tells of a complete batch that has a deadline to come", async () => {
    const batches = await BatchScenes.open(stores);
    const { batch } = await batches.make({ isSealed: true, deadlineAt: Date.now() + 3_600_000 });
    while (await stores.batches.fold());
    await batches.review(batch.id);
    expect((await batches.get(batch.id)).state).toBe("complete");
    expect((await pulse()).openBatches).toBe(true);
    await (await scene.client()).query("UPDATE tickwheel.batch SET deadline_checked_at = now()");
    expect(await pulse()).toMatchObject(QUIET);
  });

  test("tells of an operation whose page is due within a second, and not of one on hold or of a later page", async () => {
    const its = await OperationScenes.open(scene, stores);
    await its.task();
    const operation = await its.start({ action: "pause" });
    expect(await pulse()).toMatchObject({ ...QUIET, dueOperations: true });
    expect((await stores.operations.due()).ids).toEqual([operation.id]);
    await its.query("UPDATE tickwheel.operation SET next_at = now() + interval '800 milliseconds'");
    expect((await stores.operations.due()).ids).toEqual([]);
    expect((await pulse()).dueOperations).toBe(true);
    await its.query("UPDATE tickwheel.operation SET next_at = now() + interval '1 hour'");
    expect(await pulse()).toMatchObject(QUIET);
    await its.query("UPDATE tickwheel.operation SET next_at = now()");
    await its.change(operation, "hold");
    expect(await pulse()).toMatchObject(QUIET);
    await its.change(operation, "resume");
    await its.carryOut(operation);
    expect(await pulse()).toMatchObject(QUIET);
  });
});
