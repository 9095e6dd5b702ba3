import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { hashApiKey } from "@tickwheel/api";
import { ApiClient, type TaskBody } from "../support/api-client.js";
import { newTestKey, type TestNode, TestStage } from "../support/cluster.js";
import { eventually } from "../support/eventually.js";
import { Ledger } from "../support/ledger.js";
import { WebhookReceiver } from "../support/webhook-receiver.js";

const stage = new TestStage();
let ledger: Ledger;
let node: TestNode;
/** Hosts that accept a request and never answer. */
let silent: WebhookReceiver[];
let shared: WebhookReceiver;

beforeAll(async () => {
  const { databaseUrl } = await stage.services();
  ledger = await stage.add(new Ledger(databaseUrl));
  shared = await stage.add(await WebhookReceiver.start());
  silent = await Promise.all([1, 2, 3, 4].map(async () => stage.add(await WebhookReceiver.start())));
  for (const receiver of silent) receiver.answer = () => null;
  const webhookAllowedHosts = [shared, ...silent].map(({ host }) => host);
  node = await stage.app({ databaseUrl, types: ["order"], module: { webhookAllowedHosts } });
});
afterAll(() => stage.stop());

/** A producer with its own namespace. */
async function producerOf(namespace: string): Promise<ApiClient> {
  const key = newTestKey();
  await ledger.query(
    `INSERT INTO tickwheel.api_key (hash, namespace, role) VALUES ('${hashApiKey(key)}', '${namespace}', 'operator')`,
  );
  return new ApiClient(node.url, key);
}

async function order(client: ApiClient, url: string, count: number): Promise<string[]> {
  const task = { type: "hook", deliver: { kind: "webhook", url }, maxAttempts: 1_000, timeout: "1m" };
  const backoff = { kind: "fixed", delay: 0 };
  const tasks = Array.from({ length: count }, () => ({ ...task, backoff }));
  const { body } = await client.post("/v1/tasks/bulk", { tasks });
  return (body as { results: { task: { id: string } }[] }).results.map((result) => result.task.id);
}

async function tasksOf(client: ApiClient, ids: readonly string[]): Promise<TaskBody[]> {
  const answers = await Promise.all(ids.map((id) => client.get(`/v1/tasks/${id}`)));
  return answers.map(({ body }) => body as TaskBody);
}

async function eventuallySucceeded(client: ApiClient, ids: readonly string[]): Promise<TaskBody[]> {
  return eventually(async () => {
    const tasks = await tasksOf(client, ids);
    expect(tasks.map(({ state }) => state)).toEqual(ids.map(() => "succeeded"));
    return tasks;
  });
}

test("two namespaces whose hosts are silent leave a place to a third one", async () => {
  const [rude, alsoRude, honest] = await Promise.all(["rude", "also-rude", "honest"].map(producerOf));
  for (const [at, receiver] of silent.entries()) await order(at < 2 ? rude! : alsoRude!, receiver.urlOf("/silent"), 60);
  const held = (): number => silent.reduce((count, { deliveries }) => count + deliveries.length, 0);
  await eventually(() => expect(held()).toBeGreaterThanOrEqual(88));
  const tasks = await eventuallySucceeded(honest!, await order(honest!, shared.urlOf("/honest"), 20));
  expect(tasks.map(({ attempt }) => attempt)).toEqual(tasks.map(() => 1));
  // Every silent host still holds its first attempts.
  const attempts = silent.flatMap(({ deliveries }) => deliveries.map(({ body }) => body.data.attempt));
  expect(new Set(attempts)).toEqual(new Set([1]));
});

test("a namespace that makes a host fail defers no other's webhooks to that host", async () => {
  shared.answer = ({ path }) => (path === "/fails" ? 500 : 200);
  const [rude, honest] = await Promise.all(["failing", "delivering"].map(producerOf));
  const failing = await order(rude!, shared.urlOf("/fails"), 30);
  // Its breaker is open once one of its tasks was claimed and no attempt was charged.
  await eventually(async () => {
    const tasks = await tasksOf(rude!, failing);
    expect(tasks.some(({ fence, attempt, state }) => state === "scheduled" && fence > attempt)).toBe(true);
  });
  const tasks = await eventuallySucceeded(honest!, await order(honest!, shared.urlOf("/works"), 30));
  expect(tasks.map(({ attempt, dueAt }) => [attempt, dueAt])).toEqual(tasks.map(({ scheduledAt }) => [1, scheduledAt]));
});
