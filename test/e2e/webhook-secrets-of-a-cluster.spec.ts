import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { TaskBody } from "../support/api-client.js";
import { newTestKey, startSchedulerNode, type TestNode, TestStage } from "../support/cluster.js";
import { eventually } from "../support/eventually.js";
import { WebhookReceiver } from "../support/webhook-receiver.js";

const TASKS = 30;
/** A silent node is dead after five beats. */
const DIES_SOON = {
  TICKWHEEL_SUSPECT_AFTER_BEATS: "2",
  TICKWHEEL_SELF_FENCE_AFTER_BEATS: "3",
  TICKWHEEL_DEAD_AFTER_BEATS: "5",
  TICKWHEEL_REDIS_KEY_TTL_MS: "2500",
};

const stage = new TestStage();
const apiKey = newTestKey();
let databaseUrl: string;
let receiver: WebhookReceiver;
let bare: TestNode;
let signer: TestNode;

const start = async (env: Record<string, string> = {}): Promise<TestNode> => {
  const hosts = { TICKWHEEL_WEBHOOK_ALLOWED_HOSTS: receiver.host };
  return stage.add(await startSchedulerNode({ databaseUrl, apiKey, env: { ...hosts, ...DIES_SOON, ...env } }));
};

beforeAll(async () => {
  databaseUrl = (await stage.services({ postgres: { fsync: "off" } })).databaseUrl;
  receiver = await stage.add(await WebhookReceiver.start());
  bare = await start();
});
afterAll(() => stage.stop());

async function create(path: string, delay: string): Promise<string[]> {
  const deliver = { kind: "webhook", url: receiver.urlOf(path) };
  const tasks = Array.from({ length: TASKS }, () => ({ type: "hook", delay, deliver }));
  return (await bare.client.scheduleMany(tasks)).map(({ id }) => id);
}

/** Expects each to arrive once, at its first attempt. */
async function eventuallyDelivered(ids: readonly string[], path: string): Promise<void> {
  await eventually(() => expect(receiver.at(path).length).toBeGreaterThanOrEqual(ids.length));
  await eventually(async () => {
    const answers = await Promise.all(ids.map((id) => bare.client.get<TaskBody>(`/v1/tasks/${id}`)));
    expect(answers.map(({ body: { state, attempt } }) => [state, attempt])).toEqual(ids.map(() => ["succeeded", 1]));
  });
  const delivered = receiver.at(path).map(({ body }) => body.data.id);
  expect(delivered.toSorted()).toEqual([...ids].toSorted());
}

/** How many of the deliveries are signed. */
const signedAt = (path: string): number =>
  receiver.at(path).filter(({ headers }) => String(headers["webhook-signature"]).startsWith("v1,")).length;

const LEAVES = "is left to other nodes: another node signs webhooks, and this one has no webhookSecrets";

test("webhooks are not signed if no node has secrets", async () => {
  const ids = await create("/unsigned", "0s");
  await eventuallyDelivered(ids, "/unsigned");
  expect(signedAt("/unsigned")).toBe(0);
  expect(bare.log()).not.toContain(LEAVES);
});

test("a node without secrets leaves webhooks to the one node that has secrets, and all are signed", async () => {
  signer = await start({ TICKWHEEL_WEBHOOK_SECRETS: "the cluster's secret" });
  await eventually(async () => {
    const live = (await bare.client.cluster()).nodes.filter(({ state }) => state === "live");
    expect(live.map(({ types, ownedSlots }) => types.includes("hook") && ownedSlots > 0)).toEqual([true, true]);
  });
  const ids = await create("/signed", "1s");
  await eventuallyDelivered(ids, "/signed");
  expect(signedAt("/signed")).toBe(TASKS);
  expect(bare.log()).toContain(LEAVES);
});

test("webhooks wait after the signing node's death until it is declared dead, and go out unsigned when no node has secrets", async () => {
  await signer.kill();
  const knewOfItsDeath: boolean[] = [];
  receiver.answer = () => {
    knewOfItsDeath.push(bare.log().includes("[cluster.node.dead]"));
    return 200;
  };
  const ids = await create("/after", "0s");
  await eventuallyDelivered(ids, "/after");
  expect(signedAt("/after")).toBe(0);
  expect(new Set(knewOfItsDeath)).toEqual(new Set([true]));
});
