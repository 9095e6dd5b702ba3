import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type DynamicModule, Injectable } from "@nestjs/common";
import { DelayTaskApiModule } from "@tickwheel/api";
import {
  type DelayTask,
  type DelayTaskContext,
  DelayTaskHandler,
  DelayTaskModule,
  defineTask,
} from "@tickwheel/nestjs";
import { Client } from "pg";
import { DataSource } from "typeorm";
import type { Problem } from "../support/api-client.js";
import { type HostedApi, hostApi } from "../support/app/hosted-api.js";
import { newTestKey } from "../support/cluster.js";
import { eventually } from "../support/eventually.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

const Tick = defineTask<{ fails?: boolean }>("tick", { maxAttempts: 1 });
const Pay = defineTask<{ amount: number }>("pay", { maxAttempts: 1 });
const Kept = defineTask<object>("kept", { maxAttempts: 1 });

interface TypeChange {
  waitingFor: string[] | null;
  type: {
    settings: {
      concurrency: number | null;
      keepSucceeded: number | null;
      keepCancelled: number | null;
      keepDead: number | null;
    };
  };
}

let postgres: TestPostgres;
let served: HostedApi;
let dataSource: DataSource;
let client: Client;
const ended = new Set<string>();

@Injectable()
class Handlers {
  @DelayTaskHandler(Tick)
  tick({ id, payload }: DelayTask<{ fails?: boolean }>): void {
    ended.add(id);
    if (payload.fails) throw new Error("as asked");
  }

  @DelayTaskHandler(Pay)
  async pay({ id, payload }: DelayTask<{ amount: number }>, ctx: DelayTaskContext): Promise<void> {
    await ctx.transaction((manager) => manager.query("INSERT INTO payments VALUES ($1, $2)", [id, payload.amount]));
    ended.add(id);
  }

  @DelayTaskHandler(Kept)
  kept({ id }: DelayTask): void {
    ended.add(id);
  }
}

beforeAll(async () => {
  postgres = await startTestPostgres();
  const url = await postgres.createDatabase("retention");
  client = new Client({ connectionString: url });
  await client.connect();
  await client.query("CREATE TABLE payments (task uuid, amount int)");
  dataSource = await new DataSource({ type: "postgres", url }).initialize();
  const imports: DynamicModule[] = [
    DelayTaskApiModule.forRoot({ notice: false }),
    DelayTaskModule.forRoot({ dataSource, heartbeat: "loop" }),
  ];
  served = await hostApi({ providers: [Handlers], imports }, newTestKey());
});
afterAll(async () => {
  await served?.app.close();
  await dataSource?.destroy();
  await client?.end();
  await postgres?.stop();
});

const stateOf = async (id: string): Promise<string | number> => {
  const { status, body } = await served.api.get<{ state: string }>(`/v1/tasks/${id}`);
  return status === 200 ? body.state : status;
};
/** The ids of tasks in the live table and in history. */
async function rowsOf(id: string): Promise<number> {
  const { rowCount } = await client.query(
    "SELECT FROM tickwheel.task WHERE id = $1 UNION ALL SELECT FROM tickwheel.history WHERE id = $1",
    [id],
  );
  return rowCount!;
}

test("a type that keeps no success leaves no row of one, and a call that asks for such a task gets 404", async () => {
  const { api, tasks } = served;
  const set = await api.patch<TypeChange>("/v1/types/tick", { keepSucceeded: 0, keepDead: "36h" });
  const settings = { concurrency: null, keepSucceeded: 0, keepCancelled: null, keepDead: 36 * 3_600_000 };
  expect(set).toMatchObject({ status: 200, body: { waitingFor: [], type: { settings } } });
  const request = { type: "tick", payload: {}, key: "k", idempotencyKey: "once" };
  const { body } = await api.post<{ id: string }>("/v1/tasks", request);
  await eventually(async () => expect(await stateOf(body.id)).toBe(404));
  expect([ended.has(body.id), await rowsOf(body.id)]).toEqual([true, 0]);
  const replay = await api.post<Problem>("/v1/tasks", request);
  expect([replay.status, replay.body.code]).toEqual([404, "TASK_NOT_FOUND"]);

  const dead = await tasks.schedule(Tick, { fails: true });
  await eventually(async () => expect(await stateOf(dead.task.id)).toBe("dead"));
  const other = await tasks.schedule(Kept, {});
  await eventually(async () => expect(await stateOf(other.task.id)).toBe("succeeded"));
});

test("a type whose handler completes tasks in transactions of its own keeps no success, too, until null takes that back", async () => {
  const { tasks } = served;
  expect(await tasks.types.update(Pay, { keepSucceeded: "0s" })).toEqual({ obeyed: true });
  const gone = await tasks.schedule(Pay, { amount: 7 });
  await eventually(async () => expect(await stateOf(gone.task.id)).toBe(404));
  expect((await client.query("SELECT amount FROM payments WHERE task = $1", [gone.task.id])).rows).toEqual([
    { amount: 7 },
  ]);
  expect(await tasks.types.update(Pay, { keepSucceeded: null })).toEqual({ obeyed: true });
  const kept = await tasks.schedule(Pay, { amount: 8 });
  await eventually(async () => expect(await stateOf(kept.task.id)).toBe("succeeded"));
});

test("a type that keeps no cancelled task leaves no row of one that is cancelled by its id, and others go by the minute", async () => {
  const { api, tasks } = served;
  expect(await tasks.types.update(Kept, { keepCancelled: 0 })).toEqual({ obeyed: true });
  const [byOne, brief, byMany, byKey] = await Promise.all(
    ["a", "b", "c", "d"].map((key) => tasks.schedule(Kept, {}, { delay: "1h", key })),
  );
  const whole = await tasks.cancel(byOne!.task.id);
  expect(whole).toMatchObject({ outcome: "cancelled", task: { id: byOne!.task.id, state: "cancelled" } });
  expect(await tasks.cancel(brief!.task.id, { returning: "id" })).toEqual({ outcome: "cancelled" });
  expect(await tasks.cancelMany([byMany!.task.id], { returning: "id" })).toEqual([
    { id: byMany!.task.id, outcome: "cancelled" },
  ]);
  for (const { task } of [byOne!, brief!, byMany!])
    expect([await stateOf(task.id), await rowsOf(task.id)]).toEqual([404, 0]);
  expect((await tasks.cancelByKey(Kept, "d")).outcome).toBe("cancelled");
  expect(await stateOf(byKey!.task.id)).toBe("cancelled");
  expect((await api.get<TypeChange["type"]>("/v1/types/kept")).body.settings).toMatchObject({ keepCancelled: 0 });

  expect(await tasks.types.update(Kept, { keepCancelled: null })).toEqual({ obeyed: true });
  const kept = await tasks.schedule(Kept, {}, { delay: "1h", key: "a" });
  expect(await tasks.cancel(kept.task.id, { returning: "id" })).toEqual({ outcome: "cancelled" });
  expect(await stateOf(kept.task.id)).toBe("cancelled");
});

test("a cancel over REST is answered without a body where its caller prefers that, if the task is cancelled", async () => {
  const { api, tasks } = served;
  const { task } = await tasks.schedule(Kept, {}, { delay: "1h" });
  const prefers = { prefer: "return=minimal" };
  const brief = await api.delete<unknown>(`/v1/tasks/${task.id}`, prefers);
  expect([brief.status, brief.body, brief.headers.get("preference-applied")]).toEqual([204, "", "return=minimal"]);
  const whole = await api.delete<{ outcome: string }>(`/v1/tasks/${task.id}`);
  expect([whole.status, whole.body.outcome, whole.headers.get("preference-applied")]).toEqual([200, "cancelled", null]);
  const missing = await api.delete<Problem>(`/v1/tasks/${task.id.replace(/^./, "f")}`, prefers);
  expect([missing.status, missing.body.code]).toEqual([404, "TASK_NOT_FOUND"]);
  const dead = await tasks.schedule(Tick, { fails: true });
  await eventually(async () => expect(await stateOf(dead.task.id)).toBe("dead"));
  const late = await api.delete<Problem>(`/v1/tasks/${dead.task.id}`, prefers);
  expect([late.status, late.body.code]).toEqual([409, "TASK_STATE_CONFLICT"]);
});

test("GraphQL sets and shows how long a type keeps ended tasks", async () => {
  const fields = "{ waitingFor type { settings { keepSucceeded keepDead } } }";
  const { data } = await served.api.graphql(
    `mutation { updateType(type: "kept", input: { keepSucceeded: "2h", keepDead: 3600000 }) ${fields} }`,
  );
  const settings = { keepSucceeded: 7_200_000, keepDead: 3_600_000 };
  expect(data).toEqual({ updateType: { waitingFor: [], type: { settings } } });
});

test.each<[object, { path: string; message: string }]>([
  [{ keepSucceeded: "30m" }, { path: "keepSucceeded", message: "must be 0, or from 1 h to 7 d" }],
  [{ keepSucceeded: "8d" }, { path: "keepSucceeded", message: "must be 0, or from 1 h to 7 d" }],
  [{ keepSucceeded: "soon" }, { path: "keepSucceeded", message: "must be a duration" }],
  [{ keepCancelled: "30m" }, { path: "keepCancelled", message: "must be 0, or from 1 h to 7 d" }],
  [{ keepDead: 0 }, { path: "keepDead", message: "must be from 1 h to 30 d" }],
  [{ keepDead: "31d" }, { path: "keepDead", message: "must be from 1 h to 30 d" }],
])("a retention of %j is refused with its path and its bounds", async (given, { path, message }) => {
  const { status, body } = await served.api.patch<Problem>("/v1/types/tick", given);
  expect([status, body.code]).toEqual([400, "VALIDATION_FAILED"]);
  expect(body.errors).toEqual([{ path, message: expect.stringContaining(message) }]);
});
