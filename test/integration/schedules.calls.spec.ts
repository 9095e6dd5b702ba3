import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { type DynamicModule, Injectable } from "@nestjs/common";
import { ExpressAdapter } from "@nestjs/platform-express";
import { FastifyAdapter } from "@nestjs/platform-fastify";
import { DelayTaskApiModule } from "@tickwheel/api";
import {
  type DelayTask,
  type DelayTaskContext,
  DelayTaskHandler,
  DelayTaskModule,
  defineTask,
} from "@tickwheel/nestjs";
import type { Problem } from "../support/api-client.js";
import { type HostedApi, hostApi } from "../support/app/hosted-api.js";
import { newTestKey } from "../support/cluster.js";
import { eventually } from "../support/eventually.js";
import { OwnPostgres } from "../support/servers/own-postgres.js";

const KEY = newTestKey();
const RANGE = { from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z" };
const Settle = defineTask<{ shop: number }>("settle", { maxAttempts: 1 });

let postgres: OwnPostgres;
let served: HostedApi;
let runs: { payload: unknown; missed: number }[] = [];

@Injectable()
class Settlement {
  @DelayTaskHandler(Settle)
  settle({ payload }: DelayTask<{ shop: number }>, { missed }: DelayTaskContext): void {
    runs.push({ payload, missed });
  }
}

const importsOf = (): DynamicModule[] => [
  DelayTaskApiModule.forRoot({ notice: false }),
  DelayTaskModule.forRoot({ url: postgres.url, heartbeat: "loop" }),
];

beforeAll(async () => {
  postgres = await OwnPostgres.start({ settings: { fsync: false } });
  served = await hostApi({ providers: [Settlement], imports: importsOf() }, KEY);
});
afterEach(async () => {
  const { schedules } = served.tasks;
  for (const { name } of (await schedules.list()).items) await schedules.remove(name);
  runs = [];
});
afterAll(async () => {
  await served.app.close();
  await postgres.stop();
});

describe("a name in an address", () => {
  const path = (name: string): string => `/v1/schedules/${encodeURIComponent(name)}`;

  test("a name is refused where it is made if no address can carry it, in all ways in", async () => {
    const { api, tasks } = served;
    for (const name of [".", ".."]) {
      const message = `must not be "${name}", which no address can carry`;
      const schedule = { name, type: "settle", every: "1d" };
      const ofRest = await api.post<Problem>("/v1/schedules", schedule);
      expect([ofRest.status, ofRest.body.errors]).toEqual([400, [{ path: "name", message }]]);
      const typed = await api.post<Problem>("/v1/schedules", { name: "fine", type: name, every: "1d" });
      expect([typed.status, typed.body.errors]).toEqual([400, [{ path: "type", message }]]);
      const task = await api.post<Problem>("/v1/tasks", { type: name, delay: "1h" });
      expect([task.status, task.body.errors]).toEqual([400, [{ path: "type", message }]]);
      const query = `mutation { putSchedule(name: "${name}", input: { type: "settle", every: "1d" }) { outcome } }`;
      const graphql = await api.post("/graphql", { query });
      expect(JSON.stringify(graphql.body)).toContain("which no address can carry");
      await expect(tasks.schedules.create({ name, task: Settle, payload: { shop: 1 }, every: "1d" })).rejects.toThrow(
        message,
      );
      await expect(tasks.schedule(name, {}, { delay: "1h" })).rejects.toThrow(message);
    }
  });

  test("a name with a NUL, or too long, is nobody's, at every address of a schedule", async () => {
    const { api, tasks } = served;
    for (const name of ["a\0b", "\0", "x".repeat(300)]) {
      const answers = await Promise.all([
        api.get(path(name)),
        api.get(`${path(name)}/runs`),
        api.get(`${path(name)}/preview`),
        api.post(`${path(name)}/pause`, {}),
        api.post(`${path(name)}/resume`, {}),
        api.post(`${path(name)}/trigger`, {}),
        api.post(`${path(name)}/backfill`, RANGE),
        api.send("DELETE", `${path(name)}/backfill`),
        api.send("DELETE", path(name)),
        api.send("PUT", path(name), { body: JSON.stringify({ type: "settle", every: "1d" }) }),
        api.get(`/v1/tasks/${encodeURIComponent(name)}`),
        api.get(`/v1/batches/${encodeURIComponent(name)}`),
      ]);
      for (const { status } of answers) expect([400, 404, 414]).toContain(status);
      await expect(tasks.schedules.get(name)).resolves.toBeNull();
      await expect(tasks.schedules.pause(name)).rejects.toMatchObject({ code: "SCHEDULE_NOT_FOUND" });
    }
  });

  test.each([
    ["Express", () => new ExpressAdapter()],
    ["Fastify", () => new FastifyAdapter({ routerOptions: { maxParamLength: 128 } })],
  ])("a name in an address may have as many characters as a type may have, on %s", async (_platform, adapter) => {
    const { app, api } = await hostApi({ imports: importsOf() }, KEY, adapter());
    try {
      for (const length of [1, 100, 101, 128]) {
        const type = "t".repeat(length);
        await api.post("/v1/tasks", { type, delay: "1h" });
        const { status, body } = await api.get<{ type: string }>(`/v1/types/${type}`);
        expect([status, body.type]).toEqual([200, type]);
      }
      for (const none of ["", "a/b"]) expect((await api.get(`/v1/types/${none}`)).status).not.toBe(500);
      expect((await api.get("/v1/types/a/b")).status).toBe(404);
    } finally {
      await app.close();
    }
  });
});

describe("a schedule", () => {
  test("a schedule is not paused until an instant that has passed, by whichever way in", async () => {
    const { schedules } = served.tasks;
    await schedules.create({ name: "past", task: Settle, payload: { shop: 1 }, every: "1d" });
    const until = new Date(1_000);
    const faults = [{ path: "until", message: "must be in the future" }];
    await expect(schedules.pause("past", { until })).rejects.toMatchObject({ code: "VALIDATION_FAILED", faults });
    const { status, body } = await served.api.post("v1/schedules/past/pause", { until });
    expect([status, body]).toMatchObject([400, { code: "VALIDATION_FAILED", errors: faults }]);
    expect(await schedules.get("past")).toMatchObject({ state: "active" });
    expect(await schedules.remove("past")).toMatchObject({ name: "past", type: "settle" });
  });

  test("a schedule is paused, and resumes; is triggered with another payload; tells its runs", async () => {
    const { tasks } = served;
    const { schedules } = tasks;
    await schedules.create({
      name: "daily",
      task: Settle,
      payload: { shop: 1 },
      cron: "0 3 * * *",
      timeZone: "Europe/Berlin",
    });
    await expect(
      schedules.create({ name: "daily", task: Settle, payload: { shop: 1 }, every: "1d" }),
    ).rejects.toMatchObject({
      code: "SCHEDULE_EXISTS",
    });
    const paused = await schedules.pause("daily", { reason: "stocktaking" });
    expect(paused).toMatchObject({ state: "paused", pause: { note: "stocktaking", by: "application" }, nextAt: null });
    expect((await tasks.find(Settle, { live: true })).items).toEqual([]);
    const triggered = await schedules.trigger("daily", { shop: 2 });
    const { id } = triggered;
    expect(triggered).toMatchObject({ type: "settle", payload: { shop: 2 }, createdAt: expect.any(Date) });
    await eventually(() => expect(runs).toHaveLength(1));
    expect(runs[0]).toMatchObject({ payload: { shop: 2 }, missed: 0 });
    await eventually(async () => expect((await tasks.get(id))?.state).toBe("succeeded"));
    const resumed = await schedules.resume("daily");
    expect([resumed.state, resumed.nextAt]).toEqual(["active", expect.any(Date)]);
    await eventually(async () =>
      expect((await schedules.runs("daily")).items).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ kind: "trigger", taskId: id, outcome: "succeeded" }),
          expect.objectContaining({ kind: "spec", outcome: null }),
        ]),
      ),
    );
    const [first, second] = await schedules.preview("daily", { count: 2 });
    expect(first).toMatchObject({ at: resumed.nextAt, runs: true });
    expect(second!.at.getTime()).toBeGreaterThan(first!.at.getTime());
  });

  test("a schedule tells every fault of bad input, of its fields and of its rules", async () => {
    const { tasks, api } = served;
    const bad = {
      name: "no name",
      task: Settle,
      payload: { shop: 1 },
      cron: "61 * * * *",
      timeZone: "Mars/Base",
      startsAt: "soon",
      jitter: -1,
    };
    const faults = await tasks.schedules.put(bad).catch((error: { faults: { path: string }[] }) => error.faults);
    const paths = ["name", "startsAt", "cron", "timeZone", "jitter"];
    expect((faults as { path: string }[]).map(({ path }) => path).toSorted()).toEqual(paths.toSorted());
    const { status, body } = await api.post<Problem>("v1/schedules", { name: "x", type: "t", cron: "0 0 30 2 *" });
    expect([status, body.errors]).toEqual([400, [{ path: "cron", message: "must have an instant within five years" }]]);
    await expect(tasks.schedules.pause("none")).rejects.toMatchObject({ code: "SCHEDULE_NOT_FOUND" });
    await expect(tasks.schedules.preview("none")).rejects.toMatchObject({ code: "SCHEDULE_NOT_FOUND" });
  });

  test("a schedule is made, changed with its revision, listed and deleted over REST", async () => {
    const { api } = served;
    const rules = { type: "settle", payload: { shop: 1 }, cron: "0 3 * * *" };
    const made = await api.send<{ revision: number; nextAt: string }>("PUT", "v1/schedules/nightly", {
      body: JSON.stringify(rules),
    });
    expect([made.status, made.body.revision]).toEqual([201, 1]);
    const change = (revision: number): Promise<{ status: number; body: unknown }> =>
      api.send("PUT", "v1/schedules/nightly", {
        body: JSON.stringify({ ...rules, cron: "0 4 * * *" }),
        headers: { "if-match": `"${revision}"` },
      });
    expect(await change(2)).toMatchObject({ status: 412, body: { code: "VERSION_MISMATCH" } });
    expect(await change(1)).toMatchObject({ status: 200, body: { revision: 2, cron: "0 4 * * *" } });
    await api.send("PUT", "v1/schedules/nightly", {
      body: JSON.stringify({ ...rules, cron: "0 4 * * *", payload: { shop: 2 } }),
    });
    const { body: live } = await api.get<{ items: unknown[] }>("v1/tasks?type=settle&live=true");
    expect(live.items).toMatchObject([{ payload: { shop: 2 }, state: "scheduled" }]);
    expect(await api.get("v1/schedules")).toMatchObject({
      status: 200,
      body: { items: [{ name: "nightly", payload: { shop: 2 }, state: "active" }], nextCursor: null },
    });
    expect(await api.get("v1/schedules/nightly/preview?count=3")).toMatchObject({
      body: { items: [{ runs: true }, { runs: true }, { runs: true }] },
    });
    expect(await api.send("DELETE", "v1/schedules/nightly", {})).toMatchObject({ status: 200 });
    expect(await api.get("v1/schedules/nightly")).toMatchObject({ status: 404, body: { code: "SCHEDULE_NOT_FOUND" } });
  });
});

describe("schedules over GraphQL", () => {
  test("schedules over GraphQL are put, shown digit for digit, paused, triggered and deleted", async () => {
    const { api } = served;
    const ask = async (query: string): Promise<unknown> =>
      (await api.post<{ data: unknown; errors?: unknown }>("graphql", { query })).body;
    const input = `{ type: "settle", payload: { shop: 12345678901234567890 }, cron: "0 3 * * *" }`;
    const put = await ask(
      `mutation { putSchedule(name: "g", input: ${input}) { outcome schedule { revision state } } }`,
    );
    expect(put).toEqual({ data: { putSchedule: { outcome: "created", schedule: { revision: 1, state: "active" } } } });
    const { body: rest } = await api.get<object>("v1/schedules/g");
    const known = await ask(`{ __type(name: "Schedule") { fields { name } } }`);
    const { fields } = (known as { data: { __type: { fields: { name: string }[] } } }).data.__type;
    // A key without the right `payload` gets one more.
    const told = [...Object.keys(rest), "payloadMasked"];
    expect(fields.map((field) => field.name).toSorted()).toEqual(told.toSorted());
    const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
    const body = JSON.stringify({
      query: `{ schedules { nodes { name payload } } schedule(name: "g") { cron } }`,
    });
    const shown = await fetch(new URL("graphql", `${await served.app.getUrl()}/`), { method: "POST", headers, body });
    expect(await shown.text()).toContain('"payload":{"shop":12345678901234567890}');
    expect(await ask(`mutation { pauseSchedule(name: "g", reason: "why") { state pause { note } } }`)).toEqual({
      data: { pauseSchedule: { state: "paused", pause: { note: "why" } } },
    });
    expect(await ask(`mutation { triggerSchedule(name: "g", payload: { shop: 3 }) { payload } }`)).toEqual({
      data: { triggerSchedule: { payload: { shop: 3 } } },
    });
    expect(await ask(`mutation { deleteSchedule(name: "g") { name } }`)).toEqual({
      data: { deleteSchedule: { name: "g" } },
    });
    expect(await ask(`{ schedule(name: "g") { name } }`)).toEqual({ data: { schedule: null } });
    expect(await ask(`mutation { resumeSchedule(name: "g") { name } }`)).toMatchObject({
      errors: [{ extensions: { code: "SCHEDULE_NOT_FOUND" } }],
    });
  });
});
