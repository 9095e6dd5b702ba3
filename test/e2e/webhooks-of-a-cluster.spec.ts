import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { TaskBody } from "../support/api-client.js";
import { newTestKey, startSchedulerNode, type TestNode, TestStage } from "../support/cluster.js";
import { eventually } from "../support/eventually.js";
import { WebhookReceiver } from "../support/webhook-receiver.js";

const TASKS = 30;

const stage = new TestStage();
const apiKey = newTestKey();
let databaseUrl: string;
let receiver: WebhookReceiver;
/** This node may not deliver to the receiver. */
let unlisted: TestNode;

beforeAll(async () => {
  databaseUrl = (await stage.services()).databaseUrl;
  receiver = await stage.add(await WebhookReceiver.start());
  unlisted = await stage.add(await startSchedulerNode({ databaseUrl, apiKey }));
  // So that the node knows the type at once.
  const deliver = { kind: "webhook", url: "https://example.com/" };
  await unlisted.client.post("/v1/tasks", { type: "hook", delay: "1d", deliver });
});
afterAll(() => stage.stop());

const startLister = async (): Promise<TestNode> =>
  stage.add(await startSchedulerNode({ databaseUrl, apiKey, env: { TICKWHEEL_WEBHOOK_ALLOWED_HOSTS: receiver.host } }));

async function create(lister: TestNode, path: string, delay: string): Promise<string[]> {
  const deliver = { kind: "webhook", url: receiver.urlOf(path) };
  const tasks = Array.from({ length: TASKS }, () => ({ type: "hook", delay, deliver }));
  const { body } = await lister.client.post("/v1/tasks/bulk", { tasks });
  return (body as { results: { task: { id: string } }[] }).results.map(({ task }) => task.id);
}

/** Waits until the nodes share the tasks of the type. */
async function eventuallyBothRunHooks(): Promise<void> {
  await eventually(async () => {
    const live = (await unlisted.client.cluster()).nodes.filter(({ state }) => state === "live");
    expect(live.map(({ types, ownedSlots }) => types.includes("hook") && ownedSlots > 0)).toEqual([true, true]);
  });
}

async function tasksOf(ids: readonly string[]): Promise<TaskBody[]> {
  const answers = await Promise.all(ids.map((id) => unlisted.client.get(`/v1/tasks/${id}`)));
  return answers.map(({ body }) => body as TaskBody);
}

async function eventuallyDelivered(ids: readonly string[], path: string): Promise<void> {
  await eventually(async () => {
    const states = (await tasksOf(ids)).map(({ state }) => state);
    expect(states).toEqual(Array.from(ids, () => "succeeded"));
  });
  const delivered = receiver.at(path).map(({ body }) => body.data.id);
  expect(delivered.sort()).toEqual([...ids].sort());
  expect((await tasksOf(ids)).map(({ attempt }) => attempt)).toEqual(Array.from(ids, () => 1));
}

test("a node leaves webhooks to hosts that it does not list to a node that does: each arrives once, at its first attempt", async () => {
  const lister = await startLister();
  await eventuallyBothRunHooks();
  const ids = await create(lister, "/shared", "3s");
  await eventuallyDelivered(ids, "/shared");
  expect(unlisted.log()).toContain("is left to other nodes");
  await lister.stop();
});

test("webhooks wait without a charge while no node lists the host, and go to the next node that does", async () => {
  const lister = await startLister();
  await eventuallyBothRunHooks();
  const ids = await create(lister, "/waiting", "3s");
  await lister.kill();
  await eventually(() => expect(ids.filter((id) => unlisted.log().includes(id)).length).toBeGreaterThan(0));
  expect(new Set((await tasksOf(ids)).map(({ state }) => state)).has("dead")).toBe(false);
  expect(receiver.at("/waiting")).toEqual([]);
  await startLister();
  await eventuallyDelivered(ids, "/waiting");
});
