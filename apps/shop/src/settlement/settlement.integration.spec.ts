import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type DynamicModule, type INestApplicationContext, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { DelayTaskModule, DelayTaskService } from "@tickwheel/nestjs";
import { DataSource } from "typeorm";
import { eventually } from "../../test-support/eventually.js";
import { TestDatabase } from "../../test-support/test-database.js";
import { SettlementModule } from "./settlement.module.js";
import { dayToSettle, SettlementService } from "./settlement.service.js";
import { insertPayment, paidSum, settledSum } from "./settlement-rows.js";
import { SettleLeftovers } from "./settlement.tasks.js";

@Module({})
class OwnDatabaseModule {}

function databaseModule(dataSource: DataSource): DynamicModule {
  const provider = { provide: DataSource, useValue: dataSource };
  return { module: OwnDatabaseModule, global: true, providers: [provider], exports: [DataSource] };
}

/** Five past midnight of the day behind it, in Berlin. */
const RUNS = {
  "of 24 hours": { day: "2026-11-25", run: "2026-11-26T00:05:00+01:00", hours: 24 },
  "of 23 hours": { day: "2026-03-29", run: "2026-03-30T00:05:00+02:00", hours: 23 },
  "of 25 hours": { day: "2026-10-25", run: "2026-10-26T00:05:00+01:00", hours: 25 },
};

describe("the settlement of a day", () => {
  let database: TestDatabase;
  let app: INestApplicationContext;
  let tasks: DelayTaskService;

  beforeAll(async () => {
    database = await TestDatabase.start();
  });
  beforeEach(async () => {
    const { dataSource } = database;
    const imports = [
      databaseModule(dataSource),
      SettlementModule,
      DelayTaskModule.forRootAsync({ inject: [DataSource], useFactory: () => ({ dataSource, heartbeat: "loop" }) }),
    ];
    @Module({ imports })
    class RootModule {}
    app = await NestFactory.createApplicationContext(RootModule, { logger: ["error"], abortOnError: false });
    tasks = app.get(DelayTaskService);
  });
  afterEach(() => app.close());
  afterAll(() => database?.stop());

  const begin = (run: string): Promise<string | null> =>
    database.dataSource.transaction((manager) => app.get(SettlementService).begin(new Date(run), manager));

  let orders = 0;

  async function pay(instants: readonly string[], cents = 100): Promise<void> {
    for (const paidAt of instants) await insertPayment(database.dataSource, { orderId: `o${orders++}`, cents, paidAt });
  }

  /** @returns what was compared at its end */
  async function untilCompared(day: string): Promise<{ payments: number; cents: number; missing: number }> {
    return eventually(async () => {
      const [row]: { payments: string; cents: string; missing: string }[] = await database.dataSource.query(
        "SELECT payments, cents, missing FROM shop.settlements WHERE day = $1 AND compared_at IS NOT NULL",
        [day],
      );
      expect(row).toBeDefined();
      return { payments: Number(row!.payments), cents: Number(row!.cents), missing: Number(row!.missing) };
    });
  }

  test.each(Object.entries(RUNS))(
    "the settlement of a day %s takes each payment of that day, and none of the days beside it",
    async (_, own) => {
      const { day, from, to } = dayToSettle(new Date(own.run));
      expect([day, (to.getTime() - from.getTime()) / 3_600_000]).toEqual([own.day, own.hours]);
      const start = from.toISOString();
      const end = to.toISOString();
      const micro = (instant: string, digits: string): string => instant.replace("Z", `${digits}Z`);
      await pay([start, micro(start, "001"), new Date(to.getTime() - 1).toISOString().replace("Z", "999Z")]);
      // A microsecond before it, and its end, belong to other days.
      await pay([new Date(from.getTime() - 1).toISOString().replace("Z", "999Z"), end], 7_000);
      expect(await begin(own.run)).not.toBeNull();
      expect(await untilCompared(day)).toEqual({ payments: 3, cents: 300, missing: 0 });
      expect(await settledSum(database.dataSource, { day })).toEqual(await paidSum(database.dataSource, day));
    },
  );

  test("the settlement of a day is begun once, although its schedule is triggered twice at once, and again on the next day", async () => {
    const run = "2026-11-21T00:05:00+01:00";
    await pay(["2026-11-20T12:00:00+01:00"]);
    const begun = await Promise.all([begin(run), begin(run), begin(run)]);
    expect(begun.filter((id) => id !== null)).toHaveLength(1);
    expect(await begin(run)).toBeNull();
    expect(await untilCompared("2026-11-20")).toMatchObject({ payments: 1, missing: 0 });
    const { items } = await tasks.batches.list({ namePrefix: "settlement:2026-11-20" });
    expect(items).toHaveLength(1);
  });

  test("the settlement of a day leaves out what is committed ten minutes after midnight, and its leftovers take it", async () => {
    const day = "2026-11-10";
    await pay(["2026-11-10T09:00:00+01:00", "2026-11-10T10:00:00+01:00"]);
    const late = database.dataSource.createQueryRunner();
    await late.startTransaction();
    await insertPayment(late.manager, { orderId: "late", cents: 5_000, paidAt: "2026-11-10T23:59:59.999999+01:00" });
    // Its id is below those of payments that were committed before it.
    await pay(["2026-11-10T11:00:00+01:00"]);
    await begin("2026-11-11T00:05:00+01:00");
    expect(await untilCompared(day)).toMatchObject({ payments: 3, cents: 300 });
    await late.commitTransaction();
    await late.release();
    expect(await settledSum(database.dataSource, { day })).toMatchObject({ payments: 3 });
    const { items } = await tasks.find(SettleLeftovers, { key: day, live: true });
    expect(items[0]!.dueAt.getTime() - items[0]!.createdAt.getTime()).toBe(3 * 86_400_000);
    await tasks.reschedule(items[0]!.id, { delay: 0 });
    await eventually(async () =>
      expect(await settledSum(database.dataSource, { day })).toEqual({ payments: 4, cents: 5_300 }),
    );
    expect(await paidSum(database.dataSource, day)).toEqual({ payments: 4, cents: 5_300 });
    await eventually(async () => expect(await untilCompared(day)).toEqual({ payments: 4, cents: 5_300, missing: 0 }));
  });

  test("the settlement of a day without payments is compared as well", async () => {
    await begin("2026-11-02T00:05:00+01:00");
    expect(await untilCompared("2026-11-01")).toEqual({ payments: 0, cents: 0, missing: 0 });
  });
});
