import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { SystemClock } from "@tickwheel/core";
import pg from "pg";
import { ApiApplication } from "../support/api-application.js";
import { ApiClient, type Answer, type Problem, type SessionBody } from "../support/api-client.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

interface PageSessionBody {
  id: string;
  apiKey: string;
  keyName: string | null;
  keyPrefix: string | null;
  role: string;
  createdAt: string;
  usedAt: string;
  endsAt: string;
  isOwn: boolean;
}
interface Page {
  items: PageSessionBody[];
  nextCursor: string | null;
}
interface KeyBody {
  id: string;
  name: string;
  prefix: string;
  perSecondHere: number;
}

/** A clock that a test moves ahead. */
class MovedClock extends SystemClock {
  aheadMs = 0;
  override monotonicMs(): number {
    return super.monotonicMs() + this.aheadMs;
  }
}

const PATH = "/v1/sessions";

let postgres: TestPostgres;
let database: pg.Client;
let clock: MovedClock;
/** Two nodes of one cluster. */
let app: ApiApplication;
let other: ApiApplication;
let admin: ApiClient;
let made = 0;

beforeAll(async () => {
  postgres = await startTestPostgres();
  const url = await postgres.createDatabase("page_sessions");
  app = await ApiApplication.start("fastify", url);
  clock = new MovedClock();
  other = await ApiApplication.startOn(clock, "express", url);
  database = new pg.Client({ connectionString: url });
  await database.connect();
  // The key of the node that started last is the first key now.
  admin = new ApiClient(app.url, other.key);
});
afterAll(async () => {
  await database?.end();
  await app?.stop();
  await other?.stop();
  await postgres?.stop();
});

const told = ({ status, body }: Answer<unknown>): unknown[] => [status, (body as Problem).code];
const end = (client: ApiClient, id: string): Promise<Answer<PageSessionBody>> =>
  client.send("DELETE", `${PATH}/${id}`, {});
const idOf = async (page: ApiClient): Promise<string> => (await page.get<SessionBody>("/v1/session")).body.id!;

async function makeKey(role: string): Promise<{ key: string; apiKey: KeyBody }> {
  const { body } = await admin.post<{ key: string; apiKey: KeyBody }>("/v1/api-keys", { name: `key-${made++}`, role });
  return body;
}

test("the list of live sessions has their keys, the newest first, by pages, and marks the caller's own session", async () => {
  const { key, apiKey } = await makeKey("operator");
  const page = await new ApiClient(other.url, key).logIn();
  const own = await admin.logIn();
  const first = (await own.get<Page>(`${PATH}?limit=1`)).body;
  expect(first.items).toEqual([expect.objectContaining({ id: await idOf(own), keyName: null, isOwn: true })]);
  const second = (await own.get<Page>(`${PATH}?limit=1&cursor=${first.nextCursor}`)).body;
  expect(second.items).toEqual([
    {
      id: await idOf(page),
      apiKey: apiKey.id,
      keyName: apiKey.name,
      keyPrefix: apiKey.prefix,
      role: "operator",
      isOwn: false,
      createdAt: expect.any(String),
      usedAt: expect.any(String),
      endsAt: (await page.get<SessionBody>("/v1/session")).body.expiresAt,
    },
  ]);
  expect((await admin.get<Page>(PATH)).body.items.map(({ isOwn }) => isOwn)).not.toContain(true);
  expect(told(await admin.get(`${PATH}?cursor=any`))).toEqual([400, "VALIDATION_FAILED"]);
  await end(admin, await idOf(page));
  expect((await own.get<Page>(`${PATH}?cursor=${await idOf(own)}`)).body).toEqual({ items: [], nextCursor: null });
});

test("a session is ended on its node at once and on others within 5 s, its end is told to the audit, and its key stays", async () => {
  const { key, apiKey } = await makeKey("viewer");
  const near = await new ApiClient(app.url, key).logIn();
  const far = await new ApiClient(other.url, key).logIn();
  for (const page of [near, far]) {
    const id = await idOf(page);
    const ended = await end(admin, id.toUpperCase());
    expect([ended.status, ended.body]).toEqual([200, expect.objectContaining({ id, apiKey: apiKey.id })]);
    expect(told(await end(admin, id))).toEqual([404, "SESSION_NOT_FOUND"]);
    const { rows } = await database.query("SELECT actor, action, before FROM tickwheel.audit WHERE target = $1", [
      `session:${id}`,
    ]);
    const self = (await admin.get<KeyBody>("/v1/api-keys/self")).body.id;
    expect(rows).toEqual([
      { actor: `key:${self}`, action: "session.end", before: expect.objectContaining({ keyId: apiKey.id }) },
    ]);
  }
  expect(told(await near.get("/v1/tasks"))).toEqual([401, "UNAUTHENTICATED"]);
  clock.aheadMs += 5_000;
  expect(told(await far.get("/v1/tasks"))).toEqual([401, "UNAUTHENTICATED"]);
  expect((await new ApiClient(other.url, key).get("/v1/tasks")).status).toBe(200);
});

test("sessions of another namespace are neither shown nor ended, and sessions are closed to all but administrators", async () => {
  const foreign = await app.clientAs({ role: "admin", namespace: "foreign" });
  const page = await admin.logIn();
  const id = await idOf(page);
  expect((await foreign.get<Page>(PATH)).body).toEqual({ items: [], nextCursor: null });
  expect(told(await end(foreign, id))).toEqual([404, "SESSION_NOT_FOUND"]);
  expect((await foreign.get<Page>(`${PATH}?cursor=${id}`)).body.items).toEqual([]);
  for (const role of ["viewer", "operator"]) {
    const client = new ApiClient(app.url, (await makeKey(role)).key);
    expect(told(await client.get(PATH))).toEqual([403, "FORBIDDEN"]);
    expect(told(await end(client, id))).toEqual([403, "FORBIDDEN"]);
  }
  expect((await page.get("/v1/tasks")).status).toBe(200);
});

test("GraphQL logs a page in and out as REST does", async () => {
  const page = await admin.logIn();
  const id = await idOf(page);
  const looked = "{ sessions(first: 1) { nodes { id isOwn keyPrefix } pageInfo { hasNextPage } } }";
  expect(await page.graphql(looked)).toMatchObject({
    data: { sessions: { nodes: [{ id, isOwn: true, keyPrefix: null }] } },
  });
  const ended = `mutation { endSession(id: ${JSON.stringify(id)}) { id isOwn } }`;
  expect(await admin.graphql(ended)).toEqual({ data: { endSession: { id, isOwn: false } } });
  const { errors } = await admin.graphql(ended);
  expect(errors?.map(({ extensions }) => extensions?.code)).toEqual(["SESSION_NOT_FOUND"]);
  expect(told(await page.get("/v1/tasks"))).toEqual([401, "UNAUTHENTICATED"]);
});

test("a session that has gone unused for long, and one whose key has ended, are neither listed nor ended", async () => {
  const { key, apiKey } = await makeKey("viewer");
  const unused = await new ApiClient(app.url, key).logIn();
  const page = await new ApiClient(app.url, key).logIn();
  const ids = [await idOf(unused), await idOf(page)];
  const listed = async (): Promise<string[]> =>
    (await admin.get<Page>(PATH)).body.items.map(({ id }) => id).filter((id) => ids.includes(id));
  await database.query("UPDATE tickwheel.session SET over_at = now() WHERE id = $1", [ids[0]]);
  expect(await listed()).toEqual([ids[1]]);
  await database.query("UPDATE tickwheel.api_key SET expires_at = now() WHERE id = $1", [apiKey.id]);
  expect(await listed()).toEqual([]);
  for (const id of ids) expect(told(await end(admin, id))).toEqual([404, "SESSION_NOT_FOUND"]);
});

test("a key's requests a second on the node that answers are told with the key, those of its sessions among them", async () => {
  const { key, apiKey } = await makeKey("viewer");
  const client = new ApiClient(app.url, key);
  const page = await client.logIn();
  for (let time = 0; time < 6; time++) await (time < 3 ? client : page).get("/v1/tasks?limit=1");
  const shown = (await admin.get<{ items: KeyBody[] }>("/v1/api-keys?limit=200")).body.items;
  expect(shown.find(({ id }) => id === apiKey.id)?.perSecondHere).toBeGreaterThan(0);
  const elsewhere = new ApiClient(other.url, other.key);
  expect((await elsewhere.get<KeyBody>(`/v1/api-keys/${apiKey.id}`)).body.perSecondHere).toBe(0);
});
