import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { TaskBody } from "../support/api-client.js";
import { type TestNode, TestStage } from "../support/cluster.js";
import { eventually } from "../support/eventually.js";
import { Ledger } from "../support/ledger.js";
import { jsonLines } from "../support/app/log-lines.js";
import { WebhookReceiver } from "../support/webhook-receiver.js";

/** In every field of every payload, in headers, in a secret: no line may have it. */
const CANARY = "canary-7f3a";
const PAYLOAD = { [CANARY]: CANARY, deep: [{ name: CANARY }], text: `${CANARY}\n${CANARY}` };
/** Keys are told as they are. */
const KEY = 'order\n42 \u001b[2J"';

const stage = new TestStage();
let databaseUrl: string;

beforeAll(async () => {
  ({ databaseUrl } = await stage.services());
});
afterAll(() => stage.stop());

async function create({ client }: TestNode, body: object): Promise<string> {
  const { status, body: task } = await client.post<TaskBody>("/v1/tasks", body);
  expect(status).toBe(201);
  return task.id;
}

async function eventuallyDead({ client }: TestNode, id: string): Promise<void> {
  await eventually(async () => expect((await client.get<TaskBody>(`/v1/tasks/${id}`)).body.state).toBe("dead"));
}

describe("a stand-alone node that logs everything as JSON", () => {
  let receiver: WebhookReceiver;
  let node: TestNode;

  beforeAll(async () => {
    receiver = await stage.add(await WebhookReceiver.start());
    receiver.answer = () => 500;
    node = await stage.scheduler({
      databaseUrl,
      env: {
        TICKWHEEL_LOG_FORMAT: "json",
        TICKWHEEL_LOG_LEVEL: "debug",
        TICKWHEEL_WEBHOOK_ALLOWED_HOSTS: receiver.host,
        TICKWHEEL_WEBHOOK_SECRETS: `${CANARY}-${CANARY}-${CANARY}`,
      },
    });
  });

  const hook = (more: object): object => ({
    type: "hook",
    payload: PAYLOAD,
    maxAttempts: 3,
    backoff: { kind: "fixed", delay: "100ms" },
    deliver: { kind: "webhook", url: receiver.urlOf("/hook"), headers: { authorization: `Bearer ${CANARY}` } },
    ...more,
  });

  test("a node that logs as JSON writes one line per failed attempt, with task, type, key, attempt and cure", async () => {
    const id = await create(node, hook({ key: KEY }));
    await eventuallyDead(node, id);
    const lines = await eventually(() => {
      const found = jsonLines(node.log()).filter(({ event, id: of }) => of === id && event?.startsWith("task."));
      expect(found).toHaveLength(3);
      return found;
    });
    const about = { id, namespace: "default", type: "hook", key: KEY, maxAttempts: 3 };
    const again: unknown = expect.stringContaining("tried again by itself in");
    // Errors come by another pipe, which may be read first.
    lines.sort((one, other) => Number(one["attempt"]) - Number(other["attempt"]));
    expect(lines).toMatchObject([
      { level: "warn", event: "task.failed", ...about, attempt: 1, cure: again },
      { level: "warn", event: "task.failed", ...about, attempt: 2, cure: again },
      {
        level: "error",
        event: "task.dead",
        ...about,
        attempt: 3,
        reason: "ATTEMPTS",
        cure: expect.stringContaining(`POST /v1/tasks/${id}/retry`),
        error: expect.stringContaining("500"),
      },
    ]);
  });

  test("a node that logs as JSON has no payload, header or secret in any line, whatever became of the call", async () => {
    await eventuallyDead(node, await create(node, hook({ maxAttempts: 1 })));
    const merging = { type: "sum", delay: "1h", key: "sum", onConflict: "merge", merge: { n: "add" } };
    await create(node, { ...merging, payload: { n: 1 } });
    const refused = await Promise.all([
      node.client.post("/v1/tasks", { ...merging, payload: { n: CANARY } }),
      node.client.post("/v1/tasks", { type: "hook", payload: PAYLOAD, delay: "never" }),
      node.client.post("/v1/tasks", { type: "hook", payload: PAYLOAD, [CANARY]: CANARY }),
      node.client.post("/graphql", { query: `{ ${CANARY.replace("-", "_")} }`, variables: PAYLOAD }),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([409, 400, 400, 200]);
    expect(jsonLines(node.log()).length).toBeGreaterThan(10);
    expect(node.log().match(new RegExp(`.*(?:${CANARY}|${CANARY.replace("-", "_")}).*`, "g"))).toBeNull();
  });

  test("a node that logs as JSON writes only JSON to its end", async () => {
    await node.stop();
    expect(jsonLines(node.log()).map(({ event }) => event)).toContain("node.stop.done");
  });
});

test("an application writes one line per failed attempt of its handler, and no payload", async () => {
  const ledger = await stage.add(new Ledger(databaseUrl));
  await ledger.create();
  const node = await stage.app({ databaseUrl, types: ["order"] });
  const backoff = { kind: "fixed", delay: "100ms" };
  const id = await create(node, {
    type: "order",
    payload: { ...PAYLOAD, fails: 3 },
    key: KEY,
    maxAttempts: 3,
    backoff,
  });
  await eventuallyDead(node, id);
  const lines = await eventually(() => {
    const found = node.log().match(new RegExp(`.* of order ${id} .*`, "g")) ?? [];
    expect(found).toHaveLength(3);
    return found;
  });
  const events = lines.map((line) => /\[(task\.\w+)\]/.exec(line)![1]!);
  expect(events.toSorted()).toEqual(["task.dead", "task.failed", "task.failed"]);
  expect(node.log()).not.toContain(CANARY);
});
