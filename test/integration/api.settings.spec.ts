import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { type DynamicModule, Injectable } from "@nestjs/common";
import { DelayTaskApiModule } from "@tickwheel/api";
import {
  type DelayTask,
  type DelayTaskContext,
  DelayTaskHandler,
  DelayTaskModule,
  defineTask,
} from "@tickwheel/nestjs";
import type { Problem, TaskBody } from "../support/api-client.js";
import { type HostedApi, hostApi } from "../support/app/hosted-api.js";
import { newTestKey } from "../support/cluster.js";
import { eventually } from "../support/eventually.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

const KEY = newTestKey();
const CENTURY_MS = 100 * 365.25 * 86_400_000;
const Mail = defineTask<{ to: string }>("mail", { maxAttempts: 1 });
const Bill = defineTask<{ to: string }>("bill", { maxAttempts: 1 });

interface PauseBody {
  type: string | null;
  key: string | null;
  since: string;
  until: string | null;
  reason: string | null;
  by: string;
}
interface TypeBody {
  type: string;
  settings: { concurrency: number | null };
  pause: PauseBody | null;
}
interface TypeChange {
  waitingFor: string[] | null;
  revision: string;
  type: TypeBody;
}
interface PauseChange {
  waitingFor: string[] | null;
  pause: PauseBody | null;
}

let postgres: TestPostgres;
let served: HostedApi;
/** Ids of the tasks that have started. */
const started = new Set<string>();
/** How many bills run, and the most that have run at once. */
let running = 0;
let most = 0;
/** Ends a bill that runs. */
const releases: (() => void)[] = [];

@Injectable()
class Handlers {
  @DelayTaskHandler(Mail)
  mail({ id, payload: { to } }: DelayTask<{ to: string }>, ctx: DelayTaskContext): void {
    const isFirst = !started.has(id);
    started.add(id);
    if (isFirst && to.startsWith("slow")) ctx.defer("1.5s", { reason: "the provider asks to slow down" });
  }

  @DelayTaskHandler(Bill)
  async bill({ id }: DelayTask): Promise<void> {
    started.add(id);
    most = Math.max(most, ++running);
    await new Promise<void>((release) => releases.push(() => (running--, release())));
  }
}

beforeAll(async () => {
  postgres = await startTestPostgres();
  const url = await postgres.createDatabase("settings");
  const imports: DynamicModule[] = [
    DelayTaskApiModule.forRoot({ notice: false }),
    DelayTaskModule.forRoot({ url, heartbeat: "loop" }),
  ];
  served = await hostApi({ providers: [Handlers], imports }, KEY);
});
afterEach(async () => {
  const { tasks } = served;
  for (const task of [Mail, Bill]) {
    await tasks.types.resume(task);
    await tasks.types.update(task, { concurrency: null });
  }
  await tasks.keys.resume(Mail, "42");
  await tasks.namespace.resume();
});
afterAll(async () => {
  for (const release of releases) release();
  await served?.app.close();
  await postgres?.stop();
});

const made = async (to: string, key?: string): Promise<string> =>
  (await served.tasks.schedule(Mail, { to }, key === undefined ? {} : { key })).task.id;
const shown = async (id: string): Promise<TaskBody & { because: { code: string; halt: object | null } }> =>
  (await served.api.get<TaskBody & { because: { code: string; halt: object | null } }>(`/v1/tasks/${id}`)).body;
const hasStarted = (id: string): Promise<void> => eventually(() => expect(started).toContain(id));
/** A task of another type, made later, has started: so there was time for those that are paused. */
async function othersStart(): Promise<void> {
  const { task } = await served.tasks.schedule(Bill, { to: "other" });
  await hasStarted(task.id);
  releases.shift()!();
}

describe("a pause of a type", () => {
  test("a pause of a type answers when every node obeys; nothing starts until it is resumed, and then the oldest first", async () => {
    const { api } = served;
    const paused = await api.post<TypeChange>("/v1/types/mail/pause", { reason: "a bad deploy" });
    expect(paused).toMatchObject({ status: 200, body: { waitingFor: [], type: { type: "mail" } } });
    const told = { type: "mail", key: null, until: null, reason: "a bad deploy", by: expect.stringMatching(/^key:/) };
    expect(paused.body.type.pause).toMatchObject(told);
    const id = await made("a@example.com");
    await othersStart();
    expect(started).not.toContain(id);
    const waiting = await shown(id);
    expect(waiting).toMatchObject({ state: "scheduled", waitingFor: "PAUSE", because: { code: "HALTED" } });
    expect(waiting.because.halt).toMatchObject({ of: "TYPE", until: null, reason: "a bad deploy" });
    expect((await api.get<TypeBody>("/v1/types/mail")).body.pause).toMatchObject(told);
    expect((await api.get<{ items: object[] }>("/v1/pauses")).body.items).toMatchObject([told]);
    await eventually(async () => {
      const { items } = (await api.get<{ items: TypeBody[] }>("/v1/types")).body;
      expect(items.find(({ type }) => type === "mail")).toMatchObject({ waitsFor: "PAUSE", overdue: 1, pause: told });
    });
    const resumed = await api.post<TypeChange>("/v1/types/mail/resume");
    expect(resumed).toMatchObject({ status: 200, body: { waitingFor: [], type: { pause: null } } });
    await hasStarted(id);
  });

  test("a pause of a type ends by itself at its time", async () => {
    const until = new Date(Date.now() + 1_500).toISOString();
    expect(await served.tasks.types.pause(Mail, { until })).toEqual({ obeyed: true });
    const id = await made("b@example.com");
    const task = await eventually(async () => {
      const found = await shown(id);
      expect(found.state).toBe("succeeded");
      return found;
    });
    expect(Date.parse(task.startedAt!)).toBeGreaterThanOrEqual(Date.parse(until));
    expect((await served.api.get<{ items: object[] }>("/v1/pauses")).body.items).toEqual([]);
  });

  test("a pause of a type is asked for by a handler, which puts its own task off as well", async () => {
    const { api, tasks } = served;
    const slow = await made("slow@example.com");
    const told = { type: "mail", key: null, reason: "the provider asks to slow down", by: "handler" };
    const pause = await eventually(async () => {
      const found = (await api.get<TypeBody>("/v1/types/mail")).body.pause;
      expect(found).toMatchObject(told);
      return found!;
    });
    const other = await made("c@example.com");
    await othersStart();
    for (const id of [slow, other])
      await eventually(async () => expect(await shown(id)).toMatchObject({ state: "succeeded", attempt: 1 }));
    expect((await tasks.journal(slow))!.items.map(({ reason }) => reason)).toContain("SNOOZED");
    const { startedAt } = await shown(other);
    expect(Date.parse(startedAt!)).toBeGreaterThanOrEqual(Date.parse(pause.until!));
  });

  test("a pause of a type is made, told and ended by GraphQL as by REST", async () => {
    const { api } = served;
    const fields = "{ waitingFor type { type settings { concurrency } pause { type key reason by } } }";
    const { data } = await api.graphql<{ pauseType: TypeChange }>(
      `mutation { pauseType(type: "mail", reason: "asked") ${fields} }`,
    );
    expect(data.pauseType).toMatchObject({ waitingFor: [], type: { pause: { type: "mail", reason: "asked" } } });
    const list = await api.graphql<{ pauses: { nodes: object[] } }>("{ pauses { nodes { type key reason } } }");
    expect(list.data.pauses.nodes).toEqual([{ type: "mail", key: null, reason: "asked" }]);
    const ended = await api.graphql<{ resumeType: TypeChange }>(`mutation { resumeType(type: "mail") ${fields} }`);
    expect(ended.data.resumeType.type.pause).toBeNull();
  });
});

describe("a pause of a key", () => {
  test("a pause of a key holds its task and lets others go; a countdown stands still at once", async () => {
    const { api, tasks } = served;
    const later = (await tasks.schedule(Bill, { to: "f@example.com" }, { key: "77", delay: "1h" })).task.id;
    expect(await tasks.keys.pause(Bill, "77")).toEqual({ obeyed: true });
    expect(await shown(later)).toMatchObject({ state: "paused", waitingFor: "PAUSE" });
    expect(await tasks.keys.resume(Bill, "77")).toEqual({ obeyed: true });
    await eventually(async () => expect(await shown(later)).toMatchObject({ state: "scheduled" }));
    const paused = await api.post<PauseChange>("/v1/keys/pause", { type: "mail", key: "42" });
    expect(paused).toMatchObject({ status: 200, body: { waitingFor: [], pause: { type: "mail", key: "42" } } });
    expect((await api.get<{ items: object[] }>("/v1/pauses")).body.items).toMatchObject([{ type: "mail", key: "42" }]);
    expect((await api.get<TypeBody>("/v1/types/mail")).body.pause).toBeNull();
    const held = await made("c@example.com", "42");
    await hasStarted(await made("d@example.com", "43"));
    await eventually(async () => expect(await shown(held)).toMatchObject({ waitingFor: "PAUSE" }));
    expect(started).not.toContain(held);
    const resumed = await api.post<PauseChange>("/v1/keys/resume", { type: "mail", key: "42" });
    expect(resumed).toMatchObject({ status: 200, body: { waitingFor: [], pause: null } });
    await hasStarted(held);
  });
});

test("a body of a settings change may be absent where nothing must be given; each change has a later revision", async () => {
  const { api } = served;
  const paused = await api.post<TypeChange>("/v1/types/mail/pause");
  expect(paused).toMatchObject({ status: 200, body: { type: { pause: { until: null, reason: null } } } });
  const resumed = await api.post<TypeChange>("/v1/types/mail/resume");
  expect(resumed.status).toBe(200);
  const [before, after] = [paused, resumed].map(({ body }) => Number(body.revision.split(".")[1]));
  expect(after).toBe(before! + 1);
  expect((await api.post("/v1/keys/pause")).status).toBe(400);
});

describe("a pause of the namespace", () => {
  test("a pause of the namespace holds every type, and its end leaves those that are paused by themselves", async () => {
    const { api, tasks } = served;
    await tasks.types.pause(Mail);
    const paused = await api.post<PauseChange>("/v1/namespace/pause", { reason: "a move" });
    expect(paused).toMatchObject({ status: 200, body: { waitingFor: [], pause: { type: null, key: null } } });
    expect((await api.get<TypeBody>("/v1/types/bill")).body.pause).toMatchObject({ type: null, reason: "a move" });
    const { task } = await tasks.schedule(Bill, { to: "e@example.com" });
    const mail = await made("e@example.com");
    await eventually(async () => expect(await shown(task.id)).toMatchObject({ waitingFor: "PAUSE" }));
    expect(await tasks.namespace.resume()).toEqual({ obeyed: true });
    await hasStarted(task.id);
    releases.shift()!();
    expect(started).not.toContain(mail);
    expect(await shown(mail)).toMatchObject({ waitingFor: "PAUSE" });
  });
});

describe("the concurrency of a type", () => {
  test("the concurrency of a type is set at run time, and taken away by null", async () => {
    const { api, tasks } = served;
    const set = await api.patch<TypeChange>("/v1/types/bill", { concurrency: 2 });
    expect(set).toMatchObject({ status: 200, body: { waitingFor: [], type: { settings: { concurrency: 2 } } } });
    most = 0;
    const many = Array.from({ length: 6 }, (_, index) => ({ task: Bill, payload: { to: String(index) } }));
    await tasks.scheduleMany(many);
    for (let left = many.length; left > 0; left--) {
      await eventually(() => expect(running).toBe(Math.min(2, left)));
      releases.shift()!();
    }
    expect(most).toBe(2);
    const away = await api.patch<TypeChange>("/v1/types/bill", { concurrency: null });
    expect(away).toMatchObject({ status: 200, body: { type: { settings: { concurrency: null } } } });
  });
});

describe("bad input", () => {
  const beyond = (): string => new Date(Date.now() + CENTURY_MS + 3_600_000).toISOString();
  const past = (): string => new Date(Date.now() - 60_000).toISOString();

  test.each<[string, { path: string; given: () => object; fault: string }]>([
    ["an end in the past", { path: "types/mail", given: () => ({ until: past() }), fault: "until" }],
    ["an end beyond a century", { path: "namespace", given: () => ({ until: beyond() }), fault: "until" }],
    ["an end that is no instant", { path: "types/mail", given: () => ({ until: "tomorrow" }), fault: "until" }],
    ["an unknown field", { path: "types/mail", given: () => ({ why: "so" }), fault: "why" }],
    ["a type of ours", { path: "types/tickwheel.batch.closed", given: () => ({}), fault: "type" }],
    ["a NUL in a key", { path: "keys", given: () => ({ type: "mail", key: "a\0" }), fault: "key" }],
    ["half a surrogate in a key", { path: "keys", given: () => ({ type: "mail", key: "a\ud800" }), fault: "key" }],
  ])("bad input of a pause is refused with its path: %s", async (_name, { path, given, fault }) => {
    const { status, body } = await served.api.post<Problem>(`/v1/${path}/pause`, given());
    expect([status, body.code, body.errors.map((one) => one.path)]).toEqual([400, "VALIDATION_FAILED", [fault]]);
  });

  test.each<[object, string]>([
    [{}, ""],
    [{ concurrency: 0 }, "concurrency"],
    [{ concurrency: 1.5 }, "concurrency"],
    [{ concurrency: "x" }, "concurrency"],
    [{ concurrency: 10_001 }, "concurrency"],
    [{ maxRuning: 1 }, "maxRuning"],
  ])("bad input of a setting is refused with its path: %j", async (given, fault) => {
    const { status, body } = await served.api.patch<Problem>("/v1/types/mail", given);
    expect([status, body.code, [...new Set(body.errors.map((one) => one.path))]]).toEqual([
      400,
      "VALIDATION_FAILED",
      expect.arrayContaining([fault]),
    ]);
  });

  test("a pause of a type that nobody has made is bad input", async () => {
    const { status, body } = await served.api.post<Problem>("/v1/types/lost/pause", {});
    expect([status, body.code]).toEqual([404, "TYPE_NOT_FOUND"]);
  });

  test("an end of a pause where nothing is paused is no bad input", async () => {
    const { status, body } = await served.api.post<TypeChange>("/v1/types/mail/resume");
    expect([status, body.waitingFor, body.type.pause]).toEqual([200, [], null]);
  });
});
