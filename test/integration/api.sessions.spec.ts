import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { FastifyAdapter, type NestFastifyApplication } from "@nestjs/platform-fastify";
import type { NestExpressApplication } from "@nestjs/platform-express";
import { NestFactory } from "@nestjs/core";
import { ApiKeyRing, DelayTaskApiModule, hashApiKey } from "@tickwheel/api";
import { DelayTaskModule } from "@tickwheel/nestjs";
import pg from "pg";
import { ApiApplication } from "../support/api-application.js";
import { ApiClient, type Problem, type SessionBody } from "../support/api-client.js";
import { newTestKey } from "../support/cluster.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.stop());

describe.each(["fastify", "express"] as const)("the session of the page on %s", (platform) => {
  let app: ApiApplication;
  let database: pg.Client;

  beforeAll(async () => {
    const url = await postgres.createDatabase(`sessions_${platform}`);
    app = await ApiApplication.start(platform, url);
    database = new pg.Client({ connectionString: url });
    await database.connect();
  });
  afterAll(async () => {
    await database.end();
    await app.stop();
  });

  const nobody = (headers: Record<string, string> = {}): ApiClient => new ApiClient(app.url, null, headers);
  test("the session of the page is a cookie that no script reads and no other site sends, with what the page needs to know", async () => {
    const { status, headers, body } = await app.admin.post<SessionBody>("/v1/session", { key: app.key });
    expect(status).toBe(201);
    expect(headers.get("set-cookie")).toMatch(
      /^tickwheel_session=tws_[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=43200$/,
    );
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body).toMatchObject({ role: "admin", namespace: "default", cluster: true });
    const cookie = headers.get("set-cookie")!.split(";", 1)[0]!;
    const shown = await nobody({ cookie: `other=1; ${cookie}; more=2` }).get<SessionBody>("/v1/session");
    expect([shown.status, shown.body]).toEqual([200, body]);
  });

  test("the session of the page stands in the database by its secret's hash, and neither secret nor token is anywhere in it", async () => {
    const { headers, body } = await nobody().post<SessionBody>("/v1/session", { key: app.key });
    const secret = /=([^;]+)/.exec(headers.get("set-cookie")!)![1]!;
    const { rows } = await database.query("SELECT s::text AS row FROM tickwheel.session s");
    const text = JSON.stringify(rows);
    expect(text).toContain(hashApiKey(secret));
    for (const hidden of [secret, body.csrfToken]) expect(text).not.toContain(hidden);
  });

  test("the session of the page may change something with its token alone, may read without, and a key in the header wins", async () => {
    const session = await app.admin.logIn();
    const task = { type: "test.later", delay: "1h" };
    expect((await session.post("/v1/tasks", task)).status).toBe(201);
    expect(
      (await session.graphql('mutation { scheduleTask(input: { type: "test.later", delay: "1h" }) { outcome } }'))
        .errors,
    ).toBeUndefined();
    const forged = session.without("x-csrf-token");
    for (const headers of [undefined, { "x-csrf-token": "" }, { "x-csrf-token": "wrong" }]) {
      const { status, body } = await forged.post<Problem>("/v1/tasks", task, headers);
      expect([status, body.code]).toEqual([403, "CSRF_TOKEN_INVALID"]);
    }
    expect((await forged.get("/v1/tasks")).status).toBe(200);
    expect((await forged.get(`/graphql?query=${encodeURIComponent("{ stats { overdue } }")}`)).status).toBe(200);
    expect((await forged.post("/v1/tasks", task, { authorization: `Bearer ${app.key}` })).status).toBe(201);
    const withKey = (authorization: string) => session.send("GET", "/v1/tasks", { headers: { authorization } });
    expect((await withKey(`Bearer ${newTestKey()}`)).status).toBe(401);
    expect((await session.send("GET", "/v1/tasks", { headers: { authorization: "Basic dXNlcjpwYXNz" } })).status).toBe(
      200,
    );
  });

  test("the session of another page has another token", async () => {
    const one = await app.admin.logIn();
    const other = await app.admin.post<SessionBody>("/v1/session", { key: app.key });
    const answer = await one.post<Problem>("/v1/tasks", {}, { "x-csrf-token": other.body.csrfToken });
    expect(answer.body.code).toBe("CSRF_TOKEN_INVALID");
  });

  test("the session of the page is over with the log-out, which may be repeated", async () => {
    const session = await app.admin.logIn();
    expect((await session.get("/v1/tasks")).status).toBe(200);
    for (let time = 0; time < 2; time++) {
      const { status, headers } = await session.delete("/v1/session");
      expect([status, headers.get("set-cookie")]).toEqual([
        204,
        expect.stringMatching(/^tickwheel_session=; .*Max-Age=0/),
      ]);
    }
    for (const path of ["/v1/session", "/v1/tasks"]) expect((await session.get(path)).status).toBe(401);
    expect((await nobody().delete("/v1/session")).status).toBe(204);
  });

  test("a session is refused to a wrong key, which no answer repeats, and the eleventh wrong one in a minute is not looked at", async () => {
    const tried = newTestKey();
    const statuses: number[] = [];
    for (let count = 0; count < 10; count++) {
      const { status, body } = await nobody().post<Problem>("/v1/session", { key: tried });
      statuses.push(status);
      expect([body.code, JSON.stringify(body).includes(tried)]).toEqual(["UNAUTHENTICATED", false]);
    }
    const { status, headers, body } = await nobody().post<Problem>("/v1/session", { key: app.key });
    expect([new Set(statuses), status, body.code]).toEqual([new Set([401]), 429, "RATE_LIMITED"]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(1);
    expect(Number(headers.get("retry-after"))).toBeLessThanOrEqual(60);
  });

  test.each(["", "{}", "[]", "null", '{"key":1}', '{"key":"x","more":1}', "{", `{"key":"${"x".repeat(5_000)}"}`])(
    "the session of the page is not made by the body %j",
    async (body) => {
      const answer = await nobody().send<Problem>("POST", "/v1/session", { body });
      expect([400, 413]).toContain(answer.status);
    },
  );

  test("the session of the page needs a body that no form of another site can send", async () => {
    const headers = { "content-type": "text/plain" };
    const answer = await nobody().send("POST", "/v1/session", { body: JSON.stringify({ key: app.key }), headers });
    expect(answer.status).toBe(415);
  });
});

describe.each(["fastify", "express"] as const)("a mounted API behind a proxy on %s", (platform) => {
  test("a mounted API behind a trusted proxy gives a cookie for its own paths alone, only over TLS where the proxy says so", async () => {
    const url = await postgres.createDatabase(`sessions_proxy_${platform}`);
    class Root {}
    const module = {
      module: Root,
      imports: [
        DelayTaskApiModule.forRoot({ path: "tickwheel", notice: false }),
        DelayTaskModule.forRoot({ url, redis: null, heartbeat: "loop" }),
      ],
    };
    const app = await (platform === "fastify"
      ? NestFactory.create<NestFastifyApplication>(module, new FastifyAdapter({ trustProxy: true }), {
          logger: ["error"],
        })
      : NestFactory.create<NestExpressApplication>(module, { logger: ["error"] }));
    if (platform === "express") (app as NestExpressApplication).set("trust proxy", true);
    app.setGlobalPrefix("ops/api");
    const key = newTestKey();
    await app.get(ApiKeyRing, { strict: false }).ensureFirstKey(key, "default");
    await app.listen(0, "127.0.0.1");
    try {
      const client = new ApiClient(await app.getUrl(), null);
      const path = "/ops/api/tickwheel/v1/session";
      const { headers } = await client.post(path, { key }, { "x-forwarded-proto": "https" });
      expect(headers.get("set-cookie")).toMatch(/; Path=\/ops\/api\/tickwheel; Max-Age=43200; Secure$/);
      const cookie = headers.get("set-cookie")!.split(";", 1)[0]!;
      expect((await new ApiClient(client.url, null, { cookie }).get("/ops/api/tickwheel/v1/tasks")).status).toBe(200);
      expect((await client.post(path, { key })).headers.get("set-cookie")).not.toContain("Secure");
    } finally {
      await app.close();
    }
  });
});
