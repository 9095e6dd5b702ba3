import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { Module } from "@nestjs/common";
import { Test, type TestingModule } from "@nestjs/testing";
import { type Duration, DelayTaskModule, DelayTaskService } from "@tickwheel/nestjs";
import { DelayTaskTesting, DelayTaskTestingModule, type DelayTaskTestingOptions } from "@tickwheel/testing/nest";
import { Daily, Diary, Gatherer, OnceWriter, Write, Writer } from "../support/app/diary-app.js";
import { DataSource } from "typeorm";
import { EXAMPLES, type Scene } from "./testing-module.examples.js";
import { OwnPostgres } from "../support/servers/own-postgres.js";

let postgres: OwnPostgres;
let dataSource: DataSource;
let app: TestingModule | undefined;
beforeAll(async () => {
  postgres = await OwnPostgres.start({ settings: { fsync: false } });
  dataSource = await new DataSource({ type: "postgres", url: postgres.superuserUrl }).initialize();
});
afterEach(() => app?.close());
afterAll(async () => {
  await dataSource?.destroy();
  await postgres?.stop();
});

async function open(options: DelayTaskTestingOptions): Promise<Scene> {
  const providers = [Diary, Writer, Gatherer, OnceWriter];
  app = await Test.createTestingModule({ providers, imports: [DelayTaskTestingModule.forRoot(options)] }).compile();
  await app.init();
  return { tasks: DelayTaskTesting.of(app), service: app.get(DelayTaskService), diary: app.get(Diary) };
}

/** How many of the tests' schemas on the server have this task. */
async function rowsOf(id: string): Promise<number> {
  const schemas = await dataSource.query("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'tickwheel_test_%'");
  const found = (schemas as { nspname: string }[]).map(({ nspname }) =>
    dataSource.query(`SELECT FROM ${nspname}.task WHERE id = $1`, [id]),
  );
  return (await Promise.all(found)).flat().length;
}

test("the testing module has fifty-one examples", () => {
  expect(Object.keys(EXAMPLES)).toHaveLength(51);
});

describe("in memory", () => {
  const begunMonoMs = performance.now();
  test.each(Object.entries(EXAMPLES))("%s", async (_, example) => example(await open({})));
  test("the examples in memory tell how long all of them took", () => {
    console.log(`50 tests in memory: ${Math.round(performance.now() - begunMonoMs)} ms`);
  });
});

describe("a test of a whole application", () => {
  @Module({
    imports: [DelayTaskModule.forRoot({ url: "postgres://nowhere.invalid/shop", namespace: "shop", maxCrashes: 2 })],
    providers: [Diary, Writer, Daily],
  })
  class AppModule {}

  test("a test of a whole application has the application's options, but for its database, and its schedules at the start", async () => {
    const now = new Date("2026-03-27T07:00:00.000Z");
    const builder = Test.createTestingModule({ imports: [AppModule] });
    app = await DelayTaskTestingModule.in(builder, { now }).compile();
    await app.init();
    const tasks = DelayTaskTesting.of(app);
    expect(tasks.now).toEqual(now);
    await tasks.advance("3d");
    const { lines } = app.get(Diary);
    expect(lines.filter((line) => line.startsWith("nine"))).toEqual([
      "nine 2026-03-27T08:00:00.000Z",
      "nine 2026-03-28T08:00:00.000Z",
      // The clocks went forward in between.
      "nine 2026-03-29T07:00:00.000Z",
      "nine 2026-03-30T07:00:00.000Z",
    ]);
    expect(lines.filter((line) => line === "quarter")).toHaveLength(12);
    const { task } = await app.get(DelayTaskService).schedule(Write, { text: "x" });
    expect(task.namespace).toBe("shop");
  });

  test.each([
    ["in memory", {}],
    ["on that database", { onPostgres: true }],
  ])(
    "a test of a whole application commits and rolls back tasks %s with the transactions of the application's database",
    async (_, options) => {
      await dataSource.query("CREATE TABLE IF NOT EXISTS line (text text PRIMARY KEY); TRUNCATE line");
      @Module({
        imports: [
          DelayTaskModule.forRootAsync({
            inject: [DataSource],
            useFactory: (own: DataSource) => ({ dataSource: own }),
          }),
        ],
        providers: [Diary, Writer, OnceWriter],
      })
      class WithDatabase {}
      const database = {
        module: WithDatabase,
        global: true,
        providers: [{ provide: DataSource, useValue: dataSource }],
        exports: [DataSource],
      };
      app = await DelayTaskTestingModule.in(Test.createTestingModule({ imports: [database] }), options).compile();
      await app.init();
      const tasks = DelayTaskTesting.of(app);
      const service = app.get(DelayTaskService);
      const place = (text: string, fails: boolean) =>
        dataSource.transaction(async (manager) => {
          await manager.query("INSERT INTO line VALUES ($1)", [text]);
          await service.schedule(Write, { text }, { delay: "1m", key: text, manager });
          if (fails) throw new Error("no");
        });
      await place("kept", false);
      await expect(place("lost", true)).rejects.toThrow("no");
      const { id } = await tasks.expectTask(Write).withKey("kept").dueIn("1m");
      expect(await rowsOf(id)).toBe("onPostgres" in options ? 1 : 0);
      await tasks.expectNoTask(Write).withKey("lost");
      expect(await dataSource.query("SELECT text FROM line")).toEqual([{ text: "kept" }]);
      await tasks.advance("1m");
      expect(app.get(Diary).lines).toEqual(["kept"]);
    },
  );

  test("DelayTaskTesting says of a real application that it is real", async () => {
    app = await Test.createTestingModule({
      imports: [DelayTaskModule.forRoot({ url: postgres.superuserUrl, autoStart: false, heartbeat: "loop" })],
    }).compile();
    expect(() => DelayTaskTesting.of(app!)).toThrow("DelayTaskTestingModule.in(");
  });
});

describe("what memory has not", () => {
  test("a call that memory has not is unsupported, and the line that changes that is named", async () => {
    const { service } = await open({});
    const made = service.batches.create({ name: "b", tasks: [] } as never);
    await expect(made).rejects.toMatchObject({ code: "UNSUPPORTED" });
    await expect(service.batches.getByName("b")).rejects.toThrow(
      "DelayTaskTestingModule.forRoot({ url: process.env.DATABASE_URL })",
    );
  });

  test("a batch, which memory has not, is there on Postgres: it completes within the test's time", async () => {
    const { service, tasks, diary } = await open({ url: postgres.superuserUrl });
    const items = ["a", "b"].map((text) => ({ task: Write, payload: { text }, delay: "1h" as const }));
    const onComplete = { task: Write, payload: { text: "all" } };
    const { id } = await service.batches.create({ name: "both", tasks: items, onComplete });
    await service.batches.seal(id);
    await tasks.advance("1h");
    await tasks.drain();
    // Two of one instant run in any order.
    expect([diary.lines.slice(0, 2).sort(), diary.lines.slice(2)]).toEqual([["a", "b"], ["all"]]);
    expect(await service.batches.get(id)).toMatchObject({ state: "complete" });
  });
});

test.each(["in memory", "on Postgres"])(
  "a test with the testing module may begin in another year, %s",
  async (where) => {
    const now = new Date("2031-05-06T07:08:09.000Z");
    const { service, tasks, diary } = await open({
      now,
      ...(where === "on Postgres" && { url: postgres.superuserUrl }),
    });
    const { task } = await service.schedule(Write, { text: "then" }, { delay: "400d" });
    await tasks.advance("400d");
    expect([diary.lines, tasks.now]).toEqual([["then"], task.dueAt]);
    expect(await service.get(task.id)).toMatchObject({ state: "succeeded", latenessMs: 0 });
  },
);

test("a task that is due while no node runs, runs when one is there again, and is late", async () => {
  const { service, tasks, diary } = await open({});
  const { task } = await service.schedule(Write, { text: "late" }, { delay: "10m" });
  expect(await tasks.outage("1h")).toHaveLength(1);
  expect(diary.lines).toEqual(["late"]);
  const { latenessMs, startedAt } = (await service.get(task.id))!;
  expect(startedAt!.getTime() - task.dueAt.getTime()).toBe(latenessMs);
  expect(latenessMs).toBeGreaterThanOrEqual(50 * 60_000);
  await expect(tasks.outage("soon" as string as Duration)).rejects.toThrow(
    'outage takes milliseconds, or a text such as "15m", not soon',
  );
});

test("two testing modules have a time each", async () => {
  const imports = ["one", "other"].map((name) => DelayTaskTestingModule.forRoot({ name }));
  app = await Test.createTestingModule({ imports }).compile();
  await app.init();
  const [one, other] = ["one", "other"].map((name) => DelayTaskTesting.of(app!, name));
  const before = other!.now;
  await one!.advance("1d");
  expect(other!.now).toEqual(before);
});

test("faults of the testing module's options are told at once, all of them", async () => {
  const wrong = { now: "today", seed: 1.5, manager: 7 } as never;
  await expect(open(wrong)).rejects.toMatchObject({
    code: "CONFIGURATION_INVALID",
    faults: ["now", "seed", "manager"].map((path) => ({ path, message: expect.any(String) })),
  });
});

describe("two tests at once on one database", () => {
  test("two tests at once on one database have schemas of their own", async () => {
    const [one, other] = await Promise.all([compiled(), compiled()]);
    const names = await dataSource.query("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'tickwheel_test_%'");
    expect(names.length).toBeGreaterThanOrEqual(2);
    await one.get(DelayTaskService).schedule(Write, { text: "mine" }, { delay: "1h" });
    await DelayTaskTesting.of(other).expectNoTask(Write);
    await DelayTaskTesting.of(other).advance("2h");
    await DelayTaskTesting.of(one).expectTask(Write).dueIn("1h");
    await Promise.all([one.close(), other.close()]);
  });

  test("two tests at once that want one schema are refused", async () => {
    const schema = "shop_test";
    await open({ url: postgres.superuserUrl, schema });
    await expect(compiled({ schema })).rejects.toThrow('another test is using the schema "shop_test"');
    await expect(compiled({ schema: "shop" })).rejects.toThrow('has "test" in it');
  });

  async function compiled(options: DelayTaskTestingOptions = {}): Promise<TestingModule> {
    const imports = [DelayTaskTestingModule.forRoot({ url: postgres.superuserUrl, ...options })];
    const made = await Test.createTestingModule({ providers: [Diary, Writer], imports }).compile();
    return made.init();
  }
});

test("an expectation that nobody awaited fails the next move", async () => {
  const { tasks } = await open({});
  void tasks.expectTask(Write).withKey("42");
  await expect(tasks.advance("1s")).rejects.toThrow('one task of diary.write: key "42"');
});
