import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type INestApplicationContext, Module, type Type } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { TypeOrmModule } from "@nestjs/typeorm";
import { type BatchView, DelayTaskModule, DelayTaskService, type TaskDefinition } from "@tickwheel/nestjs";
import { DataSource } from "typeorm";
import { PastedGuide } from "../support/app/pasted-guide.js";
import { eventually } from "../support/eventually.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

const guide = new PastedGuide("docs/guides/batches.md");
const given: Record<string, unknown> = {};
let postgres: TestPostgres;
let app: INestApplicationContext;
let tasks: DelayTaskService;
let dataSource: DataSource;

beforeAll(async () => {
  postgres = await startTestPostgres();
  await guide.load("src/payments.ts");
  for (const file of ["src/mails.ts", "src/settlement.ts", "src/chunks.ts", "src/shards.ts"])
    Object.assign(given, await guide.load<Record<string, unknown>>(file));
  const modules = ["NewsletterModule", "SettlementModule", "CountingModule", "SumsModule"];
  @Module({
    imports: [
      TypeOrmModule.forRoot({ type: "postgres", url: postgres.url, autoLoadEntities: true, synchronize: true }),
      ...modules.map((name) => given[name] as Type),
      DelayTaskModule.forRootAsync({
        inject: [DataSource],
        useFactory: (own: DataSource) => ({ dataSource: own, heartbeat: "loop" as const }),
      }),
    ],
  })
  class RootModule {}
  app = await NestFactory.createApplicationContext(RootModule, { logger: ["error"], abortOnError: false });
  tasks = app.get(DelayTaskService);
  dataSource = app.get(DataSource);
});
afterAll(async () => {
  await app?.close();
  await postgres?.stop();
  guide.remove();
});

const the = <T>(name: string): T => app.get<T>(given[name] as Type, { strict: false });

async function whenComplete(name: string): Promise<BatchView> {
  return eventually(async () => {
    const batch = await tasks.batches.getByName(name);
    expect(batch?.state).toBe("complete");
    return batch!;
  });
}

test("the blocks of the guide to batches compile", async () => {
  expect(await guide.compile()).toBe("");
});

test("a newsletter is sent once to each reader, and reported once, although it is sent twice", async () => {
  const newsletter = the<{
    send(issue: string, readers: string[]): Promise<void>;
    sent: string[];
    reports: string[];
  }>("Newsletter");
  await newsletter.send("7", ["a", "b", "c"]);
  await expect(newsletter.send("7", ["a", "b", "c"])).rejects.toMatchObject({ code: "BATCH_EXISTS" });
  await eventually(() => expect(newsletter.reports).toEqual(["7: 3 mails"]));
  expect(newsletter.sent.toSorted()).toEqual(["a", "b", "c"]);
});

test("a settlement takes the day's payments, compares its totals, and finds later what was committed late", async () => {
  const settlements = the<{ begin(instant: Date, manager: unknown): Promise<void> }>("Settlements");
  const day = "2026-03-29";
  await dataSource.query(
    `INSERT INTO payments (cents, "paidAt") SELECT 1 + n % 97, timestamptz '2026-03-29T00:00:00+01:00' + n * interval '40 seconds'
       FROM generate_series(0, 2069) n`,
  );
  await dataSource.query(
    `INSERT INTO payments (cents, "paidAt") VALUES (5000, '2026-03-28T23:59:59.999999+01:00'), (7000, '2026-03-30T00:00:00+02:00')`,
  );
  const run = new Date("2026-03-30T00:05:00+02:00");
  await dataSource.transaction((manager) => settlements.begin(run, manager));
  await dataSource.transaction((manager) => settlements.begin(run, manager));
  const { onComplete } = await whenComplete(`settlement:${day}`);
  const paid = Array.from({ length: 2_070 }, (_, n) => 1 + (n % 97)).reduce((sum, cents) => sum + cents, 0);
  const compared = await eventually(async () => {
    const task = await tasks.get(onComplete!.taskId!);
    expect(task?.state).toBe("succeeded");
    return task!.result;
  });
  expect(compared).toEqual({ told: paid, settled: paid, paid });
  await dataSource.query(`INSERT INTO payments (cents, "paidAt") VALUES (9000, '2026-03-29T12:00:00+02:00')`);
  const { items } = await tasks.find(given["SettleLeftovers"] as TaskDefinition<object>, { key: day, live: true });
  await tasks.runNow(items[0]!.id);
  await eventually(async () =>
    expect(await dataSource.query("SELECT cents::int, missing::int FROM settlements WHERE day = $1", [day])).toEqual([
      { cents: paid + 9_000, missing: 0 },
    ]),
  );
});

test("members split their ranges until each is small enough, and count every number once", async () => {
  const counting = the<{ counted: number[] }>("Counting");
  const numbers = 25_000;
  const task = given["CountRange"] as TaskDefinition<object>;
  const payload = { from: 0, to: numbers };
  const { id } = await tasks.batches.create({ name: "count", tasks: [{ task, payload }], seal: true });
  expect((await whenComplete("count")).id).toBe(id);
  expect(counting.counted.toSorted((one, other) => one - other)).toEqual(Array.from({ length: numbers }, (_, n) => n));
});

test("shards work a part each, and the sum of their results is that of all", async () => {
  const sums = the<{ begin(numbers: number[]): Promise<string>; sum: number | null }>("Sums");
  await sums.begin([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  await eventually(() => expect(sums.sum).toBe(55));
});
