import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type INestApplicationContext, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { type DelayTask, DelayTaskHandler, DelayTaskModule, taskTrigger } from "@tickwheel/nestjs";
import { type Client, Pool } from "pg";
import { Scene } from "../integration/postgres-store.scene.js";
import { eventually } from "../support/eventually.js";
import { printFigures } from "../support/figures.js";

const TYPE = "order.cancel";
const ORDERS = 10_000;
const PAYERS = 6;

let scene: Scene;
let owner: Client;
let pool: Pool;
let app: INestApplicationContext;
/** What the handler has let expire. */
const expired: number[] = [];

@DelayTaskHandler(TYPE)
class Expire {
  async handle({ payload }: DelayTask<{ id: string }>): Promise<void> {
    const expire = "UPDATE orders SET status = 'expired' WHERE id = $1 AND status = 'unpaid'";
    if ((await pool.query(expire, [payload.id])).rowCount === 1) expired.push(Number(payload.id));
  }
}

beforeAll(async () => {
  scene = await Scene.start();
  owner = await scene.client();
  const superuser = await scene.superuser();
  await superuser.query("CREATE ROLE shop LOGIN PASSWORD 'shop'; GRANT CREATE ON SCHEMA public TO shop");
  await owner.query("SELECT tickwheel.allow_sql('shop')");
  pool = new Pool({ connectionString: scene.urlOf("shop", "shop"), max: PAYERS });
  const { up } = taskTrigger({ table: "orders", when: "status <> 'unpaid'", type: TYPE, key: "id", delay: "1s" });
  await pool.query(`CREATE TABLE orders (id bigint PRIMARY KEY, status text NOT NULL DEFAULT 'unpaid'); ${up}`);
  @Module({
    providers: [Expire],
    imports: [DelayTaskModule.forRoot({ url: scene.server.url, redis: null, heartbeat: "loop" })],
  })
  class Shop {}
  app = await NestFactory.createApplicationContext(Shop, { logger: false, abortOnError: false });
});
afterAll(async () => {
  await app?.close();
  await pool?.end();
  await scene?.stop();
});

test(`each of ${ORDERS.toLocaleString("en")} orders is paid or expires, never both, never neither`, async () => {
  let next = 0;
  let paid = 0;
  const payer = async (): Promise<void> => {
    for (let id = next++; id < ORDERS; id = next++) {
      await pool.query("INSERT INTO orders VALUES ($1)", [id]);
      // Some are paid in time and some are not: the other orders of this payer are what passes the time.
      const due = id - PAYERS * 40 * (1 + (id % 7));
      const { rowCount } = await pool.query("UPDATE orders SET status = 'paid' WHERE id = $1 AND status = 'unpaid'", [
        due,
      ]);
      paid += rowCount!;
    }
  };
  await Promise.all(Array.from({ length: PAYERS }, payer));
  await eventually(async () => {
    const live = "SELECT count(*)::int AS live FROM tickwheel.task WHERE state <= 1";
    expect((await owner.query<{ live: number }>(live)).rows[0]!.live).toBe(0);
  });
  const counts = "SELECT status, count(*)::int AS n FROM orders GROUP BY 1 ORDER BY 1";
  const { rows } = await pool.query<{ status: string; n: number }>(counts);
  expect(rows).toEqual([
    { status: "expired", n: expired.length },
    { status: "paid", n: paid },
  ]);
  expect([new Set(expired).size, expired.length + paid]).toEqual([expired.length, ORDERS]);
  const ends = await owner.query<{ state: string; n: number }>(
    "SELECT state, count(*)::int AS n FROM tickwheel.tasks_v1 GROUP BY 1 ORDER BY 1",
  );
  printFigures("orders by trigger", { paid, expired: expired.length });
  printFigures("their tasks", Object.fromEntries(ends.rows.map(({ state, n }) => [state, n])));
  expect(ends.rows.reduce((sum, { n }) => sum + n, 0)).toBe(ORDERS);
});
