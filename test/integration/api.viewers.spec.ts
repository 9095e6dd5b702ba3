import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ApiApplication } from "../support/api-application.js";
import type { ApiKeyRight } from "@tickwheel/core";
import type { ApiClient, TaskBody } from "../support/api-client.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

/** A webhook of a chat, for example: everybody who knows the path may write there. */
const PATH = "/services/T0/B0/of-the-channel";
const URL = `https://hooks.example${PATH}`;
const SECRET = "Bearer of-the-receiver";
const QUERY = "query ($id: ID!) { task(id: $id) { deliver { url headers } } tasks { nodes { deliver { headers } } } }";

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.stop());

describe.each(["fastify", "express"] as const)("the headers and the path of a webhook on %s", (platform) => {
  let app: ApiApplication;

  beforeAll(async () => {
    app = await ApiApplication.start(platform, await postgres.createDatabase(`viewers_${platform}`), {});
  });
  afterAll(() => app.stop());

  test("the headers and the path of a webhook are visible to callers that may write, and to no viewer", async () => {
    const deliver = { kind: "webhook", url: URL, headers: { authorization: SECRET } };
    const { body: task } = await app.admin.post<TaskBody>("/v1/tasks", { type: "hook", delay: "1h", deliver });
    const asked = async (role: "viewer" | "operator", rights: ApiKeyRight[] = []): Promise<string[]> => {
      const client = await app.clientAs({ role, rights });
      const ways = [
        client.get(`/v1/tasks/${task.id}`),
        client.get("/v1/tasks?type=hook"),
        client.post("/graphql", { query: QUERY, variables: { id: task.id } }),
      ];
      return (await Promise.all(ways)).map(({ body }) => JSON.stringify(body));
    };
    for (const text of await asked("viewer")) {
      expect(text).toContain('"deliver":{');
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain(PATH);
    }
    expect((await asked("viewer"))[0]).toContain('"url":"https://hooks.example"');
    for (const text of await asked("operator", ["payload"])) expect(text).toContain(SECRET);
    const [plain = ""] = await asked("operator");
    expect(plain).toContain(PATH);
    expect(plain).not.toContain(SECRET);
  });
});

const PAYLOAD = { card: "4111-1111", amount: 4_200_000 };
const SHAPE = { card: "•string(9)", amount: "•number" };
const TASK = "{ payload payloadMasked }";
const TASK_QUERY = `query ($id: ID!) { task(id: $id) ${TASK} tasks { nodes ${TASK} } }`;

describe.each(["fastify", "express"] as const)("payloads on %s", (platform) => {
  let app: ApiApplication;

  beforeAll(async () => {
    app = await ApiApplication.start(platform, await postgres.createDatabase(`payloads_${platform}`), {});
  });
  afterAll(() => app.stop());

  /** What a key reads of a task by all ways. */
  async function read(client: ApiClient, id: string): Promise<string[]> {
    const ways = [
      client.get(`/v1/tasks/${id}`),
      client.get("/v1/tasks"),
      client.post("/graphql", { query: TASK_QUERY, variables: { id } }),
    ];
    return (await Promise.all(ways)).map(({ body }) => JSON.stringify(body));
  }

  test("payloads are shown to administrators and to keys with the right; others see names and kinds", async () => {
    const { body: task } = await app.admin.post<TaskBody>("/v1/tasks", { type: "pay", delay: "1h", payload: PAYLOAD });
    for (const client of [app.admin, await app.clientAs({ role: "viewer", rights: ["payload"] })])
      for (const text of await read(client, task.id)) {
        expect(text).toContain(JSON.stringify(PAYLOAD));
        expect(text).not.toContain('"payloadMasked":true');
      }
    for (const role of ["viewer", "operator"] as const)
      for (const text of await read(await app.clientAs({ role }), task.id)) {
        expect(text).toContain(JSON.stringify(SHAPE));
        expect(text).toContain('"payloadMasked":true');
        expect(text).not.toMatch(/4111|4200000/);
      }
  });

  test("payloads are shown to the key that has just sent them, until somebody has changed the task", async () => {
    const [producer, other] = await Promise.all([
      app.clientAs({ role: "operator" }),
      app.clientAs({ role: "operator" }),
    ]);
    const asked = { type: "own", delay: "1h", key: "order-1", payload: PAYLOAD };
    const { body: task } = await producer.post<TaskBody>("/v1/tasks", asked);
    expect(task.payload).toEqual(PAYLOAD);
    expect((await producer.get<TaskBody>(`/v1/tasks/${task.id}`)).body.payload).toEqual(PAYLOAD);
    expect((await other.get<TaskBody>(`/v1/tasks/${task.id}`)).body.payload).toEqual(SHAPE);
    const theirs = { payload: { card: "somebody else's" } };
    await other.send("PATCH", `/v1/tasks/${task.id}`, { body: JSON.stringify(theirs) });
    expect((await producer.get<TaskBody>(`/v1/tasks/${task.id}`)).body.payload).toEqual({ card: "•string(15)" });
  });

  test("payloads of schedules are shown to those who made them, and to keys with the right", async () => {
    const [maker, other] = await Promise.all([app.clientAs({ role: "operator" }), app.clientAs({ role: "viewer" })]);
    const schedule = { name: "nightly", type: "settle", cron: "0 3 * * *", payload: PAYLOAD };
    expect((await maker.post<TaskBody>("/v1/schedules", schedule)).body.payload).toEqual(PAYLOAD);
    expect((await maker.get<TaskBody>("/v1/schedules/nightly")).body.payload).toEqual(PAYLOAD);
    const seen = (await other.get<TaskBody>("/v1/schedules/nightly")).body;
    expect(seen).toMatchObject({ payload: SHAPE, payloadMasked: true });
    const right = await app.clientAs({ role: "viewer", rights: ["payload"] });
    expect((await right.get<TaskBody>("/v1/schedules/nightly")).body.payload).toEqual(PAYLOAD);
    const { body: run } = await other.post<object>("/graphql", { query: "{ schedules { nodes { payload } } }" });
    expect(JSON.stringify(run)).not.toMatch(/4111|4200000/);
  });
});

describe("what a handler has told", () => {
  let app: ApiApplication;

  beforeAll(async () => {
    app = await ApiApplication.start("fastify", await postgres.createDatabase("told"), {});
  });
  afterAll(() => app.stop());

  test.each(["test.echo", "test.tell"])(
    "what a handler has told as the result or the checkpoint of %s is masked as payloads are",
    async (type) => {
      const operator = await app.clientAs({ role: "operator" });
      const wait = { prefer: "wait=30" };
      const { body } = await operator.post<TaskBody>("/v1/tasks", { type, payload: PAYLOAD }, wait);
      expect(body).toMatchObject({ state: "succeeded", payload: SHAPE });
      const masked = JSON.stringify((await operator.get(`/v1/tasks/${body.id}`)).body);
      expect(masked).not.toMatch(/4111|4200000/);
      const right = await app.clientAs({ role: "viewer", rights: ["payload"] });
      const seen = JSON.stringify((await right.get(`/v1/tasks/${body.id}`)).body);
      for (const text of [masked, seen]) expect(text).toMatch(/"(?:result|state)":\{"card":/);
      expect(seen.split("4111-1111")).toHaveLength(3);
    },
  );
});
