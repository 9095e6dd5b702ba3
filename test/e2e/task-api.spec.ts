import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ApiClient, type JournalBody, type Problem, type TaskBody } from "../support/api-client.js";
import { type TestNode, TestStage } from "../support/cluster.js";
import { expectOneView, NodeKeys } from "../support/cluster-view.js";
import { eventually } from "../support/eventually.js";
import { summaryOf, tellTimes } from "../support/figures.js";
import { WebhookReceiver } from "../support/webhook-receiver.js";

const HOUR_MS = 3_600_000;
/** The most by which the clocks of this process and of the database may differ. */
const CLOCKS_DIFFER_MS = 50;
const KEY_LIFE_MS = 3_000;
/** The lateness that a lost hint may cause. */
const LATENESS_LIMIT_MS = 1_200;

const SECRETS = ["the newest secret", "the older one"];

const stage = new TestStage();
let nodes: [TestNode, TestNode, TestNode];
let receiver: WebhookReceiver;
let keys: NodeKeys;

beforeAll(async () => {
  const { databaseUrl, redisUrl } = await stage.services({ redis: true });
  receiver = await stage.add(await WebhookReceiver.start());
  keys = await stage.add(new NodeKeys(redisUrl!));
  const env = { TICKWHEEL_WEBHOOK_ALLOWED_HOSTS: receiver.host, TICKWHEEL_WEBHOOK_SECRETS: SECRETS.join(",") };
  nodes = (await stage.many(3, () => stage.scheduler({ databaseUrl, redisUrl, env }))) as typeof nodes;
});
afterAll(() => stage.stop());

const taskPath = (task: { id: string }, rest = ""): string => `/v1/tasks/${task.id}${rest}`;

async function journalOf(task: { id: string }): Promise<string[]> {
  const { body } = await nodes[2].client.get<JournalBody>(taskPath(task, "/journal"));
  return body.items.map(({ from, to, reason }) => [from ?? "none", to, ...(reason ? [reason] : [])].join(" "));
}

describe("a task in a cluster of three nodes", () => {
  test("a task is created by REST on one node and read by GraphQL on another", async () => {
    const input = {
      type: "invoice.remind",
      payload: { invoice: 7, text: "žluťoučký 🐎" },
      delay: "1h",
      key: "invoice-7",
    };
    const before = Date.now();
    const { status, headers, body: task } = await nodes[0].client.post<TaskBody>("/v1/tasks", input);
    expect({ status, outcome: headers.get("tickwheel-outcome") }).toEqual({ status: 201, outcome: "created" });
    expect(task).toMatchObject({
      type: input.type,
      key: input.key,
      payload: input.payload,
      state: "scheduled",
      attempt: 0,
    });
    expect(Date.parse(task.dueAt) - before).toBeGreaterThanOrEqual(HOUR_MS - CLOCKS_DIFFER_MS);
    expect(Date.now() + HOUR_MS + CLOCKS_DIFFER_MS).toBeGreaterThanOrEqual(Date.parse(task.dueAt));

    const query = `query ($id: ID!) { task(id: $id) { id type key payload state dueAt version waitingFor } }`;
    const { id, type, key, payload, state, dueAt, version, waitingFor } = task;
    const { data, errors } = await nodes[1].client.graphql<{ task: unknown }>(query, { id });
    expect(errors).toBeUndefined();
    expect(data.task).toEqual({ id, type, key, payload, state, dueAt, version, waitingFor });
    const found = await nodes[2].client.get<{ items: TaskBody[] }>(`/v1/tasks?type=${type}&key=${key}&live=true`);
    expect(found.body.items.map((item) => item.id)).toEqual([id]);
    const absent = await nodes[2].client.graphql(query, { id: "01890a5d-ac96-774b-bcce-b302099a8057" });
    expect(absent.data).toEqual({ task: null });
  });

  test("a task is created by GraphQL, moved and edited by REST on another node, and an old version is refused", async () => {
    const mutation = `mutation ($input: TaskInput!) { scheduleTask(input: $input) { outcome task { id version } } }`;
    const input = { type: "invoice.remind", payload: [1, { a: null }], delay: HOUR_MS };
    const { data } = await nodes[1].client.graphql<{ scheduleTask: { outcome: string; task: TaskBody } }>(mutation, {
      input,
    });
    const { outcome, task } = data.scheduleTask;
    expect(outcome).toBe("created");
    const edited = await nodes[2].client.patch<TaskBody>(
      taskPath(task),
      { delay: "2h", payload: { b: 2 }, priority: 1, maxAttempts: 7 },
      { "if-match": String(task.version) },
    );
    expect(edited.status).toBe(200);
    expect(edited.body).toMatchObject({ payload: { b: 2 }, priority: 1, maxAttempts: 7, version: task.version + 1 });
    const stale = await nodes[0].client.patch<Problem>(
      taskPath(task),
      { priority: 9 },
      { "if-match": String(task.version) },
    );
    expect(stale).toMatchObject({ status: 412, body: { code: "VERSION_MISMATCH" } });
  });

  test("a task is cancelled by id and by key, the second time with the same answer, and retried", async () => {
    const [first, second] = await nodes[0].client.scheduleMany(
      ["one", "two"].map((key) => ({ type: "order.cancel", key, payload: { key }, delay: "1h" })),
    );
    const cancelled = await nodes[1].client.delete<{ outcome: string; task: TaskBody }>(taskPath(first!));
    expect(cancelled).toMatchObject({
      status: 200,
      body: { outcome: "cancelled", task: { state: "cancelled", reason: "REQUESTED", payload: { key: "one" } } },
    });
    expect(await nodes[2].client.delete(taskPath(first!))).toMatchObject({
      status: 200,
      body: { outcome: "cancelled" },
    });
    const byKey = await nodes[2].client.post("/v1/tasks/cancel", { type: "order.cancel", key: "two" });
    expect(byKey).toMatchObject({ status: 200, body: { outcome: "cancelled", task: { id: second!.id } } });
    const gone = await nodes[0].client.post<Problem>("/v1/tasks/cancel", { type: "order.cancel", key: "two" });
    expect(gone).toMatchObject({ status: 404, body: { code: "TASK_NOT_FOUND" } });

    const retried = await nodes[0].client.post<TaskBody>(taskPath(first!, "/retry"));
    expect(retried).toMatchObject({ status: 200, body: { state: "scheduled", attempt: 0, fence: 1, key: "one" } });
    expect(await nodes[1].client.post<Problem>(taskPath(first!, "/retry"))).toMatchObject({
      status: 409,
      body: { code: "TASK_STATE_CONFLICT" },
    });
    expect(await journalOf(first!)).toEqual([
      "none scheduled",
      expect.stringMatching(/^scheduled cancelled/),
      expect.stringMatching(/^cancelled scheduled/),
    ]);
  });

  test("a task of a type that no node runs stays scheduled and says why", async () => {
    const task = await nodes[0].client.schedule({ type: "nobody.runs.this" });
    await eventually(async () => {
      const { body } = await nodes[1].client.get<TaskBody>(taskPath(task));
      expect(body).toMatchObject({ state: "scheduled", waitingFor: "HANDLER", attempt: 0 });
    });
  });

  test("a task is the same for the same idempotency key, by the header and by the field, on every node", async () => {
    const input = { type: "invoice.remind", payload: { once: true }, delay: "1h" };
    const header = { "idempotency-key": "an-order-17" };
    const answers = await Promise.all(nodes.map(({ client }) => client.post<TaskBody>("/v1/tasks", input, header)));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    const byField = { ...input, idempotencyKey: "an-order-17" };
    expect((await nodes[1].client.post<TaskBody>("/v1/tasks", byField)).body.id).toBe(answers[0]!.body.id);
    const other = await nodes[2].client.post<Problem>("/v1/tasks", { ...input, payload: {} }, header);
    expect(other).toMatchObject({ status: 422, body: { code: "IDEMPOTENCY_KEY_REUSED" } });
  });

  test("a task whose key is live is handled by its conflict policy", async () => {
    const input = { type: "cart.expire", key: "cart-1", delay: "1h" };
    const first = await nodes[0].client.schedule(input);
    const post = (client: ApiClient, onConflict?: string) =>
      client.post<TaskBody & Problem>("/v1/tasks", { ...input, ...(onConflict && { onConflict }) });
    expect(await post(nodes[1].client)).toMatchObject({ status: 409, body: { code: "TASK_KEY_CONFLICT" } });
    const returned = await post(nodes[1].client, "return");
    expect([returned.status, returned.headers.get("tickwheel-outcome"), returned.body.id]).toEqual([
      200,
      "existing",
      first.id,
    ]);
    const refreshed = await post(nodes[2].client, "refresh");
    expect([refreshed.status, refreshed.headers.get("tickwheel-outcome"), refreshed.body.id]).toEqual([
      200,
      "refreshed",
      first.id,
    ]);
    const replaced = await post(nodes[0].client, "replace");
    expect([replaced.status, replaced.headers.get("tickwheel-outcome")]).toEqual([201, "replaced"]);
    expect(await nodes[1].client.get(taskPath(first))).toMatchObject({
      body: { state: "cancelled", reason: "REPLACED" },
    });
  });
});

describe("webhooks in a cluster of three nodes", () => {
  const webhook = (path: string, more: object = {}): object => ({
    type: `hook${path.replaceAll("/", ".")}`,
    deliver: { kind: "webhook", url: receiver.urlOf(path), headers: { "x-shop": "42" } },
    ...more,
  });

  test("webhooks in a cluster of three nodes are delivered once each, on time, whichever node took them", async () => {
    const first = await nodes[0].client.schedule(webhook("/once"));
    await eventually(async () => {
      const reports = await Promise.all(nodes.map(({ client }) => client.cluster()));
      for (const line of reports.flatMap((report) => report.nodes)) expect(line.types).toContain(first.type);
    });
    const input = (n: number) => (_: unknown, i: number) =>
      webhook("/once", { payload: { n, i }, delay: 300 + 40 * i });
    const more = await Promise.all(
      nodes.map(({ client }, n) => client.scheduleMany(Array.from({ length: 40 }, input(n)))),
    );
    const tasks = [first, ...more.flat()];
    await eventually(() => expect(receiver.at("/once").length).toBeGreaterThanOrEqual(tasks.length));
    await eventually(async () => {
      const rest = await nodes[0].client.get<{ items: object[] }>("/v1/tasks?type=hook.once&state=scheduled,running");
      expect(rest.body.items).toEqual([]);
    });
    const ids = receiver.at("/once").map(({ headers }) => String(headers["webhook-id"]));
    expect([...ids].sort()).toEqual(tasks.map(({ id }) => id).sort());
    for (const { headers, body, text } of receiver.at("/once")) {
      const signed = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${text}`;
      const signatures = SECRETS.map((secret) => `v1,${createHmac("sha256", secret).update(signed).digest("base64")}`);
      expect(headers["webhook-signature"]).toBe(signatures.join(" "));
      expect(headers).toMatchObject({ "webhook-timestamp": expect.stringMatching(/^\d{10}$/), "x-shop": "42" });
      expect(body).toMatchObject({ type: "hook.once", data: { id: headers["webhook-id"], attempt: 1, fence: 1 } });
    }
    const done = await nodes[1].client.get<{ items: TaskBody[] }>("/v1/tasks?type=hook.once&state=succeeded&limit=200");
    expect(done.body.items).toHaveLength(tasks.length);
    expect(done.body.items[0]).toMatchObject({
      result: { seen: true },
      attempt: 1,
      node: expect.stringMatching(/^[\d.]+:\d+$/),
    });
    expect(new Set(done.body.items.map(({ node }) => node)).size).toBe(3);
    const lateness = summaryOf(
      done.body.items.filter(({ id }) => id !== first.id).map(({ latenessMs }) => latenessMs!),
    );
    tellTimes("webhooks on three nodes", { "lateness, worst": { ms: lateness.max, boundMs: LATENESS_LIMIT_MS } });
  });

  test("webhooks are tried again after a failure, with the same id, and every step is in the journal", async () => {
    receiver.answer = ({ path, body }) => (path === "/again" && body.data.attempt === 1 ? 500 : 200);
    const task = await nodes[0].client.schedule(webhook("/again", { backoff: { kind: "fixed", delay: 100 } }));
    await eventually(async () => {
      expect((await nodes[1].client.get<TaskBody>(taskPath(task))).body).toMatchObject({
        state: "succeeded",
        attempt: 2,
      });
    });
    expect(receiver.at("/again").map(({ headers }) => headers["webhook-id"])).toEqual([task.id, task.id]);
    expect(await journalOf(task)).toEqual([
      "none scheduled",
      expect.stringMatching(/^scheduled running/),
      expect.stringMatching(/^running scheduled/),
      expect.stringMatching(/^scheduled running/),
      expect.stringMatching(/^running succeeded/),
    ]);
  });

  test("webhooks that the host refuses for good end dead, and run again when they are retried", async () => {
    receiver.answer = ({ path }) => (path === "/gone" && receiver.at("/gone").length === 1 ? 410 : 200);
    const task = await nodes[2].client.schedule(webhook("/gone", { delay: "1h" }));
    expect(await nodes[0].client.post(taskPath(task, "/run-now"))).toMatchObject({ status: 200 });
    await eventually(async () => {
      const { body } = await nodes[1].client.get<TaskBody>(taskPath(task));
      expect(body).toMatchObject({ state: "dead", reason: "NON_RETRYABLE", attempt: 1 });
    });
    expect(await nodes[1].client.delete(taskPath(task))).toMatchObject({
      status: 409,
      body: { code: "TASK_STATE_CONFLICT" },
    });
    expect((await nodes[1].client.post(taskPath(task, "/retry"))).status).toBe(200);
    await eventually(async () => {
      expect((await nodes[0].client.get<TaskBody>(taskPath(task))).body.state).toBe("succeeded");
    });
    expect(receiver.at("/gone")).toHaveLength(2);
  });

  test("webhooks to a host that is not on the list are refused", async () => {
    const deliver = { kind: "webhook", url: "http://127.0.0.2:9/hook" };
    const { status, body } = await nodes[0].client.post<Problem>("/v1/tasks", { type: "hook.else", deliver });
    expect({ status, code: body.code, paths: body.errors.map(({ path }) => path) }).toEqual({
      status: 400,
      code: "VALIDATION_FAILED",
      paths: ["deliver.url"],
    });
  });

  test("webhooks fix the delivery of their type", async () => {
    const { status, body } = await nodes[1].client.post<Problem>("/v1/tasks", { type: "hook.once" });
    expect({ status, code: body.code }).toEqual({ status: 409, code: "TYPE_DELIVERY_CONFLICT" });
  });
});

describe("the cluster of three nodes", () => {
  test("the cluster of three nodes is reported alike by each: ip:pid labels, beats, one leader, every slot owned once", async () => {
    const [report] = await eventually(() => expectOneView(nodes));
    expect(report).toMatchObject({ coordination: "redis", slots: 4_096, degraded: [] });
    expect(report!.leader!.term).toBeGreaterThan(0);
    for (const line of report!.nodes) {
      expect(line.label).toMatch(/^\d+\.\d+\.\d+\.\d+:\d+$/);
      expect(line).toMatchObject({
        state: "live",
        roles: ["api", "engine"],
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      });
      expect(line.bootId).toMatch(/^\d+$/);
      expect(line.heartbeatAgeMs).toEqual(expect.any(Number));
      expect(line.ownedSlots).toBeGreaterThan(1_000);
      expect(line.types).toContain("hook.once");
    }
  });

  test("the cluster keeps a node key and an owned key for each node in Redis, with a life of three seconds at most", async () => {
    const labels = (await nodes[0].client.cluster()).nodes.map(({ label }) => label).sort();
    for (const kind of ["node", "owned"] as const) {
      const lives = await keys.lives(kind);
      expect([...lives.keys()].sort()).toEqual(labels);
      for (const lifeMs of lives.values()) expect(lifeMs).toBeGreaterThan(0);
      expect(KEY_LIFE_MS).toBeGreaterThanOrEqual(Math.max(...lives.values()));
    }
    // A new type spreads over the nodes in more than one view, and a node's key follows its view with the next beat.
    await eventually(async () => {
      const owned = await Promise.all(nodes.map(({ pid }) => keys.ownedBy(pid)));
      expect(owned.reduce((sum, { size }) => sum + size, 0)).toBe(4_096);
      expect(new Set(owned.flatMap((slots) => [...slots])).size).toBe(4_096);
    });
  });
});

// Last, because it stops a node.
describe("a node that is stopped", () => {
  test("a node that is stopped ends with the code of its signal, and its keys are deleted at once", async () => {
    const [first, second, third] = nodes;
    const { label } = (await first.client.cluster()).nodes.find((node) => node.label.endsWith(`:${third.pid}`))!;
    expect(await third.stop()).toEqual({ code: 143, signal: null });
    await eventually(async () => {
      expect(await keys.labels("node")).not.toContain(label);
      expect(await keys.labels("owned")).not.toContain(label);
    });
    await eventually(() => expectOneView([first, second]));
  });
});
