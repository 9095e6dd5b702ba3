import type { IncomingMessage } from "node:http";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type INestApplication, Module, type Type } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { TypeOrmModule } from "@nestjs/typeorm";
import {
  type DelayTask,
  type DelayTaskContext,
  DelayTaskHandler,
  DelayTaskModule,
  DelayTaskService,
  type TaskOptions,
  type TaskDefinition,
  type TaskDetails,
} from "@tickwheel/nestjs";
import { DataSource } from "typeorm";
import { PastedGuide } from "../support/app/pasted-guide.js";
import { ScriptedService } from "../support/app/scripted-service.js";
import { eventually } from "../support/eventually.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

const guide = new PastedGuide("docs/guides/effects.md");
const given: Record<string, unknown> = {};
const logged: string[] = [];
let postgres: TestPostgres;
/** The bank, the broker and the mail service. */
let service: ScriptedService;
let app: INestApplication;
let tasks: DelayTaskService;
let dataSource: DataSource;
let warehouse: DataSource;

beforeAll(async () => {
  [postgres, service] = await Promise.all([startTestPostgres(), ScriptedService.start()]);
  process.env["BANK_URL"] = process.env["BROKER_URL"] = process.env["MAIL_URL"] = service.url;
  const url = (process.env["WAREHOUSE_URL"] = await postgres.createDatabase("warehouse"));
  warehouse = await new DataSource({ type: "postgres", url }).initialize();
  for (const exported of [
    await guide.load<Record<string, unknown>>("src/payouts.ts"),
    await guide.load<Record<string, unknown>>("src/fees.ts"),
    await guide.load<Record<string, unknown>>("src/interest.ts"),
    await guide.load<Record<string, unknown>>("src/outbox.ts"),
    await guide.load<Record<string, unknown>>("src/reports.ts"),
    await guide.load<Record<string, unknown>>("src/vouchers.ts"),
  ])
    Object.assign(given, exported);
  app = await started(Object.keys(given).filter((name) => name.endsWith("Module")));
  tasks = app.get(DelayTaskService);
  dataSource = app.get(DataSource);
});
afterAll(async () => {
  await app?.close();
  await warehouse?.destroy();
  await service?.stop();
  await postgres?.stop();
  guide.remove();
});

@DelayTaskHandler("nest", { maxAttempts: 1 })
class NestedSteps {
  async handle(_task: DelayTask, ctx: DelayTaskContext): Promise<void> {
    await ctx.once("outer", async (outer) => {
      await outer.query("INSERT INTO purchases VALUES ('outer', 1)");
      await ctx.once("inner", (inner) => inner.query("INSERT INTO purchases VALUES ('inner', 1)"));
      throw new Error("after the inner one");
    });
  }
}

async function started(modules: string[]): Promise<INestApplication> {
  @Module({
    providers: [NestedSteps],
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
  const log = (line: unknown): void => void logged.push(String(line));
  const logger = { log, error: log, warn: log, debug: log };
  const application = await NestFactory.create(RootModule, { logger, abortOnError: false });
  await application.listen(0, "127.0.0.1");
  return application;
}

const the = <T>(name: string): T => app.get<T>(given[name] as Type, { strict: false });
const rows = (sql: string): Promise<unknown[]> => dataSource.query(sql);

async function schedule(name: string, payload: object, options: TaskOptions = {}): Promise<string> {
  return (await tasks.schedule(given[name] as TaskDefinition<object>, payload, options)).task.id;
}

async function whenItIs(id: string, expected: object): Promise<TaskDetails> {
  return eventually(async () => {
    const task = await tasks.get(id);
    expect(task).toMatchObject(expected);
    return task!;
  });
}

/** Answers in this order and keeps who asked; after them the last one again. */
function answers(...statuses: number[]): IncomingMessage[] {
  const asked: IncomingMessage[] = [];
  service.answer = (request, response) => {
    asked.push(request);
    response.statusCode = statuses[Math.min(asked.length, statuses.length) - 1]!;
    response.end("T-1");
  };
  return asked;
}

test("the blocks of the guide to effects compile", async () => {
  expect(await guide.compile()).toBe("");
});

test("an attempt that fails between two steps leaves the first step's booking once, and the next attempt goes on behind it", async () => {
  const asked = answers(503, 200);
  const id = await schedule("PayOut", { seller: "ann", cents: 900 }, { backoff: { kind: "fixed", delay: "1h" } });
  await whenItIs(id, { state: "scheduled", attempt: 1, lastError: expect.stringContaining("the bank answers 503") });
  const booked = await rows("SELECT id, cents, transfer FROM bookings");
  expect(booked).toEqual([{ id: expect.any(Number), cents: 900, transfer: null }]);
  await tasks.runNow(id);
  const [{ id: bookingId }] = booked as [{ id: number }];
  await whenItIs(id, { state: "succeeded", attempt: 2, result: { bookingId, transfer: "T-1" } });
  expect(await rows("SELECT id, cents, transfer FROM bookings")).toEqual([
    { id: bookingId, cents: 900, transfer: "T-1" },
  ]);
  expect(asked.map(({ headers }) => headers["idempotency-key"])).toEqual([id, id]);
});

test("a retry by hand of a payout that has succeeded books nothing and does not ask the bank", async () => {
  const asked = answers(200);
  const payouts = the<{ payIn14Days(saleId: string, seller: string, cents: number): Promise<void> }>("Payouts");
  await payouts.payIn14Days("sale 7", "ben", 500);
  await expect(payouts.payIn14Days("sale 7", "ben", 500)).rejects.toMatchObject({ code: "TASK_KEY_CONFLICT" });
  const { items } = await tasks.find(given["PayOut"] as TaskDefinition<object>, { key: "sale 7" });
  const { id } = items[0]!;
  await tasks.runNow(id);
  const first = await whenItIs(id, { state: "succeeded" });
  await tasks.retry(id);
  const again = await eventually(async () => {
    const task = await whenItIs(id, { state: "succeeded" });
    expect(task.fence).toBeGreaterThan(first.fence);
    return task;
  });
  expect(again.result).toEqual(first.result);
  expect(await rows("SELECT cents FROM bookings WHERE seller = 'ben'")).toEqual([{ cents: 500 }]);
  expect(asked.map(({ headers }) => headers["idempotency-key"])).toEqual([id]);
});

test("a walk adds each sale's fee once, and goes on behind its last page", async () => {
  await rows("INSERT INTO sales SELECT id, 1000 FROM generate_series(1, 9600) id");
  const fees = () => rows("SELECT cents FROM fees WHERE month = '2026-10'");
  // The second page of the first part, which reads up to the sale 1000, fails until the constraint is gone.
  await rows("ALTER TABLE fees ADD CONSTRAINT broken CHECK (cents <= 10000)");
  const part = { month: "2026-10", from: 1, to: 1_201 };
  const id = await schedule("AddFees", part, { backoff: { kind: "fixed", delay: "1h" } });
  const failed = await whenItIs(id, { state: "scheduled", attempt: 1 });
  expect([failed.checkpoint?.state, await fees()]).toEqual([{ walk: { from: 501 } }, [{ cents: 10_000 }]]);
  await rows("ALTER TABLE fees DROP CONSTRAINT broken");
  await tasks.runNow(id);
  const done = await whenItIs(id, { state: "succeeded", attempt: 2 });
  expect([done.checkpoint?.state, await fees()]).toEqual([{ walk: { done: true } }, [{ cents: 24_000 }]]);
  const service = the<{ add(month: string, ids: { from: number; to: number }): Promise<void> }>("FeeService");
  await service.add("2026-11", { from: 1, to: 9_601 });
  await eventually(async () => {
    const found = await tasks.find(given["AddFees"] as TaskDefinition<object>, { states: ["succeeded"] });
    expect(found.items).toHaveLength(9);
  });
  expect(await rows("SELECT cents FROM fees WHERE month = '2026-11'")).toEqual([{ cents: 192_000 }]);
});

test("a handler with a checkpoint goes on behind its last page, and no account has its interest twice", async () => {
  await rows("INSERT INTO accounts SELECT id, 10000 FROM generate_series(1, 1200) id");
  // The insert of the account 700, in the second page, fails until the constraint is gone.
  await rows(`ALTER TABLE interests ADD CONSTRAINT broken CHECK ("accountId" <> 700)`);
  const id = await schedule("AddInterest", { month: "2026-10" }, { backoff: { kind: "fixed", delay: "1h" } });
  const failed = await whenItIs(id, { state: "scheduled", attempt: 1 });
  expect(failed.lastError).toContain("broken");
  expect(failed.checkpoint?.state).toEqual({ lastId: 500, done: 500 });
  expect(failed.progress).toMatchObject({ value: 500 / 1_200, note: "500 of 1200 accounts" });
  await rows("ALTER TABLE interests DROP CONSTRAINT broken");
  // What a page before the checkpoint has written is not looked at again.
  await rows(`DELETE FROM interests WHERE "accountId" = 1`);
  await tasks.runNow(id);
  const done = await whenItIs(id, { state: "succeeded", result: { done: 1_200 } });
  expect([done.checkpoint?.state, done.progress?.value]).toEqual([{ lastId: 1_200, done: 1_200 }, 1]);
  expect(await rows("SELECT count(*)::int AS count, sum(cents)::int AS sum FROM interests")).toEqual([
    { count: 1_199, sum: 11_990 },
  ]);
  expect(logged.filter((line) => line.includes("adding interest"))).toEqual([
    expect.stringContaining(`${id}, attempt 1`),
    expect.stringContaining(`${id}, attempt 2`),
  ]);
  // Another task of the month starts from the beginning: it adds what is missing, and nothing twice.
  const again = await schedule("AddInterest", { month: "2026-10" });
  await whenItIs(again, { state: "succeeded", result: { done: 1_200 } });
  expect(await rows("SELECT count(*)::int AS count FROM interests")).toEqual([{ count: 1_200 }]);
});

test("a message goes out for a purchase that is committed, under one id, and for no other", async () => {
  const asked = answers(503, 200);
  const purchases = the<{ buy(id: string, cents: number): Promise<void> }>("Purchases");
  await expect(purchases.buy("free", 0)).rejects.toThrow("a purchase costs something");
  await purchases.buy("book", 1_200);
  const found = await tasks.find(given["PublishPurchase"] as TaskDefinition<object>, {});
  expect(found.items.map(({ payload }) => payload)).toEqual([{ id: "book", cents: 1_200 }]);
  const { id } = found.items[0]!;
  await whenItIs(id, { state: "succeeded", attempt: 2 });
  expect(asked.map(({ headers }) => headers["message-id"])).toEqual([id, id]);
  expect(await rows("SELECT id FROM purchases")).toEqual([{ id: "book" }]);
});

test("a report that a later attempt has written is not written by an earlier one", async () => {
  const id = await schedule("WriteReport", { month: "2026-10" });
  const { fence } = await whenItIs(id, { state: "succeeded" });
  const report = { task: id, fence: String(fence), body: "figures of 2026-10" };
  expect(await warehouse.query("SELECT * FROM report")).toEqual([report]);
  const store = the<{ write(task: string, fence: number, body: string): Promise<void> }>("Warehouse");
  await expect(store.write(id, fence - 1, "old")).rejects.toThrow("a later attempt has written this report");
  expect(await warehouse.query("SELECT * FROM report")).toEqual([report]);
  await tasks.retry(id);
  await eventually(async () => {
    const [{ fence: later }] = await warehouse.query<[{ fence: string }]>("SELECT fence FROM report");
    expect(Number(later)).toBeGreaterThan(fence);
  });
});

test("a voucher that may have been sent is not sent again, and waits for a person", async () => {
  const asked = answers(503);
  const backoff = { kind: "fixed", delay: 1 } as const;
  const id = await schedule("MailVoucher", { to: "ann@example.com", code: "X" }, { backoff, maxAttempts: 3 });
  const dead = await whenItIs(id, { state: "dead" });
  expect(dead).toMatchObject({ reason: "NON_RETRYABLE", attempt: 2 });
  expect(asked).toHaveLength(1);
});

test("a step within a step commits, also where the outer one is rolled back", async () => {
  const { task } = await tasks.schedule("nest", {});
  await whenItIs(task.id, { state: "dead", lastError: expect.stringContaining("after the inner one") });
  expect(await rows("SELECT id FROM purchases WHERE id IN ('inner', 'outer')")).toEqual([{ id: "inner" }]);
});
