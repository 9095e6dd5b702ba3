import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import type { Type } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { DelayTaskService, type TaskDefinition } from "@tickwheel/nestjs";
import { Pool } from "pg";
import { guideFences, PastedGuide } from "../support/app/pasted-guide.js";
import { eventually } from "../support/eventually.js";
import { generatePrismaClient } from "../support/transactions/prisma-client.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

const GUIDE = "docs/guides/transactions.md";
const guide = new PastedGuide(GUIDE);
let postgres: TestPostgres;

interface Orders {
  place(orderId: string): Promise<void>;
  pay(orderId: string): Promise<void>;
}
interface Block {
  CancelOrder: TaskDefinition<{ orderId: string }>;
  Orders: Type<Orders>;
}

beforeAll(async () => {
  const [schema] = guideFences(GUIDE).filter(({ language }) => language === "prisma");
  const folder = join(guide.folder, "src");
  [postgres] = await Promise.all([startTestPostgres(), generatePrismaClient(folder, schema!.text)]);
});
afterAll(async () => {
  await postgres?.stop();
  guide.remove();
});

test("the blocks of the guide to transactions compile with the libraries' own types", async () => {
  expect(await guide.compile()).toBe("");
});

const blocks = guide.blocks.map(({ file, text }) => ({ file, module: /class (\w+Module)/.exec(text)![1]! }));

test("each library has a block in the guide to transactions", () => {
  expect(blocks.map(({ file }) => file)).toEqual(["src/prisma.ts", "src/drizzle.ts", "src/kysely.ts", "src/pg.ts"]);
});

const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

/** Jest runs the sources, which have no built program for the heartbeat's thread. */
function beatInLoop(file: string): void {
  const { text } = guide.blocks.find((block) => block.file === file)!;
  guide.write(file, text.replace("forRoot({ ", 'forRoot({ heartbeat: "loop", '));
}

test.each(blocks)("the orders of $file are cancelled unless they are paid", async ({ file, module }) => {
  const url = (process.env["DATABASE_URL"] = await postgres.createDatabase(module.toLowerCase()));
  const outside = new Pool({ connectionString: url });
  opened.push(() => outside.end());
  beatInLoop(file);
  await outside.query("CREATE TABLE orders (id text PRIMARY KEY, status text NOT NULL)");
  const block = await guide.load<Block & Record<string, Type>>(file);
  const app = await NestFactory.createApplicationContext(block[module]!, { logger: false, abortOnError: false });
  opened.unshift(() => app.close());
  const tasks = app.get(DelayTaskService);
  const orders = app.get<Orders>(block.Orders);
  const taskOf = async (key: string) => (await tasks.find(block.CancelOrder, { key })).items[0]!;
  await orders.place("paid");
  await orders.place("forgotten");
  await expect(orders.place("paid")).rejects.toHaveProperty("message");
  await orders.pay("paid");
  expect(await taskOf("paid")).toMatchObject({ state: "cancelled" });
  const { id } = await taskOf("forgotten");
  await tasks.runNow(id);
  await eventually(async () => {
    expect(await tasks.get(id)).toMatchObject({ state: "succeeded", result: { cancelled: 1 } });
  });
  const { rows } = await outside.query("SELECT id, status FROM orders ORDER BY id");
  expect(rows).toEqual([
    { id: "forgotten", status: "cancelled" },
    { id: "paid", status: "paid" },
  ]);
});
