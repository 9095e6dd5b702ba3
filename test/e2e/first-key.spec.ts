import { afterAll, expect, test } from "@jest/globals";
import { newTestKey, startSchedulerNode, type TestNode, TestStage } from "../support/cluster.js";
import { eventually } from "../support/eventually.js";

const stage = new TestStage();
afterAll(() => stage.stop());

test("starting with a different first key revokes the old one, and nodes with the old key do not restore it", async () => {
  const { databaseUrl } = await stage.services();
  const oldKey = newTestKey();
  const newKey = newTestKey();
  const start = async (apiKey: string): Promise<TestNode> =>
    stage.add(await startSchedulerNode({ databaseUrl, apiKey }));
  const statusWith = async (node: TestNode, key: string): Promise<number> =>
    (await fetch(`${node.url}/v1/tasks`, { headers: { authorization: `Bearer ${key}` } })).status;
  const older = await start(oldKey);
  expect(await statusWith(older, oldKey)).toBe(200);
  const newer = await start(newKey);
  expect([await statusWith(newer, newKey), await statusWith(newer, oldKey)]).toEqual([200, 401]);
  await eventually(async () => expect(await statusWith(older, oldKey)).toBe(401));
  const late = await start(oldKey);
  expect([await statusWith(late, newKey), await statusWith(late, oldKey)]).toEqual([200, 401]);
  expect(late.log()).toContain("has been replaced by another one");
});
