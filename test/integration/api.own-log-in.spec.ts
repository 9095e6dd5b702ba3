import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { ExpressAdapter } from "@nestjs/platform-express";
import { FastifyAdapter } from "@nestjs/platform-fastify";
import { type ApplicationUser, type AskedRequest, DelayTaskApiModule } from "@tickwheel/api";
import { DelayTaskModule } from "@tickwheel/nestjs";
import pg from "pg";
import { ApiClient, type Answer, type Problem, type SessionBody } from "../support/api-client.js";
import { type HostedApi, hostApi } from "../support/app/hosted-api.js";
import { newTestKey } from "../support/cluster.js";
import { EventStream } from "../support/event-stream.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

const USERS: Readonly<Record<string, () => ApplicationUser | null | Promise<ApplicationUser | null>>> = {
  alice: () => ({ role: "admin", name: "alice@example.com" }),
  vera: () => Promise.resolve({ role: "viewer", name: "Vera Ö." }),
  bank: () => ({ role: "operator", name: "bank", namespace: "bank" }),
  wide: () => ({ role: "viewer", name: "wide", cluster: true }),
  resizer: () => ({ role: "worker", name: "resizer", types: ["image.*"] }),
  wrong: () => ({ role: "root", name: "wrong" }) as unknown as ApplicationUser,
  broken: () => {
    throw new Error("the session store is away");
  },
};
const TASK = { type: "mail.send", delay: "1h" };
const ADAPTERS = { express: () => new ExpressAdapter(), fastify: () => new FastifyAdapter() };

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres?.stop());

describe.each(["express", "fastify"] as const)("the API behind an application's own log-in on %s", (platform) => {
  const key = newTestKey();
  let served: HostedApi;
  let database: pg.Client;
  let asked = 0;

  /** The application's own log-in is a cookie. */
  function authenticate({ headers }: AskedRequest): ReturnType<(typeof USERS)[string]> {
    asked += 1;
    const name = /(?:^|; )sid=(\w+)/.exec(headers.cookie ?? "")?.[1] ?? "";
    return USERS[name]?.() ?? null;
  }

  beforeAll(async () => {
    const url = await postgres.createDatabase(`own_log_in_${platform}`);
    const imports = [
      DelayTaskApiModule.forRoot({ notice: false, metrics: true, authenticate }),
      DelayTaskModule.forRoot({ url, heartbeat: "loop" }),
    ];
    served = await hostApi({ imports }, key, ADAPTERS[platform]());
    database = new pg.Client({ connectionString: url });
    await database.connect();
  });
  afterAll(async () => {
    await database?.end();
    await served?.app.close();
  });
  beforeEach(() => {
    asked = 0;
  });

  const as = (user: string, headers: Record<string, string> = { "x-csrf-token": "any" }): ApiClient =>
    new ApiClient(served.api.url, null, { cookie: `theme=dark; sid=${user}`, ...headers });
  const told = ({ status, body }: Answer<unknown>): unknown[] => [status, (body as Problem).code];

  test("an application's own log-in lets its users into the API by their roles and namespaces, and nobody else", async () => {
    expect((await as("vera").get("/v1/tasks")).status).toBe(200);
    expect(told(await as("vera").post("/v1/tasks", TASK))).toEqual([403, "FORBIDDEN"]);
    for (const user of ["nobody", "wrong", "broken"])
      for (const path of ["/v1/tasks", "/v1/stream?topics=stats", "/openapi.json", "/v1/session", "/metrics"])
        expect(told(await as(user).get(path))).toEqual([401, "UNAUTHENTICATED"]);
    const made = await as("bank").post<{ namespace: string }>("/v1/tasks", TASK);
    expect([made.status, made.body.namespace]).toEqual([201, "bank"]);
    expect((await as("wide").get("/metrics")).status).toBe(200);
    expect(told(await as("alice").get("/v1/cluster"))).toEqual([403, "FORBIDDEN"]);
    for (const path of ["/v1/tasks", "/v1/stream?topics=stats", "/openapi.json", "/v1/session", "/metrics"])
      expect(told(await as("resizer").get(path))).toEqual([403, "FORBIDDEN"]);
  });

  test("an application's own log-in names its users in tasks, journals and the audit", async () => {
    const { body } = await as("alice").post<{ id: string }>("/v1/tasks", TASK);
    const made = await database.query("SELECT created_by FROM tickwheel.task WHERE id = $1", [body.id]);
    expect(made.rows).toEqual([{ created_by: "user:alice@example.com" }]);
    const asked = `mutation { cancelTask(id: "${body.id}") { outcome } }`;
    expect((await as("alice").graphql(asked)).errors).toBeUndefined();
    const journal = await as("vera").get<{ items: { actor: string | null }[] }>(`/v1/tasks/${body.id}/journal`);
    expect(journal.body.items.map(({ actor }) => actor)).toContain("user:alice@example.com");
    const key = await as("alice").post<{ apiKey: { createdBy: string; usedAt: string | null } }>("/v1/api-keys", {
      name: "by-alice",
      role: "viewer",
    });
    expect(key.body.apiKey.createdBy).toBe("user:alice@example.com");
    const { rows } = await database.query("SELECT DISTINCT actor FROM tickwheel.audit");
    expect(rows).toEqual([{ actor: "user:alice@example.com" }]);
    expect(told(await as("alice").get("/v1/api-keys/self"))).toEqual([404, "KEY_NOT_FOUND"]);
    const wide = { name: "wide", role: "viewer", cluster: true };
    expect(told(await as("alice").post("/v1/api-keys", wide))).toEqual([403, "FORBIDDEN"]);
  });

  test("an application's own log-in changes nothing for another site: it needs a header that only its own page can send", async () => {
    const forged: Record<string, string>[] = [
      {},
      { "x-csrf-token": "" },
      { "x-csrf-token": "any", "sec-fetch-site": "cross-site" },
    ];
    for (const headers of forged) {
      expect(told(await as("alice", headers).post("/v1/tasks", TASK))).toEqual([403, "CSRF_TOKEN_INVALID"]);
      expect(told(await as("alice", headers).post("/graphql", { query: "{ __typename }" }))).toEqual([
        403,
        "CSRF_TOKEN_INVALID",
      ]);
    }
    const own = { "x-csrf-token": "any", "sec-fetch-site": "same-origin" };
    expect((await as("alice", own).post("/v1/tasks", TASK)).status).toBe(201);
    expect((await as("alice", {}).get("/v1/tasks")).status).toBe(200);
  });

  test("an application's own log-in tells the page who is logged in, so that it needs no log-in form", async () => {
    const { status, body } = await as("vera").get<SessionBody & { user: string }>("/v1/session");
    expect([status, body]).toEqual([
      200,
      {
        id: null,
        keyId: null,
        expiresAt: null,
        user: "Vera Ö.",
        role: "viewer",
        namespace: "default",
        cluster: false,
        rights: [],
        csrfToken: expect.any(String),
      },
    ]);
    const alice = await as("alice").get<SessionBody>("/v1/session");
    const page = as("alice", { "x-csrf-token": alice.body.csrfToken });
    expect((await page.post("/v1/tasks", TASK)).status).toBe(201);
  });

  test("an application's own log-in is not asked about keys and sessions of the page, also those that are none", async () => {
    const cookie = { cookie: "sid=alice" };
    expect((await new ApiClient(served.api.url, key, cookie).get("/v1/tasks")).status).toBe(200);
    expect((await new ApiClient(served.api.url, newTestKey(), cookie).get("/v1/tasks")).status).toBe(401);
    const session = await served.api.logIn();
    expect((await session.get("/v1/tasks")).status).toBe(200);
    expect((await session.get<SessionBody>("/v1/session")).body.keyId).toEqual(expect.any(String));
    const dead = `tickwheel_session=tws_${"x".repeat(43)}; sid=alice`;
    for (const path of ["/v1/tasks", "/v1/session"])
      expect((await new ApiClient(served.api.url, null, { cookie: dead }).get(path)).status).toBe(401);
    expect(asked).toBe(0);
  });

  test("the API behind an application's own log-in streams to its users", async () => {
    const stream = await EventStream.open(`${served.api.url}/v1/stream?topics=stats`, { cookie: "sid=vera" });
    await stream.seen("stats");
    stream.close();
  });
});
