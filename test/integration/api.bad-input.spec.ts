import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ApiApplication } from "../support/api-application.js";
import type { Problem } from "../support/api-client.js";
import { ROUTES } from "./authorisation.calls.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

const CENTURY_MS = 100 * 365.25 * 86_400_000;
const ANSWER_LIMIT_BYTES = 65_536;

interface Bulk {
  results: { status: string; error?: Problem }[];
}

/** Routes of REST refuse parameters that they do not know. */
const isOfRest = (route: string): boolean => route.includes(" /v1/");

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.stop());

describe.each(["fastify", "express"] as const)("bad input on %s", (platform) => {
  let app: ApiApplication;

  beforeAll(async () => {
    app = await ApiApplication.start(platform, await postgres.createDatabase(`bad_input_${platform}`));
  });
  afterAll(() => app.stop());

  const input = (more: object = {}): object => ({ type: "test.later", delay: "1h", key: randomUUID(), ...more });
  const anHourBeyond = (): string => new Date(Date.now() + CENTURY_MS + 3_600_000).toISOString();
  const graphql = async (query: string, variables: object = {}): Promise<string[]> => {
    const { body } = await app.admin.post<{ errors?: { extensions: { code: string } }[] }>("/graphql", {
      query,
      variables,
    });
    return (body.errors ?? []).map(({ extensions }) => extensions.code);
  };

  test.each<[string, () => object, string]>([
    ["a lone surrogate in the key", () => ({ key: "a\ud800" }), "key"],
    ["a lone surrogate in the idempotency key", () => ({ idempotencyKey: "\udc00a" }), "idempotencyKey"],
    ["a NUL in the idempotency key", () => ({ idempotencyKey: "a\0" }), "idempotencyKey"],
    ["a lone surrogate in the type", () => ({ type: "a\ud800" }), "type"],
    ["a time before 1970", () => ({ delay: undefined, scheduledAt: "1969-12-31T23:59:59Z" }), "scheduledAt"],
    ["a time beyond a century", () => ({ delay: undefined, scheduledAt: anHourBeyond() }), "scheduledAt"],
  ])("bad input is refused by REST, in bulk and by GraphQL: %s", async (_name, more, path) => {
    const one = await app.admin.post<Problem>("/v1/tasks", input(more()));
    expect([one.status, one.body.code, one.body.errors.map((fault) => fault.path)]).toEqual([
      400,
      "VALIDATION_FAILED",
      [path],
    ]);
    const many = await app.admin.post<Bulk>("/v1/tasks/bulk", { tasks: [input(), input(more())] });
    const faults = [{ path: `tasks[1].${path}` }];
    expect(many.body.results).toMatchObject([{ status: "created" }, { status: "rejected", error: { errors: faults } }]);
    const query = "mutation ($input: TaskInput!) { scheduleTask(input: $input) { outcome } }";
    expect(await graphql(query, { input: input(more()) })).toEqual(["VALIDATION_FAILED"]);
  });

  test("bad input is refused by an edit: a time beyond a century", async () => {
    const task = await app.admin.schedule(input());
    const answer = await app.admin.patch<Problem>(`/v1/tasks/${task.id}`, { scheduledAt: anHourBeyond() });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: "scheduledAt" }] } });
  });

  test.each(["a\0", "a\ud800", ""])(
    "bad input is refused as a bulk's idempotency key by GraphQL: %j",
    async (idempotencyKey) => {
      const query = `mutation ($inputs: [TaskInput!]!, $key: String) {
      scheduleTasks(inputs: $inputs, idempotencyKey: $key) { status }
    }`;
      expect(await graphql(query, { inputs: [input()], key: idempotencyKey })).toEqual(["VALIDATION_FAILED"]);
    },
  );

  test.each(["{}", "[]", '["2026-11-21T08:00:00Z"]', "{ a: 1 }", "5"])(
    "bad input is refused where a filter wants an instant: %s",
    async (literal) => {
      expect(await graphql(`{ tasks(filter: { scheduledFrom: ${literal} }) { nodes { id } } }`)).toEqual([
        "VALIDATION_FAILED",
      ]);
    },
  );

  test.each(["key=%00", "limit[a]=1", "limit=1&limit=2", "scheduledFrom[]=x", "state[0][a]=1", "cursor[]=1"])(
    "bad input is refused as a parameter: %s",
    async (query) => {
      const { status, body } = await app.admin.get<Problem>(`/v1/tasks?${query}`);
      expect([status, body.code]).toEqual([400, "VALIDATION_FAILED"]);
    },
  );

  test.each(Object.entries(ROUTES).filter(([route]) => isOfRest(route)))(
    "bad input of a query has every unknown parameter named: %s",
    async (route, { body }) => {
      const [method, path] = route.split(" ") as [string, string];
      const task = await app.admin.schedule(input());
      const text = body && JSON.stringify(body(task));
      const { status, body: problem } = await app.admin.send<Problem>(
        method,
        `${path.replace(":id", task.id)}?odd=1&other.one=2`,
        { body: text },
      );
      expect([status, problem.code]).toEqual([400, "VALIDATION_FAILED"]);
      const unknown = ["odd", "other.one"].map((path) => ({ path, message: "is not a known parameter" }));
      expect(problem.errors).toEqual(expect.arrayContaining(unknown));
    },
  );

  test.each(Object.keys(ROUTES).filter((route) => route.startsWith("GET ") && !isOfRest(route)))(
    "unknown parameters are passed over by the files, the checks, GraphQL and the metrics: %s",
    async (route) => {
      const path = route.slice("GET ".length);
      const plain = await app.admin.get(path);
      expect((await app.admin.get(`${path}?odd=1`)).status).toBe(plain.status);
      if (path === "/graphql") return;
      expect([path, plain.status]).toEqual([path, path.includes(":") ? 404 : 200]);
    },
  );

  test("a bulk with a deep payload is refused item by item, with an idempotency key too", async () => {
    const deep = `{"tasks":[{"type":"test.later","payload":${"[".repeat(90)}${"]".repeat(90)}}]}`;
    const headers = { "idempotency-key": randomUUID() };
    const { status, body } = await app.admin.send<Bulk>("POST", "/v1/tasks/bulk", { body: deep, headers });
    expect([status, body.results[0]!.error!.code]).toEqual([200, "VALIDATION_FAILED"]);
  });

  test("bad input of many faults gets fifty of them, in 64 KiB, without the input", async () => {
    const name = "\u0001secret".repeat(100);
    const unknown = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`${index}${name}`, 1]));
    const headers = { "x-\u0001secret": "1", ["y".repeat(10_000)]: "1" };
    for (const more of [unknown, { deliver: { kind: "webhook", url: "https://example.com", headers } }]) {
      const { status, body } = await app.admin.post<Problem>("/v1/tasks", input(more));
      expect(status).toBe(400);
      expect(body.errors.length).toBeLessThanOrEqual(50);
      expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(ANSWER_LIMIT_BYTES);
    }
  });

  test("a bulk of many bad items gets one fault for each, and fifty before that", async () => {
    const tasks = Array.from({ length: 200 }, () => ({ type: "", delay: "soon", priority: 99 }));
    const { body } = await app.admin.post<Bulk>("/v1/tasks/bulk", { tasks });
    const counts = body.results.map(({ error }) => error!.errors.length);
    expect(Math.min(...counts)).toBe(1);
    expect(counts.slice(0, 16)).toEqual(counts.slice(0, 16).map(() => 3));
    expect(counts.slice(17)).toEqual(counts.slice(17).map(() => 1));
  });
});
