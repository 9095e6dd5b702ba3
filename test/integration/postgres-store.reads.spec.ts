import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { TickwheelError } from "@tickwheel/core";
import { MAX_READS_OF_NAMESPACE, type PostgresStores } from "@tickwheel/postgres-store";
import { create, joinNode, NAMESPACE, newType, Scene } from "./postgres-store.scene.js";

let scene: Scene;
let stores: PostgresStores;

beforeAll(async () => {
  scene = await Scene.start();
  stores = scene.open();
});
afterAll(() => scene?.stop());

/** The code of each refusal; undefined for an answer. */
async function codesOf(reads: readonly Promise<unknown>[]): Promise<(string | undefined)[]> {
  return Promise.all(
    reads.map((read) =>
      read.then(
        () => undefined,
        (error: TickwheelError) => error.code,
      ),
    ),
  );
}

test("hanging reads take no connection from the engine, and reads beyond the limit are refused at once", async () => {
  const typeId = await newType(stores);
  const owner = await joinNode(stores);
  const { id } = await create(stores, { typeId });
  const somebody = await scene.client();
  await somebody.query("BEGIN; LOCK TABLE tickwheel.journal IN ACCESS EXCLUSIVE MODE");
  const request = { namespace: NAMESPACE, id, limit: 200 };
  const readers = Array.from({ length: MAX_READS_OF_NAMESPACE + 20 }, () => stores.tasks.journal(request));
  const codes = codesOf(readers);
  const { tasks } = await stores.tasks.claim({ owner, ids: [id], claimAheadMs: 20 });
  expect(tasks.map((task) => task.id)).toEqual([id]);
  const [settled] = await stores.tasks.settle([
    { ...tasks[0]!, kind: "succeeded", startedAt: tasks[0]!.claimedAt, result: null },
  ]);
  expect(settled?.state).toBe("succeeded");
  await create(stores, { typeId });
  expect((await codes).filter((code) => code === "RATE_LIMITED")).toHaveLength(20);
  expect((await codes).filter((code) => code === "STORE_UNAVAILABLE")).toHaveLength(MAX_READS_OF_NAMESPACE);
  await somebody.query("ROLLBACK");
  expect((await stores.tasks.journal(request))!.entries).toHaveLength(3);
});
