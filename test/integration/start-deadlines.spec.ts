import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";
import { ApiApplication } from "../support/api-application.js";
import { type ApiClient, type JournalBody, type TaskBody } from "../support/api-client.js";
import { eventually } from "../support/eventually.js";
import { tellTimes } from "../support/figures.js";

/** Instead of a minute, as in production. */
const FULL_SWEEP_INTERVAL_MS = 2_000;
const SWEEP_INTERVAL_MS = 1_000;
/** The longest time for a statement and its answer on a busy machine. */
const SLACK_MS = 1_000;

let postgres: TestPostgres;
let app: ApiApplication;
let api: ApiClient;

/** A node with a single place to run in. */
beforeAll(async () => {
  postgres = await startTestPostgres();
  const options = { concurrency: 1, fullSweepIntervalMs: FULL_SWEEP_INTERVAL_MS };
  app = await ApiApplication.start("fastify", await postgres.createDatabase("start_deadlines"), options);
  api = app.admin;
});
afterAll(async () => {
  await app?.stop();
  await postgres?.stop();
});

async function inState(task: TaskBody, state: string): Promise<TaskBody> {
  return eventually(async () => {
    const { body } = await api.get<TaskBody>(`/v1/tasks/${task.id}`);
    expect(body.state).toBe(state);
    return body;
  });
}

async function steps(task: TaskBody): Promise<string[]> {
  const { body } = await api.get<JournalBody>(`/v1/tasks/${task.id}/journal`);
  return body.items.map(({ from, to }) => `${from ?? "none"}>${to}`);
}

/** How long after its start deadline a task was ended. */
function delayOf({ startDeadlineAt, finishedAt }: TaskBody): number {
  return Date.parse(finishedAt!) - Date.parse(startDeadlineAt!);
}

test("a task whose type no node runs ends expired, and its key is free", async () => {
  const input = { type: "test.nobody", key: "k", delay: 200, startDeadline: 300 };
  const task = await api.schedule(input);
  expect(Date.parse(task.startDeadlineAt!) - Date.parse(task.scheduledAt)).toBe(300);
  const ended = await inState(task, "expired");
  expect(ended).toMatchObject({ startedAt: null, attempt: 0, reason: null, startDeadlineAt: task.startDeadlineAt });
  expect(delayOf(ended)).toBeGreaterThan(0);
  const boundMs = FULL_SWEEP_INTERVAL_MS + SLACK_MS;
  tellTimes("a start deadline passes", { "nobody runs the type: expired after": { ms: delayOf(ended), boundMs } });
  expect(await steps(task)).toEqual(["none>scheduled", "scheduled>expired"]);
  const next = await api.schedule(input);
  expect(next.id).not.toBe(task.id);
});

test("a task that finds no free place in time ends expired, its handler never runs, and a retry runs it", async () => {
  const holder = await inState(await api.schedule({ type: "test.hold" }), "running");
  const late = await api.schedule({ type: "test.echo", payload: "late", startDeadline: "500ms" });
  const patient = await api.schedule({ type: "test.echo", payload: "patient" });
  const ended = await inState(late, "expired");
  expect(ended).toMatchObject({ startedAt: null, attempt: 0, result: null });
  const boundMs = SWEEP_INTERVAL_MS + SLACK_MS;
  tellTimes("a start deadline passes", { "no place is free: expired after": { ms: delayOf(ended), boundMs } });
  await api.delete(`/v1/tasks/${holder.id}`);
  expect(await inState(patient, "succeeded")).toMatchObject({ startDeadlineAt: null });
  expect(await steps(late)).toEqual(["none>scheduled", "scheduled>expired"]);
  await api.post(`/v1/tasks/${late.id}/retry`);
  expect(await inState(late, "succeeded")).toMatchObject({ result: "late", startDeadlineAt: null });
});

test("a task that has started once is tried again after its start deadline", async () => {
  const backoff = { kind: "fixed", delay: 3_000 };
  const task = await api.schedule({ type: "test.fail", startDeadline: "1s", maxAttempts: 2, backoff });
  expect(await inState(task, "dead")).toMatchObject({ attempt: 2, reason: "ATTEMPTS" });
});
