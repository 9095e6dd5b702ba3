import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type INestApplication, Injectable } from "@nestjs/common";
import { DelayTaskApiModule } from "@tickwheel/api";
import {
  ClusterCron,
  ClusterInterval,
  DelayTaskHandler,
  DelayTaskModule,
  type DelayTaskService,
  defineTask,
} from "@tickwheel/nestjs";
import type { ApiClient, TaskBody } from "../support/api-client.js";
import { hostApi } from "../support/app/hosted-api.js";
import { eventually } from "../support/eventually.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

/** What is asked for, whichever way a task comes. */
const PRIORITY = 2;
const DEADLINE_MS = 300_000;
const asked = { priority: PRIORITY, startDeadline: "5m" } as const;
const later = { ...asked, delay: "1d" } as const;
const Defined = defineTask<object>("ways.defined", asked);

let postgres: TestPostgres;
let app: INestApplication;
let tasks: DelayTaskService;
let api: ApiClient;
let runs = 0;

@Injectable()
class Handlers {
  readonly isOpen = false;

  @DelayTaskHandler("ways.handled", asked)
  handled(): void {}

  @ClusterCron("0 0 1 1 *", {
    name: "new-year",
    ...asked,
    condition(this: Handlers) {
      return this.isOpen;
    },
  })
  newYear(): void {
    runs++;
  }

  @ClusterInterval("1d", { name: "daily", maxAttempts: 1, succeeded: (result: string) => result === "success" })
  daily(): string {
    return "fail";
  }
}

beforeAll(async () => {
  postgres = await startTestPostgres();
  ({ app, tasks, api } = await hostApi({
    imports: [
      DelayTaskApiModule.forRoot({ notice: false }),
      DelayTaskModule.forRoot({ url: postgres.url, redis: null, heartbeat: "loop" }),
    ],
    providers: [Handlers],
  }));
});
afterAll(async () => {
  await app?.close();
  await postgres?.stop();
});

async function read(id: string): Promise<TaskBody> {
  return (await api.get<TaskBody>(`/v1/tasks/${id}`)).body;
}

async function mutate<T>(field: string): Promise<T> {
  const { body } = await api.post<{ data: T; errors?: unknown }>("/graphql", { query: `mutation { ${field} }` });
  expect(body.errors).toBeUndefined();
  return body.data;
}

/** Runs a schedule of the code, once its node has announced it. */
async function triggered(name: string): Promise<string> {
  await eventually(async () => expect(await tasks.schedules.get(name)).not.toBeNull());
  return (await tasks.schedules.trigger(name)).id;
}

/** The only member of a batch. */
async function memberOf(id: string): Promise<string> {
  const { items } = await tasks.batches.members(id);
  return items[0]!.id;
}

/** What a batch made at its end. */
async function endOf(id: string): Promise<string> {
  await eventually(async () => expect((await tasks.batches.get(id))?.state).toBe("complete"));
  const { onComplete, onSuccess } = (await tasks.batches.get(id))!;
  return (onComplete ?? onSuccess)!.taskId!;
}

const GRAPHQL = `priority: ${PRIORITY}, startDeadline: "5m"`;

/** Each way in, and the id of a task that came by it. */
const WAYS: Record<string, () => Promise<string>> = {
  "POST /v1/tasks": async () => (await api.post<TaskBody>("/v1/tasks", { type: "ways", ...later })).body.id,
  "POST /v1/tasks/bulk": async () => {
    const given = { tasks: [{ type: "ways", ...later }] };
    return (await api.post<{ results: { task: TaskBody }[] }>("/v1/tasks/bulk", given)).body.results[0]!.task.id;
  },
  "mutation scheduleTask": async () => {
    const field = `scheduleTask(input: { type: "ways", delay: "1d", ${GRAPHQL} }) { task { id } }`;
    return (await mutate<{ scheduleTask: { task: { id: string } } }>(field)).scheduleTask.task.id;
  },
  "mutation scheduleTasks": async () => {
    const field = `scheduleTasks(inputs: [{ type: "ways", delay: "1d", ${GRAPHQL} }]) { task { id } }`;
    return (await mutate<{ scheduleTasks: { task: { id: string } }[] }>(field)).scheduleTasks[0]!.task.id;
  },
  schedule: async () => (await tasks.schedule("ways", {}, later)).task.id,
  scheduleMany: async () => {
    const [item] = await tasks.scheduleMany([{ task: "ways", payload: {}, ...later }]);
    return (item as { task: { id: string } }).task.id;
  },
  "defineTask and schedule": async () => (await tasks.schedule(Defined, {}, { delay: "1d" })).task.id,
  "defineTask and scheduleMany": async () => {
    const [item] = await tasks.scheduleMany([{ task: Defined, payload: {}, delay: "1d" }]);
    return (item as { task: { id: string } }).task.id;
  },
  "a handler's options": async () => {
    return (await api.post<TaskBody>("/v1/tasks", { type: "ways.handled", delay: "1d" })).body.id;
  },
  "a handler's options, by a schedule": async () => {
    await tasks.schedules.create({ name: "handled", task: "ways.handled", every: "1d" });
    return (await tasks.schedules.trigger("handled")).id;
  },
  "POST /v1/schedules": async () => {
    await api.post("/v1/schedules", { name: "rest", type: "ways", every: "1d", ...asked });
    return (await tasks.schedules.trigger("rest")).id;
  },
  "mutation putSchedule": async () => {
    await mutate(`putSchedule(name: "graph", input: { type: "ways", every: "1d", ${GRAPHQL} }) { outcome }`);
    return (await tasks.schedules.trigger("graph")).id;
  },
  "schedules.create": async () => {
    await tasks.schedules.create({ name: "code", task: "ways", every: "1d", ...asked });
    return (await tasks.schedules.trigger("code")).id;
  },
  "POST /v1/batches": async () => {
    const { body } = await api.post<{ id: string }>("/v1/batches", { tasks: [{ type: "ways", ...later }] });
    return memberOf(body.id);
  },
  "POST /v1/batches/{id}/members": async () => {
    const { id } = await tasks.batches.create({});
    await api.post(`/v1/batches/${id}/members`, { tasks: [{ type: "ways", ...later }] });
    return memberOf(id);
  },
  "POST /v1/batches, as shards": async () => {
    const given = { tasks: [{ type: "ways", ...later }], shards: 1 };
    return memberOf((await api.post<{ id: string }>("/v1/batches", given)).body.id);
  },
  "POST /v1/batches, at its end": async () => {
    const given = { onComplete: { type: "ways", ...later }, seal: true };
    const { id } = (await api.post<{ id: string }>("/v1/batches", given)).body;
    return endOf(id);
  },
  "mutation createBatch": async () => {
    const field = `createBatch(input: { tasks: [{ type: "ways", delay: "1d", ${GRAPHQL} }] }) { id }`;
    return memberOf((await mutate<{ createBatch: { id: string } }>(field)).createBatch.id);
  },
  "mutation addBatchMembers": async () => {
    const { id } = await tasks.batches.create({});
    await mutate(`addBatchMembers(id: "${id}", tasks: [{ type: "ways", delay: "1d", ${GRAPHQL} }]) { replayed }`);
    return memberOf(id);
  },
  "batches.create": async () =>
    memberOf((await tasks.batches.create({ tasks: [{ task: "ways", payload: {}, ...later }] })).id),
  "batches.create, at its end": async () => {
    const onSuccess = { task: "ways", payload: {}, ...later };
    return endOf((await tasks.batches.create({ onSuccess, seal: true })).id);
  },
  "batches.add": async () => {
    const { id } = await tasks.batches.create({});
    await tasks.batches.add(id, [{ task: Defined, payload: {}, delay: "1d" }]);
    return memberOf(id);
  },
  "@ClusterCron": () => triggered("new-year"),
};

test.each(Object.keys(WAYS))("a priority and a start deadline are taken by %s", async (way) => {
  const { priority, scheduledAt, startDeadlineAt } = await read(await WAYS[way]!());
  expect([priority, Date.parse(startDeadlineAt!) - Date.parse(scheduledAt)]).toEqual([PRIORITY, DEADLINE_MS]);
});

const EDITS: Record<string, (id: string) => Promise<unknown>> = {
  "PATCH /v1/tasks/{id}": (id) => api.patch(`/v1/tasks/${id}`, { priority: 7, delay: "2d" }),
  "mutation rescheduleTask": (id) => mutate(`rescheduleTask(id: "${id}", input: { priority: 7, delay: "2d" }) { id }`),
  reschedule: (id) => tasks.reschedule(id, { priority: 7, delay: "2d" }),
};

test.each(Object.keys(EDITS))("%s changes the priority, and a new time moves the start deadline along", async (way) => {
  const before = (await tasks.schedule("ways", {}, later)).task;
  await EDITS[way]!(before.id);
  const { priority, scheduledAt, startDeadlineAt } = await read(before.id);
  expect(Date.parse(scheduledAt)).toBeGreaterThan(before.scheduledAt.getTime());
  expect([priority, Date.parse(startDeadlineAt!) - Date.parse(scheduledAt)]).toEqual([7, DEADLINE_MS]);
});

test("members under one idempotency key are one call, whichever way in, and other members are another", async () => {
  const { id } = await tasks.batches.create({});
  const idempotencyKey = randomUUID();
  const given = { delay: "1d", tags: ["vip"], startDeadline: "5m" } as const;
  const first = await tasks.batches.add(id, [{ task: "ways", payload: { n: 1.5, day: "é" }, ...given }], {
    idempotencyKey,
  });
  expect(first).toMatchObject({ replayed: false, results: [{ status: "created" }] });
  const add = (payload: string): Promise<{ status: number; headers: Headers }> =>
    api.send("POST", `/v1/batches/${id}/members`, {
      body: `{"tasks":[{"startDeadline":"5m","tags":["vip"],"payload":${payload},"delay":"1d","type":"ways"}]}`,
      headers: { "Idempotency-Key": idempotencyKey },
    });
  const again = await add('{ "day": "\\u00e9", "n": 15e-1 }');
  expect([again.status, again.headers.get("tickwheel-replayed")]).toEqual([200, "true"]);
  const task = `{ type: "ways", delay: "1d", tags: ["vip"], startDeadline: "5m", payload: { n: 1.5, day: "é" } }`;
  const field = `addBatchMembers(id: "${id}", tasks: [${task}], idempotencyKey: "${idempotencyKey}") { replayed }`;
  expect(await mutate(field)).toEqual({ addBatchMembers: { replayed: true } });
  expect((await add('{ "day": "é", "n": 1.6 }')).status).toBe(422);
  expect((await tasks.batches.members(id)).items).toHaveLength(1);
});

test("a schedule in code has its condition and its say of what a success is, as any handler", async () => {
  const unwanted = await triggered("new-year");
  const failed = await triggered("daily");
  await eventually(async () => {
    expect(await read(unwanted)).toMatchObject({ state: "succeeded", reason: "SKIPPED", result: null });
    expect(await read(failed)).toMatchObject({ state: "dead", lastError: expect.stringContaining("no success") });
  });
  expect(runs).toBe(0);
  const { items } = await tasks.schedules.runs("new-year");
  const run = items.find((item) => item.kind !== "skip" && item.taskId === unwanted);
  expect(run).toMatchObject({ outcome: "succeeded", reason: "SKIPPED" });
});
