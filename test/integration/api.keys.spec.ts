import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { SystemClock } from "@tickwheel/core";
import { hashApiKey } from "@tickwheel/api";
import pg from "pg";
import { ApiApplication } from "../support/api-application.js";
import { ApiClient, type Answer, type Problem } from "../support/api-client.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

interface KeyBody {
  id: string;
  name: string | null;
  prefix: string | null;
  role: string;
  cluster: boolean;
  types: string[] | null;
  state: string;
  expiresAt: string | null;
  createdBy: string;
  replacedBy: string | null;
  usedAt: string | null;
  usedFrom: string | null;
}
interface MadeBody {
  key: string;
  apiKey: KeyBody;
}

/** A clock that a test moves ahead. */
class MovedClock extends SystemClock {
  aheadMs = 0;
  override monotonicMs(): number {
    return super.monotonicMs() + this.aheadMs;
  }
}

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres?.stop());

describe.each(["fastify", "express"] as const)("API keys over %s", (platform) => {
  let app: ApiApplication;
  let other: ApiApplication;
  let clock: MovedClock;
  let database: pg.Client;
  let made = 0;

  beforeAll(async () => {
    const url = await postgres.createDatabase(`keys_${platform}`);
    app = await ApiApplication.start(platform, url);
    clock = new MovedClock();
    other = await ApiApplication.startOn(clock, platform, url);
    database = new pg.Client({ connectionString: url });
    await database.connect();
    // The key of the node that started last is the first key now.
    app = Object.assign(app, { admin: new ApiClient(app.url, other.key) });
  });
  afterAll(async () => {
    await database?.end();
    await app?.stop();
    await other?.stop();
  });

  async function make(input: object = {}): Promise<MadeBody> {
    const given = { name: `key-${made++}`, role: "operator", ...input };
    const { status, body } = await app.admin.post<MadeBody>("/v1/api-keys", given);
    expect(status).toBe(201);
    return body;
  }
  const told = ({ status, body }: Answer<unknown>): unknown[] => [status, (body as Problem).code];
  const remove = (client: ApiClient, id: string, body?: object): Promise<Answer<KeyBody>> =>
    client.send("DELETE", `/v1/api-keys/${id}`, { body: body && JSON.stringify(body) });

  test("API keys are shown once, and no store, no list and no log holds more than how they begin", async () => {
    const answer = await app.admin.post<MadeBody>("/v1/api-keys", { name: "shown", role: "viewer" });
    const { key, apiKey } = answer.body;
    expect(key).toMatch(/^twk_[\w-]{43}$/);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(apiKey).toMatchObject({ name: "shown", prefix: key.slice(0, 9), role: "viewer", state: "works" });
    const { rows } = await database.query("SELECT k::text AS row FROM tickwheel.api_key k");
    const { rows: audited } = await database.query("SELECT a::text AS row FROM tickwheel.audit a");
    const listed = await app.admin.get("/v1/api-keys");
    for (const text of [rows, audited, listed.body].map((value) => JSON.stringify(value))) {
      expect(text).toContain(apiKey.id);
      expect(text).not.toContain(key);
    }
    expect(JSON.stringify(rows)).toContain(hashApiKey(key));
  });

  test("API keys let their owner see the own one, and nobody else's", async () => {
    const { key, apiKey } = await make();
    const client = new ApiClient(app.url, key);
    expect((await client.get<KeyBody>("/v1/api-keys/self")).body).toMatchObject({ id: apiKey.id, name: apiKey.name });
    expect(told(await client.get(`/v1/api-keys/${apiKey.id}`))).toEqual([403, "FORBIDDEN"]);
    const { body } = await app.admin.get<{ items: KeyBody[] }>("/v1/api-keys?state=works&limit=200");
    expect(body.items.map(({ id }) => id)).toContain(apiKey.id);
  });

  test("API keys find what they have created by their name, also when they were rotated", async () => {
    const { key, apiKey } = await make();
    const task = await new ApiClient(app.url, key).schedule({ type: "by-name", delay: "1h" });
    const { body: rotated } = await app.admin.post<MadeBody>(`/v1/api-keys/${apiKey.id}/rotate`, { overlap: "1h" });
    const next = await new ApiClient(app.url, rotated.key).schedule({ type: "by-name", delay: "1h" });
    const found = await app.admin.get<{ items: { id: string }[] }>(`/v1/tasks?q=by:${apiKey.name}`);
    expect(found.body.items.map(({ id }) => id)).toEqual([next.id, task.id]);
    const unknown = await app.admin.get<Problem>("/v1/tasks?createdBy=nobody-has-it");
    expect([unknown.status, unknown.body.errors.map(({ path }) => path)]).toEqual([400, ["createdBy"]]);
  });

  test("API keys are given no right that their giver has not, and no name twice", async () => {
    const { key } = await make({ role: "admin" });
    const plain = new ApiClient(app.url, key);
    const wide = { name: "wide", role: "admin", cluster: true };
    expect(told(await plain.post("/v1/api-keys", wide))).toEqual([403, "FORBIDDEN"]);
    const { apiKey } = await make({ ...wide });
    expect(told(await plain.post(`/v1/api-keys/${apiKey.id}/rotate`, {}))).toEqual([403, "FORBIDDEN"]);
    expect(told(await app.admin.post("/v1/api-keys", wide))).toEqual([409, "KEY_EXISTS"]);
  });

  test.each([
    [{}, ["name", "role"]],
    [{ name: "a b", role: "root", cluster: 1, expiresAt: "soon" }, ["cluster", "expiresAt", "name", "role"]],
    [{ name: "x".repeat(65), role: "viewer" }, ["name"]],
    [{ name: "over", role: "viewer", expiresAt: "2001-01-01T00:00:00Z" }, ["expiresAt"]],
    [{ name: "over", role: "viewer", hash: "mine" }, ["hash"]],
    [{ name: "over", role: "worker" }, ["types"]],
    [{ name: "over", role: "operator", types: ["mail.send"] }, ["types"]],
    [{ name: "over", role: "worker", types: ["mail.send", "a b"] }, ["types[1]"]],
    [{ name: "over", role: "worker", types: ["a"], cluster: true, rights: ["payload"] }, ["cluster", "rights"]],
  ])("API keys are not made of %j", async (input, paths) => {
    const { status, body } = await app.admin.post<Problem>("/v1/api-keys", input);
    expect([status, body.errors.map(({ path }) => path).toSorted()]).toEqual([400, paths]);
  });

  test("API keys of workers name types, which a change replaces and a rotation keeps; no page is logged in with them", async () => {
    const types = ["image.*", "mail.send"];
    const { key, apiKey } = await make({ role: "worker", types });
    expect(apiKey).toMatchObject({ role: "worker", types });
    const path = `/v1/api-keys/${apiKey.id}`;
    expect((await app.admin.patch<KeyBody>(path, { types: ["image.*"] })).body.types).toEqual(["image.*"]);
    const sql = "SELECT before, after FROM tickwheel.audit WHERE target = $1 AND action = 'api_key.update'";
    const { rows } = await database.query(sql, [`key:${apiKey.id}`]);
    expect(rows).toEqual([{ before: { types }, after: { types: ["image.*"] } }]);
    const rotated = await app.admin.post<MadeBody>(`${path}/rotate`, { overlap: "1h" });
    expect(rotated.body.apiKey).toMatchObject({ role: "worker", types: ["image.*"] });
    for (const text of [key, rotated.body.key]) {
      const logIn = await new ApiClient(app.url, null).post<Problem>("/v1/session", { key: text });
      expect([...told(logIn), logIn.body.detail]).toEqual([403, "FORBIDDEN", expect.stringContaining("no session")]);
      expect(logIn.headers.get("set-cookie")).toBeNull();
    }
  });

  test("API keys become a worker's, or cease to be, by a rotation that names what belongs to the role", async () => {
    const faultsOf = ({ status, body }: Answer<unknown>): unknown => [
      status,
      (body as Problem).errors.map(({ path }) => path),
    ];
    const { apiKey } = await make({ role: "operator", rights: ["payload"] });
    const path = `/v1/api-keys/${apiKey.id}`;
    expect(faultsOf(await app.admin.patch(path, { types: ["a"] }))).toEqual([400, ["types"]]);
    expect(faultsOf(await app.admin.post(`${path}/rotate`, { types: ["a"] }))).toEqual([400, ["types"]]);
    expect(faultsOf(await app.admin.post(`${path}/rotate`, { role: "worker" }))).toEqual([400, ["types", "rights"]]);
    const asked = { role: "worker", types: ["a"], rights: [] };
    const worker = await app.admin.post<MadeBody>(`${path}/rotate`, asked);
    expect(worker.body.apiKey).toMatchObject({ role: "worker", types: ["a"], rights: [] });
    const next = await app.admin.post<MadeBody>(`/v1/api-keys/${worker.body.apiKey.id}/rotate`, { role: "viewer" });
    expect(next.body.apiKey).toMatchObject({ role: "viewer", types: null });
  });

  test("API keys work on no node and in no session within 5 s of their revocation", async () => {
    const { key, apiKey } = await make();
    const client = new ApiClient(other.url, key);
    const page = await new ApiClient(other.url, key).logIn();
    for (const caller of [client, page]) expect((await caller.get("/v1/tasks")).status).toBe(200);
    const revoked = await remove(app.admin, apiKey.id, { reason: "lost" });
    expect([revoked.status, revoked.body.state]).toEqual([200, "revoked"]);
    expect((await remove(app.admin, apiKey.id)).status).toBe(200);
    clock.aheadMs += 5_000;
    for (const caller of [client, page]) expect(told(await caller.get("/v1/tasks"))).toEqual([401, "UNAUTHENTICATED"]);
    expect(told(await app.admin.patch(`/v1/api-keys/${apiKey.id}`, { name: "new" }))).toEqual([404, "KEY_NOT_FOUND"]);
  });

  test("API keys are not revoked by those who call with them, unless they say so", async () => {
    const { key, apiKey } = await make({ role: "admin" });
    const client = new ApiClient(app.url, key);
    for (const caller of [client, await client.logIn()])
      expect(told(await remove(caller, apiKey.id))).toEqual([409, "OWN_KEY"]);
    expect((await remove(client, apiKey.id, { self: true })).status).toBe(200);
  });

  test("API keys are renamed, get an end, and are rotated with an overlap; their namespace keeps an administrator", async () => {
    const { key, apiKey } = await make();
    const renamed = await app.admin.patch<KeyBody>(`/v1/api-keys/${apiKey.id}`, { name: `renamed-${platform}` });
    expect(renamed.body).toMatchObject({ name: `renamed-${platform}`, expiresAt: null });
    const path = `/v1/api-keys/${apiKey.id}/rotate`;
    const { status, headers, body } = await app.admin.post<MadeBody>(path, { overlap: "1h" });
    expect([status, headers.get("cache-control"), body.apiKey.name]).toEqual([201, "no-store", renamed.body.name]);
    for (const text of [key, body.key]) expect((await new ApiClient(app.url, text).get("/v1/tasks")).status).toBe(200);
    const old = await app.admin.get<KeyBody>(`/v1/api-keys/${apiKey.id}`);
    expect(old.body).toMatchObject({ replacedBy: body.apiKey.id, expiresAt: expect.any(String) });
    expect(told(await app.admin.post(path, { overlap: "31d" }))).toEqual([400, "VALIDATION_FAILED"]);
    const alone = await app.clientAs({ role: "admin", namespace: "alone" });
    const { id } = (await alone.get<KeyBody>("/v1/api-keys/self")).body;
    const end = new Date(Date.now() + 3_600_000).toISOString();
    expect(told(await alone.patch(`/v1/api-keys/${id}`, { expiresAt: end }))).toEqual([409, "LAST_ADMIN_KEY"]);
    expect(told(await remove(alone, id, { self: true }))).toEqual([409, "LAST_ADMIN_KEY"]);
  });

  test("API keys are managed over GraphQL as well", async () => {
    const create = `mutation { createApiKey(input: { name: "graph-${platform}", role: operator }) { key apiKey { id prefix } } }`;
    const { data } = await app.admin.graphql<{ createApiKey: MadeBody }>(create);
    const { key, apiKey } = data.createApiKey;
    expect(key.startsWith(apiKey.prefix!)).toBe(true);
    const id = JSON.stringify(apiKey.id);
    const asked = `mutation { updateApiKey(id: ${id}, name: "graph2-${platform}") { name }
      rotateApiKey(id: ${id}, overlap: "0s") { key apiKey { name role } }
      revokeApiKey(id: ${id}, reason: "tried") { state replacedBy } }`;
    const changed = await app.admin.graphql<Record<string, unknown>>(asked);
    expect(changed).toEqual({
      data: {
        updateApiKey: { name: `graph2-${platform}` },
        rotateApiKey: {
          key: expect.stringMatching(/^twk_/),
          apiKey: { name: `graph2-${platform}`, role: "operator" },
        },
        revokeApiKey: { state: "revoked", replacedBy: expect.any(String) },
      },
    });
    const worker = `mutation { createApiKey(input: { name: "w-${platform}", role: worker, types: ["a.*"] }) { apiKey { role types } } }`;
    expect(await app.admin.graphql(worker)).toEqual({
      data: { createApiKey: { apiKey: { role: "worker", types: ["a.*"] } } },
    });
    const looked = `{ apiKey(id: ${id}) { id } ownApiKey { role } apiKeys(state: [revoked], first: 1) { nodes { state } } }`;
    expect(await app.admin.graphql(looked)).toEqual({
      data: {
        apiKey: { id: apiKey.id },
        ownApiKey: { role: "admin" },
        apiKeys: { nodes: [{ state: "revoked" }] },
      },
    });
  });

  test("API keys tell when and from where they were used last; a node that stops writes what it has seen", async () => {
    const { key, apiKey } = await make();
    const url = await postgres.createDatabase(`uses_${platform}`);
    const short = await ApiApplication.start(platform, url);
    await short.admin.get("/v1/tasks");
    await short.stop();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query("SELECT used_from, used_at IS NOT NULL AS used FROM tickwheel.api_key");
    await client.end();
    expect(rows).toEqual([{ used_from: expect.stringContaining("127.0.0.1"), used: true }]);
    expect((await new ApiClient(app.url, key).get<KeyBody>("/v1/api-keys/self")).body.usedAt).toBeNull();
    expect(apiKey.usedFrom).toBeNull();
  });
});
