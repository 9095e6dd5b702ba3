import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { type INestApplicationContext, Injectable, type Type } from "@nestjs/common";
import { Cron, ScheduleModule, SchedulerRegistry } from "@nestjs/schedule";
import { Test } from "@nestjs/testing";
import { DelayTaskApiModule } from "@tickwheel/api";
import { type PostgresService, startPostgres } from "@tickwheel/local-services";
import {
  ClusterCron,
  ClusterInterval,
  type DelayTask,
  type DelayTaskContext,
  DelayTaskHandler,
  DelayTaskModule,
  type DelayTaskModuleOptions,
  DelayTaskService,
  defineTask,
} from "@tickwheel/nestjs";
import { DelayTaskTesting, DelayTaskTestingModule, type DelayTaskTestingOptions } from "@tickwheel/testing/nest";
import { Client } from "pg";
import type { Problem } from "../support/api-client.js";
import { type HostedApi, hostApi } from "../support/app/hosted-api.js";
import { newTestKey } from "../support/cluster.js";
import { eventually, lasting } from "../support/eventually.js";

const Settle = defineTask<{ shop: number }>("settle", { maxAttempts: 1 });

/** Half a second from the next instant of a schedule of each second. */
const BETWEEN_INSTANTS = new Date("2026-03-01T12:00:00.500Z");
const EACH_SECOND = { every: "1s", anchor: "2026-03-01T12:00:00Z" } as const;

interface Run {
  payload: unknown;
  schedule: string | null;
  occurrenceAt: number;
  missed: number;
}

let postgres: PostgresService;
const KEY = newTestKey();
/** An application with a node, for the tests that only call it: none of their schedules is left to the next. */
let served: HostedApi;
let app: INestApplicationContext | null = null;
let runs: Run[] = [];
let hold: Promise<void> = Promise.resolve();

beforeAll(async () => {
  postgres = await startPostgres({ settings: { fsync: false } });
  served = await serve([Settlement]);
});
afterEach(async () => {
  await app?.close();
  app = null;
  for (const { name } of (await served.tasks.schedules.list()).items) await served.tasks.schedules.remove(name);
  runs = [];
  hold = Promise.resolve();
});
afterAll(async () => {
  await served.app.close();
  await postgres.stop();
});

function note(task: DelayTask, ctx: DelayTaskContext): void {
  const { schedule, occurrenceAt, missed } = ctx;
  runs.push({ payload: task.payload, schedule, occurrenceAt: occurrenceAt!.getTime(), missed });
}

@Injectable()
class Settlement {
  @DelayTaskHandler(Settle)
  async settle(task: DelayTask<{ shop: number }>, ctx: DelayTaskContext): Promise<void> {
    note(task, ctx);
    await hold;
    if (task.payload.shop < 0) throw new Error("no such shop");
  }
}

async function serve(providers: Type[], options: DelayTaskModuleOptions = {}): Promise<HostedApi> {
  const imports = [
    ...(options.clusterCrons ? [ScheduleModule.forRoot()] : []),
    DelayTaskApiModule.forRoot({ notice: false }),
    DelayTaskModule.forRoot({ url: postgres.url, heartbeat: "loop", ...options }),
  ];
  return hostApi({ providers, imports }, KEY);
}

/** On the same Postgres, in a schema that it empties, with a clock that the test moves. */
async function openTimed(
  providers: Type[],
  options: DelayTaskTestingOptions = {},
): Promise<{ tasks: DelayTaskService; time: DelayTaskTesting }> {
  const imports = [
    ...(options.clusterCrons ? [ScheduleModule.forRoot()] : []),
    DelayTaskTestingModule.forRoot({ url: postgres.url, now: BETWEEN_INSTANTS, ...options }),
  ];
  const opened = await Test.createTestingModule({ providers, imports }).compile();
  app = opened;
  await opened.init();
  return { tasks: opened.get(DelayTaskService, { strict: false }), time: DelayTaskTesting.of(opened) };
}

/** A schedule of each second in code was in force before the test began: what it had due then may start a while later. */
async function underWay(time: DelayTaskTesting): Promise<void> {
  await eventually(async () => {
    await time.advance("1s");
    expect(runs).not.toEqual([]);
  });
  runs = [];
}

const settled = (count: number): Promise<void> => eventually(() => expect(runs.length).toBeGreaterThanOrEqual(count));

describe("a schedule", () => {
  test("runs at each instant once, in order, and tells its handler which", async () => {
    const { tasks, time } = await openTimed([Settlement]);
    const schedule = { name: "fast", task: Settle, payload: { shop: 7 }, ...EACH_SECOND } as const;
    const { outcome, schedule: made } = await tasks.schedules.put(schedule);
    expect([outcome, made.revision, made.state]).toEqual(["created", 1, "active"]);
    await time.advance("4s");
    const anchor = made.anchor!.getTime();
    const instants = runs.map(({ occurrenceAt }) => (occurrenceAt - anchor) / 1_000);
    expect(instants).toEqual([1, 2, 3, 4]);
    expect(runs.map(({ missed }) => missed)).toEqual([0, 0, 0, 0]);
    expect(runs[0]).toMatchObject({ payload: { shop: 7 }, schedule: "fast" });
    expect((await tasks.schedules.put(schedule)).outcome).toBe("unchanged");
    await tasks.schedules.remove("fast");
    const { items } = await tasks.find(Settle, { live: true });
    expect(items).toEqual([]);
    expect(await tasks.schedules.get("fast")).toBeNull();
  });

  test("is paused, and resumes; is triggered with another payload; tells its runs", async () => {
    const { tasks } = served;
    const { schedules } = tasks;
    await schedules.create({
      name: "daily",
      task: Settle,
      payload: { shop: 1 },
      cron: "0 3 * * *",
      timeZone: "Europe/Berlin",
    });
    await expect(schedules.create({ name: "daily", task: Settle, every: "1d" })).rejects.toMatchObject({
      code: "SCHEDULE_EXISTS",
    });
    const paused = await schedules.pause("daily", { reason: "stocktaking" });
    expect(paused).toMatchObject({ state: "paused", pause: { note: "stocktaking", by: "application" }, nextAt: null });
    expect((await tasks.find(Settle, { live: true })).items).toEqual([]);
    const id = await schedules.trigger("daily", { shop: 2 });
    await settled(1);
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

  test("skips instants that pass while a run executes, and says so", async () => {
    const { tasks, time } = await openTimed([Settlement]);
    let release = (): void => undefined;
    hold = new Promise((resolve) => (release = resolve));
    await tasks.schedules.put({ name: "slow", task: Settle, payload: { shop: 1 }, ...EACH_SECOND });
    await time.advance("3s", { whileRunning: true });
    expect(runs).toHaveLength(1);
    hold = Promise.resolve();
    release();
    await time.advance("1s");
    const [first, second] = runs as [Run, Run];
    expect((second.occurrenceAt - first.occurrenceAt) / 1_000).toBe(3);
    const { items } = await tasks.schedules.runs("slow");
    const overlapped = items.flatMap((run) => (run.kind === "skip" && run.reason === "OVERLAP" ? [run.count] : []));
    expect(overlapped.reduce((sum, count) => sum + count, 0)).toBe(2);
  });

  test("pauses itself after failures in a row, and a resume begins anew", async () => {
    const { tasks, time } = await openTimed([Settlement]);
    await tasks.schedules.put({
      name: "broken",
      task: Settle,
      payload: { shop: -1 },
      ...EACH_SECOND,
      pauseAfterFailures: 2,
    });
    await time.advance("4s");
    expect(await tasks.schedules.get("broken")).toMatchObject({ state: "paused", pause: { reason: "FAILURES" } });
    expect(runs).toHaveLength(2);
    expect(await tasks.schedules.resume("broken")).toMatchObject({ state: "active", failures: 0 });
    await time.advance("1s");
    expect(runs).toHaveLength(3);
  });

  test("with a fixed delay counts from the end of a run", async () => {
    const { tasks, time } = await openTimed([Settlement]);
    await tasks.schedules.put({ name: "after", task: Settle, payload: { shop: 1 }, after: "1s" });
    let release = (): void => undefined;
    hold = new Promise((resolve) => (release = resolve));
    // The first run takes a while, so the next does not count from its start.
    await time.advance("1500ms", { whileRunning: true });
    release();
    await time.advance("3s");
    const { items } = await tasks.schedules.runs("after");
    const done = items.flatMap((run) => (run.kind === "spec" && run.finishedAt ? [run] : [])).toReversed();
    expect(done.length).toBeGreaterThanOrEqual(3);
    expect(done[0]!.finishedAt!.getTime()).toBeGreaterThanOrEqual(done[0]!.at.getTime() + 500);
    for (const [index, run] of done.slice(1).entries())
      expect(run.at.getTime()).toBe(done[index]!.finishedAt!.getTime() + 1_000);
  });

  test("of each second gives one run behind an outage of all nodes, which is told how many were missed", async () => {
    const { tasks, time } = await openTimed([Settlement]);
    await tasks.schedules.put({ name: "outage", task: Settle, payload: { shop: 1 }, ...EACH_SECOND });
    await time.advance("2s");
    expect(runs).toHaveLength(2);
    await time.outage("4s");
    await time.advance("1s");
    const [, before, first, second] = runs as [Run, Run, Run, Run];
    expect(runs).toHaveLength(4);
    expect(first.missed).toBe((first.occurrenceAt - before.occurrenceAt) / 1_000 - 1);
    expect(first.missed).toBe(3);
    expect([second.missed, second.occurrenceAt - first.occurrenceAt]).toEqual([0, 1_000]);
  });

  test("tells every fault of bad input, of its fields and of its rules", async () => {
    const { tasks, api } = served;
    const bad = {
      name: "no name",
      task: Settle,
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

  test("is made, changed with its revision, listed and deleted over REST", async () => {
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
  test("are put, shown digit for digit, paused, triggered and deleted", async () => {
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
    expect(fields.map((field) => field.name).toSorted()).toEqual(Object.keys(rest).toSorted());
    const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
    const body = JSON.stringify({
      query: `{ schedules { nodes { name payload } nextCursor } schedule(name: "g") { cron } }`,
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

describe("schedules in code", () => {
  @Injectable()
  class Jobs {
    @ClusterCron("* * * * * *", { name: "tick", payload: { from: "code" } })
    tick(task: DelayTask, ctx: DelayTaskContext): void {
      note(task, ctx);
    }

    @ClusterInterval("1h", { name: "hourly", kind: "delay", maxAttempts: 1 })
    hourly(): void {}
  }

  test("run once per cluster under their names, and cannot be deleted", async () => {
    const { tasks, time } = await openTimed([Jobs]);
    await underWay(time);
    await time.advance("3s");
    expect(runs).toHaveLength(3);
    expect(runs[0]).toMatchObject({ schedule: "tick", payload: { from: "code" } });
    expect(new Set(runs.map(({ occurrenceAt }) => occurrenceAt)).size).toBe(runs.length);
    expect(runs.every(({ occurrenceAt }) => occurrenceAt % 1_000 === 0)).toBe(true);
    const { items } = await tasks.schedules.list();
    expect(items.map(({ name, application }) => [name, application])).toEqual([
      ["hourly", "application"],
      ["tick", "application"],
    ]);
    await expect(tasks.schedules.remove("tick")).rejects.toMatchObject({ code: "SCHEDULE_IN_CODE" });
    expect(await tasks.schedules.pause("tick")).toMatchObject({ state: "paused" });
  });

  test("pause when the code of no node has them any more, and can then be deleted", async () => {
    const schema = "test_code";
    // Its node has left long before the next one starts.
    const { time } = await openTimed([Jobs], { schema, now: new Date(Date.now() - 120_000) });
    await underWay(time);
    await app!.close();
    // A minute goes by since the last node that had them left.
    const database = new Client({ connectionString: postgres.url });
    await database.connect();
    await database.query(
      `UPDATE ${schema}.schedule_announcement SET boot_ids = '{}', left_at = now() - interval '61 s'`,
    );
    await database.end();
    const { app: withoutThem, tasks } = await serve([], { schema });
    app = withoutThem;
    await eventually(async () => {
      const { items } = await tasks.schedules.list();
      expect(items.map(({ name, pause }) => [name, pause?.reason])).toEqual([
        ["hourly", "UNANNOUNCED"],
        ["tick", "UNANNOUNCED"],
      ]);
    });
    expect((await tasks.find({ live: true })).items).toEqual([]);
    await tasks.schedules.remove("tick");
    expect(await tasks.schedules.get("tick")).toBeNull();
  });

  test("are the application's own @Cron methods too, which never tick by themselves", async () => {
    @Injectable()
    class Own {
      @Cron("* * * * * *", { name: "own", timeZone: "Europe/Berlin" })
      own(): void {
        runs.push({ payload: "own", schedule: null, occurrenceAt: Date.now(), missed: 0 });
      }

      @Cron("* * * * * *", { name: "off", disabled: true })
      off(): void {
        runs.push({ payload: "off", schedule: null, occurrenceAt: 0, missed: 0 });
      }
    }
    const { tasks, time } = await openTimed([Own], { clusterCrons: true });
    const registry = app!.get(SchedulerRegistry, { strict: false });
    expect(registry.getCronJob("own").isActive).toBe(false);
    await underWay(time);
    const before = (await tasks.find({ type: "schedule.own", states: ["succeeded"] })).items.length;
    await time.advance("3s");
    // A tick of its own would come with a second of the real clock.
    await lasting(1_100);
    const done = (await tasks.find({ type: "schedule.own", states: ["succeeded"] })).items.length;
    expect([runs.length, done - before]).toEqual([3, 3]);
    expect(runs.every(({ payload }) => payload === "own")).toBe(true);
    expect(await tasks.schedules.get("own")).toMatchObject({ cron: "* * * * * *", timeZone: "Europe/Berlin" });
  });

  test("that cannot be taken over stop the start, named by class and method", async () => {
    @Injectable()
    class Nameless {
      @Cron("* * * * *")
      nameless(): void {}
    }
    const failure = await serve([Nameless], { clusterCrons: true }).catch((error: Error) => error.message);
    expect(failure).toContain("Nameless.nameless has no name");
  });

  test("that cannot be used stop the start, named by class and method", async () => {
    @Injectable()
    class Broken {
      @ClusterCron("99 * * * *", { name: "bad" })
      bad(): void {}

      @ClusterInterval("10ms", { name: "too.fast" })
      tooFast(): void {}
    }
    const failure = await serve([Broken]).catch((error: Error) => error.message);
    expect(failure).toContain('Broken.bad ("bad"): cron has a fault');
    expect(failure).toContain('Broken.tooFast ("too.fast"): every must be');
  });
});
