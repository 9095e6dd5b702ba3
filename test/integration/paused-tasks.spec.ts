import { describe, expect, test } from "@jest/globals";
import { Injectable } from "@nestjs/common";
import { DelayTaskHandler, type DelayTaskService, defineTask } from "@tickwheel/nestjs";
import type { DataSource } from "typeorm";
import type { ApiClient, JournalBody, Problem, TaskBody } from "../support/api-client.js";
import { hostTasks } from "../support/app/task-application.js";
import { eventually } from "../support/eventually.js";
import { startForSpec } from "../support/start-for-spec.js";

const Answer = defineTask<{ ticket: number }>("ticket.answer");
const NO_TASK = "019ab000-0000-7000-8000-000000000000";
const HOUR_MS = 3_600_000;
/** Longer than a slow machine takes for two calls. */
const SOON_MS = 5_000;

@Injectable()
class Handlers {
  @DelayTaskHandler(Answer)
  answer(): string {
    return "answered";
  }
}

let dataSource: DataSource;
let tasks: DelayTaskService;
let api: ApiClient;

startForSpec(
  () => hostTasks(Handlers),
  (its) => ({ tasks, api, dataSource } = its),
);

let keys = 0;

async function waiting(): Promise<{ id: string; key: string }> {
  const key = `ticket-${++keys}`;
  const { task } = await tasks.schedule(Answer, { ticket: keys }, { delay: "1h", startDeadline: "1m", key });
  return { id: task.id, key };
}

interface Paused {
  state: string;
  remainingMs: number | null;
  pausedAt: string | Date | null;
  pausedMs: number;
  waitingFor: string | null;
}

/** Ways to pause and resume one task. */
const WAYS: Record<string, (how: "pause" | "resume", task: { id: string; key: string }) => Promise<Paused>> = {
  "code, by id": (how, { id }) => tasks[how](id),
  "code, by key": (how, { key }) => tasks[`${how}ByKey`](Answer, key),
  "REST, by id": (how, { id }) => posted(`v1/tasks/${id}/${how}`),
  "REST, by key": (how, { key }) => posted(`v1/tasks/${how}`, { type: Answer.type, key }),
  "GraphQL, by id": (how, { id }) => mutated(`${how}Task(id: "${id}")`),
  "GraphQL, by key": (how, { key }) => mutated(`${how}TaskByKey(type: "${Answer.type}", key: "${key}")`),
};

async function posted(path: string, body?: object): Promise<Paused> {
  const answer = await api.post<Paused>(path, body);
  expect(answer.status).toBe(200);
  return answer.body;
}

async function mutated(call: string): Promise<Paused> {
  const query = `mutation { paused: ${call} { state remainingMs pausedAt pausedMs waitingFor } }`;
  const { body } = await api.post<{ data: { paused: Paused }; errors?: unknown }>("graphql", { query });
  expect(body.errors).toBeUndefined();
  return body.data.paused;
}

describe.each(Object.keys(WAYS))("by %s", (way) => {
  test("a task is paused with what remains of its countdown, and goes on", async () => {
    const ask = WAYS[way]!;
    const task = await waiting();
    const paused = await ask("pause", task);
    expect(paused).toMatchObject({ state: "paused", pausedMs: 0, waitingFor: "PAUSE", pausedAt: expect.anything() });
    const shown = (await tasks.get(task.id))!;
    expect(shown.remainingMs).toBe(shown.dueAt.getTime() - shown.pausedAt!.getTime());
    expect(paused.remainingMs).toBe(shown.remainingMs);
    expect(await ask("pause", task)).toEqual(paused);
    const resumed = await ask("resume", task);
    expect(resumed).toMatchObject({ state: "scheduled", remainingMs: null, pausedAt: null, waitingFor: null });
    const { dueAt, scheduledAt, startDeadlineAt, createdAt } = (await tasks.get(task.id))!;
    expect(dueAt.getTime() - createdAt.getTime()).toBe(HOUR_MS + resumed.pausedMs);
    expect([scheduledAt, startDeadlineAt!.getTime() - dueAt.getTime()]).toEqual([dueAt, 60_000]);
  });
});

describe("a paused task", () => {
  test("a paused task is not run now, is edited as it stands, is listed and counted, and its journal tells who paused it", async () => {
    const { id } = await waiting();
    await tasks.pause(id);
    await expect(tasks.runNow(id)).rejects.toMatchObject({ code: "TASK_STATE_CONFLICT" });
    const refused = await api.post<Problem>(`v1/tasks/${id}/run-now`);
    expect([refused.status, refused.body.detail]).toEqual([409, "The task is paused; resume it first."]);
    const edited = await tasks.reschedule(id, { delay: "2h", payload: { ticket: 7 } });
    expect(edited).toMatchObject({ state: "paused", remainingMs: 2 * HOUR_MS, payload: { ticket: 7 } });
    expect((await tasks.find(Answer, { states: ["paused"] })).items.map((task) => task.id)).toContain(id);
    const listed = await api.get<{ items: TaskBody[] }>("v1/tasks?state=paused");
    expect(listed.body.items.map((task) => task.id)).toContain(id);
    await eventually(async () => expect((await tasks.stats()).counts.paused).toBeGreaterThan(0));
    await api.post(`v1/tasks/${id}/resume`);
    const journal = await api.get<JournalBody>(`v1/tasks/${id}/journal`);
    expect(journal.body.items.map(({ from, to, reason }) => [from, to, reason])).toEqual([
      [null, "scheduled", null],
      ["scheduled", "paused", "PAUSED"],
      ["paused", "paused", "RESCHEDULED"],
      ["paused", "scheduled", "RESUMED"],
    ]);
    expect(journal.body.items.at(-1)!.actor).toMatch(/^key:/);
  });

  test("a paused task runs once its countdown is over, and no sooner", async () => {
    const { task } = await tasks.schedule(Answer, { ticket: 0 }, { delay: SOON_MS });
    await tasks.pause(task.id);
    await tasks.resume(task.id);
    await eventually(async () => expect((await tasks.get(task.id))?.state).toBe("succeeded"));
    const done = (await tasks.get(task.id))!;
    expect(done.startedAt!.getTime()).toBeGreaterThanOrEqual(done.dueAt.getTime());
    expect(done.dueAt.getTime() - task.createdAt.getTime()).toBe(SOON_MS + done.pausedMs);
  });

  test("a task is paused in the caller's transaction, or not at all", async () => {
    const { id } = await waiting();
    const rolledBack = dataSource.transaction(async (manager) => {
      expect(await tasks.pause(id, { manager })).toMatchObject({ state: "paused" });
      expect((await tasks.get(id))?.state).toBe("scheduled");
      throw new Error("not after all");
    });
    await expect(rolledBack).rejects.toThrow("not after all");
    expect((await tasks.get(id))?.state).toBe("scheduled");
  });
});

describe("what cannot be paused", () => {
  test("tasks that cannot be paused are told apart: an unknown task, an ended one, an occurrence of a schedule, bad input", async () => {
    for (const how of ["pause", "resume"] as const) {
      await expect(tasks[how](NO_TASK)).rejects.toMatchObject({ code: "TASK_NOT_FOUND" });
      await expect(tasks[how]("no id")).rejects.toMatchObject({ code: "TASK_NOT_FOUND" });
      await expect(tasks[`${how}ByKey`](Answer, "nobody's")).rejects.toMatchObject({ code: "TASK_NOT_FOUND" });
      expect((await api.post(`v1/tasks/${NO_TASK}/${how}`)).status).toBe(404);
      const bad = await api.post<Problem>(`v1/tasks/${how}`, { type: "no type", more: 1 });
      expect([bad.status, bad.body.errors.map(({ path }) => path).toSorted()]).toEqual([400, ["key", "more", "type"]]);
    }
    const { id } = await waiting();
    await tasks.cancel(id);
    await expect(tasks.pause(id)).rejects.toMatchObject({
      code: "TASK_STATE_CONFLICT",
      message: "The task is cancelled; only a scheduled task can be paused.",
    });
    const { status, body } = await api.post<Problem>(`v1/tasks/${id}/resume`);
    expect([status, body.code]).toEqual([409, "TASK_STATE_CONFLICT"]);
    await api.post("v1/schedules", { name: "hourly", type: Answer.type, payload: { ticket: 1 }, every: "1h" });
    await eventually(async () => {
      const [occurrence] = (await tasks.find(Answer, { states: ["scheduled"] })).items.filter((task) =>
        task.key?.startsWith("schedule:"),
      );
      await expect(tasks.pause(occurrence!.id)).rejects.toMatchObject({
        message: "The task is scheduled; it belongs to a schedule, which can be paused instead.",
      });
    });
  });
});
