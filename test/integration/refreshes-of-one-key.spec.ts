import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { ApiApplication } from "../support/api-application.js";
import type { JournalBody, Problem, TaskBody } from "../support/api-client.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

const CALLERS = 64;
const DELAY_MS = 3_600_000;

let postgres: TestPostgres;
let app: ApiApplication;

beforeAll(async () => {
  postgres = await startTestPostgres();
  app = await ApiApplication.start("fastify", await postgres.createDatabase("refreshes"));
});
afterAll(async () => {
  await app?.stop();
  await postgres?.stop();
});

test("many concurrent refreshes of one key make one task, with the last due time and at most two entries in its journal", async () => {
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
  expect(refreshes.length).toBeLessThanOrEqual(2);
  expect(refreshes.reduce((sum, { count }) => sum + count, 0)).toBe(CALLERS - 1);
  expect(task.version).toBeLessThan(CALLERS / 2);
});

test("a journal comes page by page, has of refreshes only the first, the last and their number, and refuses bad cursors", async () => {
  const given = { type: "test.echo", key: "paged", onConflict: "refresh", delay: "1h" };
  const task = await app.admin.schedule(given);
  const path = `/v1/tasks/${task.id}`;
  for (let count = 1; count <= 5; count++) await app.admin.schedule(given);
  for (const priority of [1, 2]) await app.admin.patch(path, { priority });
  await app.admin.delete(path);
  const page = async (query = "") => (await app.admin.get<JournalBody>(`${path}/journal${query}`)).body;
  const { items, nextCursor } = await page();
  expect(items.map(({ reason, count }) => [reason, count])).toEqual([
    [null, 1],
    ["REFRESHED", 1],
    ["REFRESHED", 4],
    ["EDITED", 1],
    ["EDITED", 1],
    ["REQUESTED", 1],
  ]);
  expect(nextCursor).toBeNull();
  const first = await page("?limit=4");
  expect(first.items).toEqual(items.slice(0, 4));
  expect(await page(`?limit=4&cursor=${first.nextCursor}`)).toEqual({ items: items.slice(4), nextCursor: null });
  for (const query of ["?cursor=x", "?cursor=0", `?cursor=${task.id}`, "?limit=201", "?limit=0", "?state=dead"]) {
    const { status, body } = await app.admin.get<Problem>(`${path}/journal${query}`);
    expect([query, status, body.code]).toEqual([query, 400, "VALIDATION_FAILED"]);
  }
  const beyond = await app.admin.get<JournalBody>(`${path}/journal?cursor=999999999`);
  expect(beyond.body).toEqual({ items: [], nextCursor: null });
});
