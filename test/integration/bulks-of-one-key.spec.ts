import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { ApiApplication } from "../support/api-application.js";
import type { JournalBody, TaskBody } from "../support/api-client.js";
import { eventually } from "../support/eventually.js";
import { printFigures } from "../support/figures.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

const ITEMS = 5_000;
const DELAY_MS = 3_600_000;

interface Bulk {
  results: { index: number; status: string; task: TaskBody }[];
}
interface Counts {
  counts: { scheduled: number; cancelled: number };
  lastMinute: { created: number };
}

let postgres: TestPostgres;
let app: ApiApplication;

beforeAll(async () => {
  postgres = await startTestPostgres();
  app = await ApiApplication.start("fastify", await postgres.createDatabase("bulks_of_one_key"));
});
afterAll(async () => {
  await app?.stop();
  await postgres?.stop();
});

/** A bulk of one key, each item due a millisecond later than the one before. */
async function bulkOf(onConflict: "refresh" | "replace", headers?: Record<string, string>): Promise<Bulk["results"]> {
  const tasks = Array.from({ length: ITEMS }, (_, place) => ({
    type: "test.echo",
    key: onConflict,
    onConflict,
    delay: DELAY_MS + place,
    payload: { place },
  }));
  const sentMs = performance.now();
  const { status, body } = await app.admin.post<Bulk>("/v1/tasks/bulk", { tasks }, headers);
  printFigures("bulk of one key", { onConflict, items: ITEMS, ms: Math.round(performance.now() - sentMs) });
  expect(status).toBe(200);
  expect(body.results.map(({ index }) => index)).toEqual(tasks.map((_, place) => place));
  return body.results;
}

async function journalOf({ id }: { id: string }): Promise<[string | null, number][]> {
  const { body } = await app.admin.get<JournalBody>(`/v1/tasks/${id}/journal`);
  return body.items.map(({ reason, count }) => [reason, count]);
}

test("a bulk of thousands of refreshes of one key is one task with the due time of the last refresh", async () => {
  const [first, ...others] = await bulkOf("refresh");
  expect(first!.status).toBe("created");
  expect(new Set(others.map(({ status }) => status))).toEqual(new Set(["refreshed"]));
  const { body: task } = await app.admin.get<TaskBody>(`/v1/tasks/${first!.task.id}`);
  const told = [first!, ...others].map(({ task: { id, version, state, scheduledAt } }) => ({
    id,
    version,
    state,
    scheduledAt,
  }));
  const { id, version, state, scheduledAt } = task;
  expect(new Set(told.map((each) => JSON.stringify(each)))).toEqual(
    new Set([JSON.stringify({ id, version, state, scheduledAt })]),
  );
  expect(Date.parse(scheduledAt)).toBeGreaterThanOrEqual(Date.parse(task.createdAt) + DELAY_MS + ITEMS - 1);
  expect(await journalOf(task)).toEqual([
    [null, 1],
    ["REFRESHED", ITEMS - 1],
  ]);
});

test("a bulk of thousands of replacements of one key leaves the last one; a repeated call gets the same answer", async () => {
  const once = { "idempotency-key": "once" };
  const results = await bulkOf("replace", once);
  expect(results.map(({ status }) => status)).toEqual(
    results.map((_, place) => (place === 0 ? "created" : "replaced")),
  );
  expect(new Set(results.map(({ task }) => task.id)).size).toBe(ITEMS);
  const last = results.pop()!.task;
  expect(last.state).toBe("scheduled");
  for (const { task } of results) expect([task.state, task.reason]).toEqual(["cancelled", "REPLACED"]);
  const { body: task } = await app.admin.get<TaskBody>(`/v1/tasks/${results[ITEMS / 2]!.task.id}`);
  expect(task).toMatchObject({ state: "cancelled", reason: "REPLACED", payload: { place: ITEMS / 2 } });
  expect(await journalOf(task)).toEqual([
    [null, 1],
    ["REPLACED", 1],
  ]);
  const again = await bulkOf("replace", once);
  expect(again.map(({ status, task: { id, state } }) => [status, id, state])).toEqual(
    [...results, { status: "replaced", task: last }].map(({ status, task: { id, state } }) => [status, id, state]),
  );
  await eventually(async () => {
    const { body: stats } = await app.admin.get<Counts>("/v1/stats");
    expect(stats.counts).toMatchObject({ scheduled: 2, cancelled: ITEMS - 1 });
    expect(stats.lastMinute.created).toBe(ITEMS + 1);
  });
});
