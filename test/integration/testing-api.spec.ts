import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { INestApplication } from "@nestjs/common";
import { Test } from "@nestjs/testing";
import { ApiKeyRing, DelayTaskApiModule } from "@tickwheel/api";
import { DelayTaskModule } from "@tickwheel/nestjs";
import { DelayTaskTesting, DelayTaskTestingModule } from "@tickwheel/testing/nest";
import { Diary, Writer } from "../support/app/diary-app.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

let postgres: TestPostgres;
let app: INestApplication | undefined;
beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterEach(() => app?.close());
afterAll(() => postgres?.stop());

/** An application with the API, and its caller. */
async function open(where: string) {
  const imports = [
    DelayTaskApiModule.forRoot({ path: "tickwheel" }),
    DelayTaskModule.forRoot({ url: "postgres://nowhere.invalid/shop", namespace: "shop" }),
  ];
  const builder = Test.createTestingModule({ imports, providers: [Diary, Writer] });
  const options = where === "on Postgres" ? { url: postgres.superuserUrl } : {};
  const made = await DelayTaskTestingModule.in(builder, options).compile();
  app = made.createNestApplication();
  await app.listen(0, "127.0.0.1");
  const key = await app.get(ApiKeyRing).ensureFirstKey(null, "shop");
  const { port } = app.getHttpServer().address() as AddressInfo;
  const call = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`http://127.0.0.1:${port}/tickwheel${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  return { call, tasks: DelayTaskTesting.of(made), diary: app.get(Diary) };
}

describe.each(["in memory", "on Postgres"])("an application with the API, %s", (where) => {
  test("an application with the API is called over HTTP while its time stands, and its tasks run when the time moves", async () => {
    const { call, tasks, diary } = await open(where);
    const made = await call("POST", "/v1/tasks", { type: "diary.write", payload: { text: "x" }, delay: "15m" });
    expect([made.status, made.body["state"]]).toEqual([201, "scheduled"]);
    const many = Array.from({ length: 600 }, (_, at) => ({
      type: "diary.write",
      payload: { text: `${at}` },
      delay: "1d",
    }));
    const bulk = await call("POST", "/v1/tasks/bulk", { tasks: many });
    expect([bulk.status, (bulk.body["results"] as unknown[]).length]).toEqual([200, 600]);
    await tasks.advance("15m");
    expect(diary.lines).toEqual(["x"]);
    const { body } = await call("GET", `/v1/tasks/${String(made.body["id"])}`);
    expect(body["state"]).toBe("succeeded");
    const paths = ["/health/live", "/health/ready", "/v1/tasks?limit=5", "/v1/cluster", "/v1/namespace"];
    for (const path of paths) expect([path, (await call("GET", path)).status]).toEqual([path, 200]);
  });

  test("an application with the API refuses callers without a key", async () => {
    const { call } = await open(where);
    expect((await call("GET", "/v1/tasks")).status).toBe(200);
    const { port } = app!.getHttpServer().address() as AddressInfo;
    expect((await fetch(`http://127.0.0.1:${port}/tickwheel/v1/tasks`)).status).toBe(401);
  });
});
