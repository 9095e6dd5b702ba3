import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type INestApplicationContext, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { DelayTaskModule, DelayTaskService, type TaskView } from "@tickwheel/nestjs";
import { DataSource } from "typeorm";
import { eventually } from "../../test-support/eventually.js";
import { TestDatabase } from "../../test-support/test-database.js";
import { ReservationsModule } from "./reservations.module.js";
import { ReservationsService } from "./reservations.service.js";

const LIFETIME_MS = 15 * 60_000;

describe("a reservation", () => {
  let database: TestDatabase;
  let app: INestApplicationContext;
  let reservations: ReservationsService;
  let tasks: DelayTaskService;

  beforeAll(async () => {
    database = await TestDatabase.start();
    const { dataSource } = database;
    @Module({ providers: [{ provide: DataSource, useValue: dataSource }], exports: [DataSource] })
    class DatabaseModule {}
    const imports = [{ module: DatabaseModule, global: true }, ReservationsModule];
    @Module({ imports: [...imports, DelayTaskModule.forRoot({ dataSource, heartbeat: "loop" })] })
    class TestModule {}
    app = await NestFactory.createApplicationContext(TestModule, { logger: false, abortOnError: false });
    reservations = app.get(ReservationsService);
    tasks = app.get(DelayTaskService);
  });
  afterAll(async () => {
    await app?.close();
    await database?.stop();
  });

  const status = (id: string) => database.value(`SELECT status FROM shop.reservations WHERE id = '${id}'`);
  const taskOf = async (key: string): Promise<TaskView> => (await tasks.find({ key })).items[0]!;

  test("a reservation that nobody confirms lapses by a task that its row has made", async () => {
    await reservations.hold("a", "a bicycle");
    const { id, dueAt, createdAt, payload } = await taskOf("a");
    expect([dueAt.getTime() - createdAt.getTime(), payload]).toEqual([LIFETIME_MS, { id: "a" }]);
    await tasks.reschedule(id, { delay: 0 });
    await eventually(async () => expect(await status("a")).toBe("lapsed"));
    expect(await reservations.confirm("a")).toBe(false);
  });

  test("a reservation that is confirmed has no task any more, and no code has cancelled it", async () => {
    await reservations.hold("b", "a boat");
    await reservations.hold("b", "a boat");
    expect([await reservations.confirm("b"), await reservations.confirm("b")]).toEqual([true, false]);
    expect(await taskOf("b")).toMatchObject({ state: "cancelled" });
    expect(await status("b")).toBe("confirmed");
  });

  test("a reservation that somebody confirms at a prompt has no task any more either", async () => {
    await reservations.hold("c", "a canoe");
    await database.dataSource.query("UPDATE shop.reservations SET status = 'confirmed' WHERE id = 'c'");
    expect(await taskOf("c")).toMatchObject({ state: "cancelled" });
  });
});
