import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { TaskBody } from "../support/api-client.js";
import { type TestNode, TestStage } from "../support/cluster.js";
import { eventually } from "../support/eventually.js";
import { Ledger } from "../support/ledger.js";
import { WebhookReceiver } from "../support/webhook-receiver.js";

const SECRETS = ["the newest secret", `whsec_${Buffer.from("the older one").toString("base64")}`];

const stage = new TestStage();
let app: TestNode;
let ledger: Ledger;
let receiver: WebhookReceiver;

beforeAll(async () => {
  const { databaseUrl } = await stage.services();
  receiver = await stage.add(await WebhookReceiver.start());
  ledger = await stage.add(new Ledger(databaseUrl));
  await ledger.create();
  const module = { webhookAllowedHosts: [receiver.host], webhookSecrets: SECRETS };
  app = await stage.app({ databaseUrl, types: ["order.cancel"], module });
});
afterAll(() => stage.stop());

async function ended(task: { id: string }, state: string): Promise<TaskBody> {
  return eventually(async () => {
    const { body } = await app.client.get<TaskBody>(`/v1/tasks/${task.id}`);
    expect(body).toMatchObject({ state });
    return body;
  });
}

describe("an application that mounts the API", () => {
  test("an application that mounts the API signs its webhooks with every secret, so that one can be rotated", async () => {
    const deliver = { kind: "webhook", url: receiver.urlOf("/signed") };
    const task = await app.client.schedule({ type: "hook.signed", payload: { a: 1 }, deliver });
    await ended(task, "succeeded");
    const { headers, text } = receiver.at("/signed")[0]!;
    const signed = `${task.id}.${String(headers["webhook-timestamp"])}.${text}`;
    const signatures = ["the newest secret", "the older one"].map(
      (secret) => `v1,${createHmac("sha256", secret).update(signed).digest("base64")}`,
    );
    expect(headers["webhook-signature"]).toBe(signatures.join(" "));
    expect(Math.abs(Number(headers["webhook-timestamp"]) * 1_000 - Date.now())).toBeLessThan(10_000);
  });

  test("an application that mounts the API runs a created task in its own handler, whose effect commits with the completion", async () => {
    const task = await app.client.schedule({ type: "order.cancel", payload: { effect: true }, delay: 200 });
    const done = await ended(task, "succeeded");
    expect(done).toMatchObject({ attempt: 1, fence: 1, crashCount: 0, lastError: null });
    expect((await ledger.effects()).filter(({ taskId }) => taskId === task.id)).toHaveLength(1);
    expect(Date.parse(done.startedAt!)).toBeGreaterThanOrEqual(Date.parse(done.dueAt));
  });

  test("a failing handler is tried again after its backoff; after the last attempt its task is dead until it is retried", async () => {
    const backoff = { kind: "fixed", delay: 150 };
    const input = { type: "order.cancel", payload: { effect: true, fails: 2 }, maxAttempts: 2, backoff };
    const task = await app.client.schedule(input);
    const dead = await ended(task, "dead");
    expect(dead).toMatchObject({ reason: "ATTEMPTS", attempt: 2, lastError: expect.stringContaining("asked to fail") });
    const [first, second] = (await ledger.starts()).filter(({ taskId }) => taskId === task.id);
    expect(second!.atMs - first!.atMs).toBeGreaterThanOrEqual(150);

    const more = await app.client.schedule({ ...input, maxAttempts: 3 });
    expect(await ended(more, "succeeded")).toMatchObject({ attempt: 3 });
    expect((await app.client.post(`/v1/tasks/${task.id}/retry`)).status).toBe(200);
    const again = await ended(task, "dead");
    expect(again.attempt).toBe(2);
    expect(again.fence).toBeGreaterThan(dead.fence + 2);
  });

  test("a handler is aborted at its time-out, and when its task is cancelled", async () => {
    const payload = { holdMs: 30_000 };
    const slow = await app.client.schedule({ type: "order.cancel", payload, timeout: 200, maxAttempts: 1 });
    expect(await ended(slow, "dead")).toMatchObject({ reason: "ATTEMPTS", attempt: 1 });

    const unwanted = await app.client.schedule({ type: "order.cancel", payload });
    await ended(unwanted, "running");
    const answer = await app.client.delete(`/v1/tasks/${unwanted.id}`);
    expect(answer).toMatchObject({ status: 200, body: { outcome: "cancel_requested" } });
    expect(await ended(unwanted, "cancelled")).toMatchObject({ reason: "REQUESTED" });
  });
});
