import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { Injectable } from "@nestjs/common";
import type { Fault } from "@tickwheel/core";
import {
  type DelayTask,
  type DelayTaskContext,
  DelayTaskHandler,
  type DelayTaskService,
  defineTask,
  type TickwheelError,
} from "@tickwheel/nestjs";
import * as z from "zod";
import type { ApiClient, TaskBody } from "../support/api-client.js";
import { announcingNodes } from "../support/app/announcing-nodes.js";
import type { HostedApi } from "../support/app/hosted-api.js";
import { eventually } from "../support/eventually.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

const SECRET = "hunter2";
const schema = z.object({
  orderId: z.string(),
  items: z.array(z.object({ sku: z.string() })),
  by: z.string().default("nobody"),
});
const Ship = defineTask("order.ship", { schema, maxAttempts: 1 });
const GOOD = { orderId: "42", items: [{ sku: "a" }] };
const BAD = { orderId: "42", items: [{ sku: "a" }, { sku: { deep: SECRET } }] } as never;
const PATH = "payload.items[1].sku";

const counted = z.object({ n: z.number() });
let takesCounts = true;
/** What its refinement says no JSON Schema can say. */
const Count = defineTask("order.count", {
  schema: counted.refine(() => takesCounts, "is not taken yet"),
  version: 2,
  upgrade: ({ old }: { old: number }, fromVersion) => ({ n: old + fromVersion }),
});
const OldCount = defineTask("order.count", { schema: z.object({ old: z.number() }), version: 1 });
const NewerCount = defineTask("order.count", { schema: z.object({ m: z.number() }), version: 3 });

const seen = new Map<string, unknown>();

@Injectable()
class Handlers {
  @DelayTaskHandler(Ship)
  ship({ id, payload }: DelayTask<z.output<typeof schema>>): void {
    seen.set(id, payload);
  }

  @DelayTaskHandler(Count)
  count({ id, payload }: DelayTask<z.output<typeof counted>>): void {
    seen.set(id, payload);
  }

  @DelayTaskHandler("order.spawn")
  async spawn(_task: DelayTask, ctx: DelayTaskContext): Promise<void> {
    await ctx.spawn([{ task: "order.ship", payload: BAD }]);
  }
}

let postgres: TestPostgres;
/** It has the handlers and their definitions. */
let owner: HostedApi;
/** It has neither, and knows what the other one announces. */
let stranger: HostedApi;
/** The tasks of the node that is asked. */
let tasks: DelayTaskService;
let api: ApiClient;

beforeAll(async () => {
  postgres = await startTestPostgres();
  ({ owner, stranger } = await announcingNodes(postgres.url, Handlers, (types) =>
    expect(types.filter(({ policy }) => policy?.payloadSchema !== undefined)).toHaveLength(2),
  ));
});
beforeEach(() => {
  ({ tasks, api } = owner);
});
afterAll(async () => {
  await stranger?.app.close();
  await owner?.app.close();
  await postgres?.stop();
});

async function refusalOf(work: () => Promise<unknown>): Promise<string[]> {
  const error = (await work().then(
    () => null,
    (thrown: unknown) => thrown,
  )) as TickwheelError | null;
  expect(error).toMatchObject({ code: "VALIDATION_FAILED" });
  expect(error!.message).not.toContain(SECRET);
  return pathsOf(error!.faults);
}

function pathsOf(faults: readonly Fault[]): string[] {
  return faults.map(({ path }) => path);
}

async function posted(path: string, body: unknown, method = "POST"): Promise<string[]> {
  const answer = await api.send<{ errors: Fault[] }>(method, path, { body: JSON.stringify(body) });
  expect(answer.status).toBe(400);
  expect(JSON.stringify(answer.body)).not.toContain(SECRET);
  return pathsOf(answer.body.errors);
}

async function mutated(field: string): Promise<string[]> {
  const { body } = await api.post<{ errors: { extensions: { errors: Fault[] } }[] }>("/graphql", {
    query: `mutation($payload: JSON) { ${field} }`,
    variables: { payload: BAD },
  });
  return pathsOf(body.errors[0]!.extensions.errors);
}

/** What a refused item of a bulk says. */
async function itemOf(work: () => Promise<readonly object[]>): Promise<string[]> {
  const [item] = await work();
  return pathsOf((item as { error: { errors: Fault[] } }).error.errors);
}

const later = { delay: "1d" } as const;

/** Each way in, and the faults that it tells of a bad payload. */
const WAYS: Record<string, [tell: () => Promise<string[]>, path?: string]> = {
  schedule: [() => refusalOf(() => tasks.schedule("order.ship", BAD))],
  "schedule by a definition": [() => refusalOf(() => tasks.schedule(Ship, BAD))],
  scheduleMany: [() => itemOf(() => tasks.scheduleMany([{ task: "order.ship", payload: BAD }])), `tasks[0].${PATH}`],
  reschedule: [
    async () => {
      const { task } = await tasks.schedule(Ship, GOOD, later);
      return refusalOf(() => tasks.reschedule(task.id, { payload: BAD }));
    },
  ],
  "schedules.create": [
    () => refusalOf(() => tasks.schedules.create({ name: "a", task: Ship, payload: BAD, every: "1d" })),
  ],
  "schedules.put": [
    () => refusalOf(() => tasks.schedules.put({ name: "a", task: "order.ship", payload: BAD, every: "1d" })),
  ],
  "schedules.trigger": [
    async () => {
      await tasks.schedules.put({ name: "b", task: Ship, payload: GOOD, every: "1d" });
      return refusalOf(() => tasks.schedules.trigger("b", BAD));
    },
  ],
  "batches.create": [
    () => refusalOf(() => tasks.batches.create({ tasks: [{ task: Ship, payload: BAD }] })),
    `tasks[0].${PATH}`,
  ],
  "the end of a batch": [
    () => refusalOf(() => tasks.batches.create({ onComplete: { task: Ship, payload: BAD } })),
    `onComplete.${PATH}`,
  ],
  "batches.add": [
    async () => {
      const { id } = await tasks.batches.create({});
      return itemOf(async () => (await tasks.batches.add(id, [{ task: Ship, payload: BAD }])).results);
    },
    `tasks[0].${PATH}`,
  ],
  "POST /v1/tasks": [() => posted("/v1/tasks", { type: "order.ship", payload: BAD })],
  "POST /v1/tasks/bulk": [
    async () => {
      const given = { tasks: [{ type: "order.ship", payload: BAD }] };
      return itemOf(async () => (await api.post<{ results: object[] }>("/v1/tasks/bulk", given)).body.results);
    },
    `tasks[0].${PATH}`,
  ],
  "PATCH /v1/tasks/{id}": [
    async () => {
      const { task } = await tasks.schedule(Ship, GOOD, later);
      return posted(`/v1/tasks/${task.id}`, { payload: BAD }, "PATCH");
    },
  ],
  "PUT /v1/schedules/{name}": [
    () => posted("/v1/schedules/a", { type: "order.ship", payload: BAD, every: "1d" }, "PUT"),
  ],
  "POST /v1/schedules/{name}/trigger": [
    async () => {
      await tasks.schedules.put({ name: "b", task: Ship, payload: GOOD, every: "1d" });
      return posted("/v1/schedules/b/trigger", { payload: BAD });
    },
  ],
  "POST /v1/batches": [
    () => posted("/v1/batches", { tasks: [{ type: "order.ship", payload: BAD }] }),
    `tasks[0].${PATH}`,
  ],
  "mutation scheduleTask": [
    () => mutated('scheduleTask(input: { type: "order.ship", payload: $payload }) { task { id } }'),
  ],
};

describe.each(Object.entries(WAYS))("a bad payload that comes by %s", (_name, [tell, path = PATH]) => {
  test("a bad payload is refused with the path of its fault, and its value is not told", async () => {
    expect(await tell()).toEqual([path]);
  });

  test("a bad payload is refused by a node that knows only what is announced", async () => {
    ({ tasks, api } = stranger);
    expect(await tell()).toEqual([path]);
  });
});

test("the payload schema that a type announces is told, and a type that nobody knows is told as not found", async () => {
  for (const node of [owner, stranger]) {
    const { body } = await node.api.get<{ payloadSchema: { required: string[] } }>("/v1/types/order.ship");
    expect(body).toMatchObject({ type: "order.ship", payloadVersion: null });
    expect(body.payloadSchema.required).toEqual(["orderId", "items"]);
  }
  const count = await api.get("/v1/types/order.count");
  expect(count.body).toMatchObject({ payloadSchema: { properties: { n: { type: "number" } } }, payloadVersion: 2 });
  expect(await api.get("/v1/types/no.such")).toMatchObject({ status: 404, body: { code: "TYPE_NOT_FOUND" } });
});

test("the payload of a task that a handler spawns is checked: the handler's attempt fails", async () => {
  const { task } = await tasks.schedule("order.spawn", {}, { maxAttempts: 1 });
  await eventually(async () => expect((await tasks.get(task.id))?.state).toBe("dead"));
  const { lastError } = (await tasks.get(task.id))!;
  expect(lastError).toContain(PATH);
  expect(lastError).not.toContain(SECRET);
});

test("a payload is stored as it was given, and its handler gets what the schema makes of it", async () => {
  const text = '{"type":"order.ship","payload":{"orderId":"42","items":[],"cents":12345678901234567890.10}}';
  const { body } = await api.send<TaskBody>("POST", "/v1/tasks", { body: text });
  await eventually(() => expect(seen.get(body.id)).toEqual({ orderId: "42", items: [], by: "nobody" }));
  expect((await tasks.get(body.id))?.payload).not.toHaveProperty("by");
});

describe("a payload with a version", () => {
  test("a payload has the version of the definition, or of what is announced, and an edit sets it", async () => {
    const old = await stranger.tasks.schedule(OldCount, { old: 1 }, { delay: "1d" });
    const named = await stranger.tasks.schedule("order.count", { n: 1 }, { delay: "1d" });
    expect([old.task.payloadVersion, named.task.payloadVersion]).toEqual([1, 2]);
    const edited = await stranger.tasks.reschedule(old.task.id, { payload: { n: 1 } });
    expect(edited.payloadVersion).toBe(2);
    const { body } = await api.get<{ payloadVersion: number }>(`/v1/tasks/${named.task.id}`);
    expect(body.payloadVersion).toBe(2);
  });

  test("a payload with an older version is lifted before its handler gets it", async () => {
    const { task } = await stranger.tasks.schedule(OldCount, { old: 40 });
    await eventually(() => expect(seen.get(task.id)).toEqual({ n: 41 }));
  });

  test("a payload with a newer version that does not fit is a failed attempt, which another node may do better", async () => {
    const { task } = await stranger.tasks.schedule(NewerCount, { m: 1 }, { backoff: { kind: "fixed", delay: "1h" } });
    await eventually(async () => expect((await tasks.get(task.id))?.lastError).toContain("payload version 3"));
    expect(await tasks.get(task.id)).toMatchObject({ state: "scheduled", attempt: 1 });
  });
});

test("a stored payload that does not fit ends its task dead, and is checked anew at a retry", async () => {
  takesCounts = false;
  const { task } = await stranger.tasks.schedule("order.count", { n: 1 });
  await eventually(async () => expect((await tasks.get(task.id))?.state).toBe("dead"));
  expect(await tasks.get(task.id)).toMatchObject({
    reason: "PAYLOAD_INVALID",
    lastError: "The payload does not fit: payload is not taken yet",
  });
  takesCounts = true;
  await tasks.retry(task.id);
  await eventually(() => expect(seen.get(task.id)).toEqual({ n: 1 }));
});
