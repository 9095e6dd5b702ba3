import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type PostgresService, startPostgres } from "@tickwheel/local-services";
import { ApiApplication } from "../support/api-application.js";
import type { JournalBody, TaskBody } from "../support/api-client.js";

const CALLERS = 64;
const DELAY_MS = 3_600_000;

let postgres: PostgresService;
let app: ApiApplication;

beforeAll(async () => {
  postgres = await startPostgres();
  app = await ApiApplication.start("fastify", await postgres.createDatabase("refreshes"));
});
afterAll(async () => {
  await app?.stop();
  await postgres?.stop();
});

test("many who refresh one key at once get one task, the last wish, and few entries in its journal", async () => {
  const refresh = (caller: number): Promise<TaskBody> => {
    return app.admin.schedule({ type: "test.echo", key: "k", onConflict: "refresh", delay: DELAY_MS + caller });
  };
  const tasks = await Promise.all(Array.from({ length: CALLERS }, (_, caller) => refresh(caller)));
  expect(new Set(tasks.map(({ id }) => id)).size).toBe(1);
  const newest = tasks.reduce((one, other) => (other.version > one.version ? other : one));
  const { body: task } = await app.admin.get<TaskBody>(`/v1/tasks/${newest.id}`);
  expect([task.version, task.scheduledAt]).toEqual([newest.version, newest.scheduledAt]);
  const { body: journal } = await app.admin.get<JournalBody>(`/v1/tasks/${task.id}/journal`);
  const refreshes = journal.items.filter(({ reason }) => reason === "REFRESHED");
  expect(refreshes.length).toBe(task.version - 1);
  expect(refreshes.length).toBeLessThan(CALLERS / 2);
});
