import { expect, test } from "@jest/globals";
import { startForSpec } from "../support/start-for-spec.js";
import { OperationScenes, startOperations } from "./operations.scene.js";
import { UndoScenes } from "./operations.undo.scene.js";

const PAGE = 500;
/** Tasks whose keys somebody is about to take, and one whose batch somebody holds. */
const TAKEN = 3;

let operations: OperationScenes;

startForSpec(startOperations, (its) => ({ operations } = its));

/** Cancelled tasks with keys; the last one belongs to a batch. */
async function cancelled(its: OperationScenes): Promise<{ ids: string[]; batchId: string }> {
  const ids: string[] = [];
  for (let made = 0; made < PAGE; made++) ids.push((await its.task({ key: `k${made}` })).id);
  const batchId = await new UndoScenes(its).intoBatch(ids.slice(-1));
  await its.query("SELECT pg_sleep(0.002)");
  expect(await its.run({ action: "cancel" })).toMatchObject({ changed: PAGE });
  return { ids, batchId };
}

test("keys and locks of others in the way of an operation's page cost only their own tasks, in its undo too", async () => {
  const its = await operations.another();
  const scenes = new UndoScenes(its);
  const { ids, batchId } = await cancelled(its);
  const taken = ids.slice(0, TAKEN);
  const held = ids.at(-1)!;

  const other = await its.begin();
  for (const id of taken) await scenes.takeKey(other, id);
  await other.query("SELECT FROM tickwheel.batch WHERE id = $1 FOR UPDATE", [batchId]);
  const retry = await its.start({ action: "retry", filter: { type: its.type, states: ["cancelled"] } });
  const page = (await its.page(retry, PAGE))!;
  expect(page.operation).toMatchObject({ found: PAGE, changed: PAGE - TAKEN - 1, passed: {} });
  const [left] = await its.query("SELECT locked_ids::text[] AS ids FROM tickwheel.operation WHERE id = $1", [retry.id]);
  expect((left!.ids as string[]).toSorted()).toEqual([...taken, held].toSorted());
  await other.query("COMMIT");
  expect(await its.carryOut(retry, PAGE)).toMatchObject({
    state: "done",
    changed: PAGE - TAKEN,
    passed: { KEY_TAKEN: TAKEN },
  });
  const changed = ids.slice(TAKEN);
  expect((await its.remembered(retry)).toSorted()).toEqual(changed.toSorted());

  const review = await its.begin();
  await review.query("SELECT FROM tickwheel.batch WHERE id = $1 FOR UPDATE", [batchId]);
  await scenes.begin(retry);
  expect((await its.page(retry, PAGE))!.operation).toMatchObject({ undone: changed.length - 1, leftBehind: {} });
  await review.query("COMMIT");
  expect(await its.carryOut(retry, PAGE)).toMatchObject({ undone: changed.length, leftBehind: {} });
  const back = await its.query("SELECT count(*)::int AS count FROM tickwheel.history WHERE id = ANY ($1)", [changed]);
  expect(back).toEqual([{ count: changed.length }]);
  expect(await scenes.gaps()).toEqual([]);
});
