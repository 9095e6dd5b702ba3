import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { type INestApplicationContext, Injectable, type Type } from "@nestjs/common";
import { Cron, ScheduleModule, SchedulerRegistry } from "@nestjs/schedule";
import { Test } from "@nestjs/testing";
import { DelayTaskApiModule } from "@tickwheel/api";
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
import { type HostedApi, hostApi } from "../support/app/hosted-api.js";
import { eventually, lasting } from "../support/eventually.js";
import { OwnPostgres } from "../support/servers/own-postgres.js";
import { makeSchemas } from "../support/servers/test-role.mjs";

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

let postgres: OwnPostgres;
let app: INestApplicationContext | null = null;
let runs: Run[] = [];
let hold: Promise<void> = Promise.resolve();

beforeAll(async () => {
  postgres = await OwnPostgres.start({ settings: { fsync: false } });
});
afterEach(async () => {
  await app?.close();
  app = null;
  runs = [];
  hold = Promise.resolve();
});
afterAll(() => postgres.stop());

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
  return hostApi({ providers, imports });
}

/** On the same Postgres, in a schema that it empties, with a clock that the test moves. */
async function openTimed(
  providers: Type[],
  options: DelayTaskTestingOptions = {},
): Promise<{ tasks: DelayTaskService; time: DelayTaskTesting }> {
  const imports = [
    ...(options.clusterCrons ? [ScheduleModule.forRoot()] : []),
    DelayTaskTestingModule.forRoot({ url: postgres.superuserUrl, now: BETWEEN_INSTANTS, ...options }),
  ];
  const opened = await Test.createTestingModule({ providers, imports }).compile();
  app = opened;
  await opened.init();
  return { tasks: opened.get(DelayTaskService, { strict: false }), time: DelayTaskTesting.of(opened) };
}

/**
 * A schedule of each second in code was in force before the test began: what it had due then may start a while later.
 */
async function underWay(time: DelayTaskTesting): Promise<void> {
  await eventually(async () => {
    await time.advance("1s");
    expect(runs).not.toEqual([]);
  });
  runs = [];
}

describe("a schedule", () => {
  test("a schedule runs at each instant once, in order, and tells its handler which", async () => {
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

  test("a schedule skips instants that pass while a run executes, and says so", async () => {
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

  test("a schedule pauses itself after failures in a row, and a resume begins anew", async () => {
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

  test("a schedule with a fixed delay counts from the end of a run", async () => {
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

  test("a schedule of each second gives one run behind an outage of all nodes, which is told how many were missed", async () => {
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

  test("schedules in code run once per cluster under their names, and cannot be deleted", async () => {
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

  test("schedules in code pause when the code of no node has them any more, and can then be deleted", async () => {
    const schema = "test_code";
    await makeSchemas(postgres.url, schema);
    // Its node has left long before the next one starts.
    const { time } = await openTimed([Jobs], { schema, now: new Date(Date.now() - 120_000) });
    await underWay(time);
    await app!.close();
    // A minute goes by since the last node that had them left.
    const database = new Client({ connectionString: postgres.superuserUrl });
    await database.connect();
    await database.query(
      `UPDATE ${schema}.schedule_announcement SET boot_ids = '{}', left_at = now() - interval '61 s'`,
    );
    await database.end();
    const { app: withoutThem, tasks } = await serve([], { schema, url: postgres.superuserUrl });
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

  test("schedules in code are the application's own @Cron methods too, which never tick by themselves", async () => {
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

  test("schedules in code that cannot be taken over stop the start, named by class and method", async () => {
    @Injectable()
    class Nameless {
      @Cron("* * * * *")
      nameless(): void {}
    }
    const failure = await serve([Nameless], { clusterCrons: true }).catch((error: Error) => error.message);
    expect(failure).toContain("Nameless.nameless has no name");
  });

  test("schedules in code that cannot be used stop the start, named by class and method", async () => {
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
