import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { ApiApplication } from "../support/api-application.js";
import type { Problem, TaskBody } from "../support/api-client.js";
import { HUNG_MS } from "../support/eventually.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

/** The requests of one key that a node accepts at once before it knows how fast it answers. */
const TAKEN = 375;
const ASKED = 600;

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.stop());

describe.each(["fastify", "express"] as const)("an overloaded node on %s", (platform) => {
  let app: ApiApplication;
  let locker: pg.Client;

  beforeAll(async () => {
    const databaseUrl = await postgres.createDatabase(`overload_${platform}`);
    // Long enough for every statement that waits for the lock, however slow the machine is.
    const timeouts = { statementTimeoutMs: HUNG_MS, deadAfterBeats: 6 + Math.ceil(HUNG_MS / 1_000) };
    app = await ApiApplication.start(platform, databaseUrl, timeouts);
    locker = new pg.Client({ connectionString: databaseUrl });
    await locker.connect();
  });
  afterAll(async () => {
    await locker.end();
    await app.stop();
  });

  const create = () => app.admin.post<TaskBody & Problem>("/v1/tasks", { type: "test.later", delay: "1h" });

  test("an overloaded node refuses at once, with Retry-After, what it cannot answer soon, and answers all other requests", async () => {
    await create();
    // Reads go on, among them the look-ups of keys.
    await locker.query("BEGIN; LOCK TABLE tickwheel.task IN SHARE MODE");
    let refused = 0;
    const answers = Array.from({ length: ASKED }, async () => {
      const answer = await create();
      // The others wait for the lock, which is released when the last refusal was sent.
      if (answer.status === 429 && ++refused === ASKED - TAKEN) await locker.query("ROLLBACK");
      return answer;
    });
    const all = await Promise.all(answers);
    const tooMany = all.filter(({ status }) => status === 429);
    expect(tooMany).toHaveLength(ASKED - TAKEN);
    expect(tooMany[0]!.headers.get("retry-after")).toBe("1");
    expect(tooMany[0]!.body).toMatchObject({ code: "RATE_LIMITED", status: 429 });
    const taken = all.filter(({ status }) => status !== 429);
    expect(new Set(taken.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(taken.map(({ body }) => body.id)).size).toBe(TAKEN);
    expect((await create()).status).toBe(201);
  });
});

test("a namespace that has used up its quota of scheduled tasks gets 429 with Retry-After, and another namespace goes on", async () => {
  const quota = { pendingTaskQuotaPerNamespace: 3 };
  const app = await ApiApplication.start("fastify", await postgres.createDatabase("quota"), quota);
  try {
    const task = { type: "test.later", delay: "1h" };
    await app.admin.scheduleMany([task, task, task]);
    for (const [path, body] of [
      ["/v1/tasks", task],
      ["/v1/tasks/bulk", { tasks: [task] }],
    ] as const) {
      const refused = await app.admin.post<Problem>(path, body);
      expect([refused.status, refused.body.code]).toEqual([429, "RATE_LIMITED"]);
      expect(refused.headers.get("retry-after")).toBe("1");
    }
    const other = await app.clientAs({ role: "operator", namespace: "other" });
    await other.schedule(task);
  } finally {
    await app.stop();
  }
});
