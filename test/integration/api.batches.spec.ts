import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ApiApplication } from "../support/api-application.js";
import type { ApiClient, Problem, TaskBody } from "../support/api-client.js";
import { DocumentedClient } from "../support/documented-client.js";
import { eventually } from "../support/eventually.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

const NO_BATCH = "019ab000-0000-7000-8000-000000000000";
const LATER = { type: "test.later", delay: "1h" };
/** As long as a payload may be, about. */
const LONG = "x".repeat(60_000);

interface BatchBody {
  id: string;
  name: string | null;
  state: string;
  counts: Record<string, number>;
  onComplete: { type: string; taskId: string | null } | null;
}
interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
  incomplete?: boolean;
}
interface Added {
  batch: BatchBody;
  results: { index: number; status: string; task?: TaskBody; error?: Problem }[];
}

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.stop());

describe.each(["fastify", "express"] as const)("batches on %s", (platform) => {
  let app: ApiApplication;
  let api: ApiClient;

  beforeAll(async () => {
    app = await ApiApplication.start(platform, await postgres.createDatabase(`batches_${platform}`));
    api = await DocumentedClient.of(app);
  });
  afterAll(() => app.stop());

  const nameOf = (test: string): string => `${test}:${randomUUID()}`;
  const read = async (id: string): Promise<BatchBody> => (await api.get<BatchBody>(`/v1/batches/${id}`)).body;

  async function make(body: object = {}): Promise<BatchBody> {
    const answer = await api.post<BatchBody>("/v1/batches", body);
    expect(answer.status).toBe(201);
    return answer.body;
  }

  async function members(id: string, search = ""): Promise<Page<TaskBody>> {
    const { status, body } = await api.get<Page<TaskBody>>(`/v1/batches/${id}/members${search}`);
    expect(status).toBe(200);
    return body;
  }

  async function refusal(answer: Promise<{ status: number; body: Problem | unknown }>): Promise<[number, string]> {
    const { status, body } = await answer;
    return [status, (body as Problem).code];
  }

  test("REST makes a batch, fills it, seals it, and shows its end", async () => {
    const name = nameOf("rest");
    const onComplete = { type: "test.echo", payload: { of: name } };
    const made = await make({ name, tasks: [{ type: "test.echo", payload: 1 }], onComplete, deadline: "1h" });
    expect(made).toMatchObject({ name, state: "filling", onComplete: { type: "test.echo", taskId: null } });
    const path = `/v1/batches/${made.id}`;
    const added = await api.post<Added>(`${path}/members`, { tasks: [{ type: "test.echo", payload: 2 }] });
    expect(added.status).toBe(200);
    expect(added.body.batch).toMatchObject({ id: made.id, state: "filling" });
    expect(added.body.results).toMatchObject([{ index: 0, status: "created", task: { batchId: made.id, payload: 2 } }]);
    expect((await api.post<BatchBody>(`${path}/seal`)).status).toBe(200);
    await eventually(async () => expect((await read(made.id)).state).toBe("complete"));
    const done = await read(made.id);
    expect(done).toMatchObject({ counts: { total: 2, live: 0, succeeded: 2 }, progress: 1, overdue: false });
    const end = (await api.get<TaskBody>(`/v1/tasks/${done.onComplete!.taskId!}`)).body;
    expect(end).toMatchObject({ payload: { of: name }, batchId: null, shard: null });
    expect(new Set((await members(made.id)).items.map(({ result }) => result))).toEqual(new Set([1, 2]));
  });

  test("a payload of a batch is kept as it came, digit for digit, of a member and of what is made at the end", async () => {
    const digits = '{"n":1.10,"big":123456789012345678901}';
    const task = `{"type":"test.echo","payload":${digits}}`;
    const { body } = await api.send<BatchBody>("POST", "/v1/batches", {
      body: `{"tasks":[${task}],"onComplete":${task},"seal":true}`,
    });
    await eventually(async () => expect((await read(body.id)).state).toBe("complete"));
    const [member] = (await members(body.id)).items;
    const end = (await read(body.id)).onComplete!.taskId!;
    const text = async (id: string): Promise<string> => {
      const headers = { authorization: `Bearer ${app.key}` };
      return (await fetch(`${app.url}/v1/tasks/${id}`, { headers })).text();
    };
    for (const id of [member!.id, end]) expect(await text(id)).toContain(`"payload":${digits}`);
  });

  test("the shards of a batch are members with their places", async () => {
    const { id } = await make({ tasks: [LATER], shards: 3, seal: true });
    const { items } = await members(id);
    const places = items.map(({ shard }) => shard!.index).toSorted((a, b) => a - b);
    expect(places).toEqual([0, 1, 2]);
    expect(items.every(({ batchId, shard }) => batchId === id && shard!.total === 3)).toBe(true);
    expect(await read(id)).toMatchObject({ shards: 3, state: "open" });
  });

  test("the name of a batch is taken once", async () => {
    const name = nameOf("twice");
    const { id } = await make({ name });
    const { status, body } = await api.post<Problem>("/v1/batches", { name });
    expect([status, body.code]).toEqual([409, "BATCH_EXISTS"]);
    expect((await make({ name: nameOf("twice") })).id).not.toBe(id);
  });

  test("a batch whose member cannot be written is not made at all", async () => {
    const key = randomUUID();
    const name = nameOf("all-or-nothing");
    await api.schedule({ ...LATER, key });
    const body = { name, tasks: [LATER, { ...LATER, key }] };
    expect(await refusal(api.post("/v1/batches", body))).toEqual([409, "TASK_KEY_CONFLICT"]);
    expect((await api.get<Page<BatchBody>>(`/v1/batches?namePrefix=${name}`)).body.items).toEqual([]);
  });

  test("members of a batch are added once under an idempotency key, which is of one call to one batch", async () => {
    const { id } = await make();
    const other = await make();
    const headers = { "Idempotency-Key": randomUUID() };
    const add = (to: string, tasks: object[]) =>
      api.send<Added>("POST", `/v1/batches/${to}/members`, { body: JSON.stringify({ tasks }), headers });
    const first = await add(id, [LATER, { type: "a b" }, LATER]);
    const again = await add(id, [LATER, { type: "a b" }, LATER]);
    expect([first.headers.get("tickwheel-replayed"), again.headers.get("tickwheel-replayed")]).toEqual([null, "true"]);
    expect(again.body.results).toEqual(first.body.results);
    expect(first.body.results.map(({ status }) => status)).toEqual(["created", "rejected", "created"]);
    expect((await members(id)).items).toHaveLength(2);
    expect(await refusal(add(id, [LATER]))).toEqual([422, "IDEMPOTENCY_KEY_REUSED"]);
    expect(await refusal(add(other.id, [LATER, { type: "a b" }, LATER]))).toEqual([422, "IDEMPOTENCY_KEY_REUSED"]);
  });

  test("a sealed batch takes no members, a cancelled one cannot be sealed, a complete one cannot be cancelled", async () => {
    const { id } = await make({ tasks: [LATER], seal: true });
    const path = `/v1/batches/${id}`;
    expect(await refusal(api.post(`${path}/members`, { tasks: [LATER] }))).toEqual([409, "BATCH_SEALED"]);
    const cancelled = await api.delete<BatchBody>(path);
    expect([cancelled.status, cancelled.body.state]).toEqual([200, "cancelled"]);
    expect((await api.delete<BatchBody>(path)).status).toBe(200);
    expect(await refusal(api.post(`${path}/seal`))).toEqual([409, "BATCH_STATE_CONFLICT"]);
    await eventually(async () => expect((await members(id)).items.map(({ state }) => state)).toEqual(["cancelled"]));
    const empty = await make({ seal: true });
    await eventually(async () => expect((await read(empty.id)).state).toBe("complete"));
    expect(await refusal(api.delete(`/v1/batches/${empty.id}`))).toEqual([409, "BATCH_STATE_CONFLICT"]);
  });

  test("lists of batches go on page by page, and hold to their filters", async () => {
    const prefix = nameOf("pages");
    const made: string[] = [];
    for (const place of [1, 2, 3]) made.push((await make({ name: `${prefix}.${place}` })).id);
    await api.delete(`/v1/batches/${made[0]!}`);
    const list = async (search: string): Promise<Page<BatchBody>> =>
      (await api.get<Page<BatchBody>>(`/v1/batches?namePrefix=${prefix}${search}`)).body;
    const first = await list("&limit=2");
    const second = await list(`&limit=2&cursor=${first.nextCursor}`);
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(made.toSorted().toReversed());
    expect(second.nextCursor).toBeNull();
    expect((await list("&state=cancelled,complete")).items.map(({ id }) => id)).toEqual([made[0]]);
    expect((await list("&state=filling")).items).toHaveLength(2);
  });

  test("lists of a batch's members go on page by page, and hold to their states", async () => {
    const tasks = [1, 2, 3].map((payload) => ({ ...LATER, payload }));
    const { id } = await make({ tasks });
    const first = await members(id, "?limit=2");
    const second = await members(id, `?limit=2&cursor=${first.nextCursor}`);
    const payloads = [...first.items, ...second.items].map(({ payload }) => payload);
    expect(new Set(payloads)).toEqual(new Set([1, 2, 3]));
    expect(payloads).toHaveLength(3);
    expect(second.nextCursor).toBeNull();
    await api.delete(`/v1/tasks/${first.items[0]!.id}`);
    expect((await members(id, "?state=cancelled")).items.map((item) => item.id)).toEqual([first.items[0]!.id]);
    expect((await members(id, "?state=scheduled,running")).items).toHaveLength(2);
  });

  test("a page of long members of a batch ends early, and goes on at its cursor", async () => {
    const tasks = Array.from({ length: 50 }, () => ({ ...LATER, payload: LONG }));
    const { id } = await make({ tasks });
    const first = await members(id, "?limit=200");
    expect(first.incomplete).toBe(true);
    const second = await members(id, `?limit=200&cursor=${first.nextCursor}`);
    expect(first.items.length + second.items.length).toBe(50);
    expect(second).not.toHaveProperty("incomplete");
  });

  test("a body of members of a batch may be as long as that of a bulk", async () => {
    const tasks = Array.from({ length: 40 }, () => ({ ...LATER, payload: LONG }));
    const { id } = await make({ tasks });
    const { status, body } = await api.post<Added>(`/v1/batches/${id}/members`, { tasks });
    expect(status).toBe(200);
    expect(body.results).toHaveLength(40);
  });

  test("a batch of another namespace answers as one that is absent, and both as what is no id at all", async () => {
    const { id } = await make({ name: nameOf("foreign"), tasks: [LATER] });
    const foreign = await app.clientAs({ role: "operator", namespace: "foreign" });
    const absent = [404, "BATCH_NOT_FOUND"];
    for (const [client, of] of [[foreign, id] as const, [api, NO_BATCH] as const, [api, "no-id"] as const]) {
      const path = `/v1/batches/${of}`;
      for (const search of ["", "/members"]) expect(await refusal(client.get(`${path}${search}`))).toEqual(absent);
      expect(await refusal(client.post(`${path}/members`, { tasks: [LATER] }))).toEqual(absent);
      expect(await refusal(client.post(`${path}/seal`))).toEqual(absent);
      expect(await refusal(client.delete(path))).toEqual(absent);
    }
    expect((await foreign.get<Page<BatchBody>>("/v1/batches")).body.items).toEqual([]);
    expect(await read(id)).toMatchObject({ state: "filling", counts: { total: 1 } });
  });

  test("a viewer reads batches and may not write them, and sees of a webhook its host alone", async () => {
    const deliver = { kind: "webhook", url: "https://example.com/secret", headers: { "x-token": "secret" } };
    const { id } = await make({ tasks: [{ ...LATER, type: "test.webhook", deliver }] });
    const viewer = await app.clientAs({ role: "viewer" });
    expect((await viewer.get(`/v1/batches/${id}`)).status).toBe(200);
    const { body } = await viewer.get<Page<TaskBody & { deliver: object }>>(`/v1/batches/${id}/members`);
    expect(body.items[0]!.deliver).toEqual({ kind: "webhook", url: "https://example.com" });
    const refused = [403, "FORBIDDEN"];
    expect(await refusal(viewer.post("/v1/batches", {}))).toEqual(refused);
    expect(await refusal(viewer.post(`/v1/batches/${id}/members`, { tasks: [LATER] }))).toEqual(refused);
    expect(await refusal(viewer.post(`/v1/batches/${id}/seal`))).toEqual(refused);
    expect(await refusal(viewer.delete(`/v1/batches/${id}`))).toEqual(refused);
  });

  test.each<{ call: string; body?: object; paths: string[] }>([
    {
      call: "POST /v1/batches",
      body: { name: "a b", colour: 1, tasks: [{ type: "a" }, { type: "b", merge: {} }], retryDead: true, shards: 0 },
      paths: ["colour", "name", "retryDead", "shards", "tasks", "tasks[1].merge"],
    },
    {
      call: "POST /v1/batches",
      body: { onComplete: { type: "x y" }, onSuccess: { type: "a", key: "k" } },
      paths: ["onComplete.type", "onSuccess.key"],
    },
    { call: `POST /v1/batches/${NO_BATCH}/members`, body: { tasks: [], more: 1 }, paths: ["more", "tasks"] },
    {
      call: "GET /v1/batches?state=dead&limit=0&cursor=x&colour=1",
      paths: ["colour", "cursor", "limit", "state"],
    },
    { call: `GET /v1/batches/${NO_BATCH}/members?state=open&limit=201`, paths: ["limit", "state"] },
  ])("$call lists every fault of bad input: $paths", async ({ call, body, paths }) => {
    const [method, path] = call.split(" ") as [string, string];
    const answer = await api.send<Problem>(method, path, { body: body && JSON.stringify(body) });
    expect([answer.status, answer.body.code]).toEqual([400, "VALIDATION_FAILED"]);
    expect(answer.body.errors.map((fault) => fault.path).toSorted()).toEqual(paths);
  });

  test("more than 10,000 members of a batch in one call are refused as a list", async () => {
    const { id } = await make();
    const tasks = Array.from({ length: 10_001 }, () => ({ type: "a" }));
    for (const path of ["/v1/batches", `/v1/batches/${id}/members`]) {
      const { status, body } = await api.post<Problem>(path, { tasks });
      expect([status, body.errors.map((fault) => fault.path)]).toEqual([400, ["tasks"]]);
    }
  });

  test("an idempotency key that is too long is a fault of its header", async () => {
    const { id } = await make();
    const headers = { "Idempotency-Key": "k".repeat(257) };
    const answer = await api.send<Problem>("POST", `/v1/batches/${id}/members`, {
      body: JSON.stringify({ tasks: [LATER] }),
      headers,
    });
    expect([answer.status, answer.body.errors[0]!.path]).toEqual([400, "Idempotency-Key"]);
  });

  describe("over GraphQL", () => {
    async function ask<Data>(query: string, variables: object = {}): Promise<Data> {
      const { body } = await api.post<{ data: Data; errors?: unknown }>("/graphql", { query, variables });
      expect(body.errors).toBeUndefined();
      return body.data;
    }

    test("a batch is made, filled, sealed, listed and cancelled over GraphQL as over REST", async () => {
      const name = nameOf("graphql");
      const input = { name, tasks: [LATER], onComplete: { type: "test.echo" }, deadline: "4h", failFast: true };
      const fields = "id name state progress counts { total live } onComplete { type taskId } failFast shards";
      const { createBatch: made } = await ask<{ createBatch: BatchBody }>(
        `mutation ($input: BatchInput!) { createBatch(input: $input) { ${fields} } }`,
        { input },
      );
      expect(made).toMatchObject({ name, state: "filling", onComplete: { type: "test.echo", taskId: null } });
      const add = `mutation ($id: ID!, $tasks: [TaskInput!]!, $key: String) {
        addBatchMembers(id: $id, tasks: $tasks, idempotencyKey: $key) {
          batch { id } replayed results { status task { batchId payload } error { errors { path } } }
        }
      }`;
      const variables = { id: made.id, tasks: [{ ...LATER, payload: 2 }, { type: "a b" }], key: randomUUID() };
      const added = (await ask<{ addBatchMembers: object }>(add, variables)).addBatchMembers;
      const results = [
        { status: "created", task: { batchId: made.id, payload: 2 }, error: null },
        { status: "rejected", task: null, error: { errors: [{ path: "tasks[1].type" }] } },
      ];
      expect(added).toEqual({ batch: { id: made.id }, replayed: false, results });
      const again = (await ask<{ addBatchMembers: object }>(add, variables)).addBatchMembers;
      expect(again).toEqual({ ...added, replayed: true });
      const page = "nodes { batchId shard { index } } pageInfo { hasNextPage endCursor }";
      const asked = `batchMembers(id: "${made.id}", state: [scheduled], first: 1) { ${page} }`;
      const { batchMembers } = await ask<{ batchMembers: { nodes: object[]; pageInfo: { hasNextPage: boolean } } }>(
        `{ ${asked} }`,
      );
      expect(batchMembers.nodes).toEqual([{ batchId: made.id, shard: null }]);
      expect(batchMembers.pageInfo.hasNextPage).toBe(true);
      const sealed = await ask<{ sealBatch: object }>(`mutation { sealBatch(id: "${made.id}") { state } }`);
      expect(sealed).toEqual({ sealBatch: { state: "open" } });
      const list = `batches(filter: { state: [open], namePrefix: "${name}" }, first: 1) { nodes { id } pageInfo { endCursor } incomplete }`;
      expect(await ask(`{ ${list} }`)).toEqual({
        batches: { nodes: [{ id: made.id }], pageInfo: { endCursor: null }, incomplete: false },
      });
      const stopped = `mutation { cancelBatch(id: "${made.id}") { state stop { reason } } }`;
      expect(await ask(stopped)).toEqual({ cancelBatch: { state: "cancelled", stop: { reason: "REQUESTED" } } });
      expect(await ask(`{ batch(id: "${made.id}") { name } none: batch(id: "${NO_BATCH}") { name } }`)).toEqual({
        batch: { name },
        none: null,
      });
    });

    test("shards and a deadline of a batch may be numbers or words over GraphQL", async () => {
      for (const [shards, deadline] of [
        ["2", "3600000"],
        ['"nodes"', '"2099-01-01T00:00:00Z"'],
      ] as const) {
        const task = `tasks: [{ type: "test.later", delay: "1h" }]`;
        const field = `createBatch(input: { ${task}, shards: ${shards}, deadline: ${deadline} }) { shards deadlineAt }`;
        const { createBatch } = await ask<{ createBatch: { shards: number; deadlineAt: string } }>(
          `mutation { ${field} }`,
        );
        expect(createBatch.shards).toBeGreaterThan(0);
        expect(Date.parse(createBatch.deadlineAt)).not.toBeNaN();
      }
    });

    test("refusals of batches over GraphQL carry REST's codes and every fault", async () => {
      const failed = async (field: string): Promise<object> => {
        const { body } = await api.post<{ errors: { extensions: object }[] }>("/graphql", {
          query: `mutation { ${field} }`,
        });
        return body.errors[0]!.extensions;
      };
      expect(await failed(`sealBatch(id: "${NO_BATCH}") { id }`)).toMatchObject({ code: "BATCH_NOT_FOUND" });
      const bad = `createBatch(input: { name: "a b", tasks: [{ type: "a", maxWait: "1h" }], retryDead: true }) { id }`;
      expect(await failed(bad)).toMatchObject({
        code: "VALIDATION_FAILED",
        errors: [{ path: "name" }, { path: "retryDead" }, { path: "tasks[0].maxWait" }],
      });
    });
  });
});
