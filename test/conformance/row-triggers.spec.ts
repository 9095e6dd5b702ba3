import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { taskTrigger } from "@tickwheel/nestjs";
import { type Client, Pool } from "pg";
import { eventually } from "../support/eventually.js";
import { Scene } from "../integration/postgres-store.scene.js";

const TYPE = "order.cancel";
const { up } = taskTrigger({ table: "orders", when: "status <> 'unpaid'", type: TYPE, key: "id", delay: "1h" });
/** Longer, and something waits for a lock of the test before. */
const LIMIT_MS = 20_000;

let scene: Scene;
let owner: Client;
let pool: Pool;

beforeAll(async () => {
  scene = await Scene.start();
  owner = await scene.client();
  const superuser = await scene.superuser();
  await superuser.query(`CREATE ROLE shop LOGIN PASSWORD 'shop'; CREATE ROLE cashier LOGIN PASSWORD 'cashier';
    GRANT CREATE ON SCHEMA public TO shop`);
  await scene.open({ size: 1 }).tasks.ensureType({ namespace: "default", type: TYPE, delivery: "handler" });
  await owner.query("SELECT tickwheel.allow_sql('shop')");
  const shop = await scene.login("shop", "shop");
  await shop.query(`
    CREATE TABLE orders (id bigint PRIMARY KEY, status text NOT NULL DEFAULT 'unpaid');
    ${up}
    GRANT SELECT, INSERT, UPDATE, DELETE ON orders TO cashier`);
  // A role that may write orders, and has nothing to do with Tickwheel.
  pool = new Pool({ connectionString: scene.urlOf("cashier", "cashier") });
});
beforeEach(() => owner.query("DELETE FROM tickwheel.task"), LIMIT_MS);
afterAll(async () => {
  await pool?.end();
  await scene?.stop();
});

async function tasksOf(key: string): Promise<unknown[]> {
  const text = "SELECT state, created_by, cancelled_by FROM tickwheel.tasks_v1 WHERE key = $1 ORDER BY state";
  return (await owner.query<Record<string, unknown>>(text, [key])).rows.map((row) => Object.values(row));
}

/** Whether a session waits for another's lock. */
async function isWaiting(session: Client): Promise<boolean> {
  const { rows } = await owner.query<{ waits: boolean }>("SELECT cardinality(pg_blocking_pids($1)) > 0 AS waits", [
    (session as unknown as { processID: number }).processID,
  ]);
  return rows[0]!.waits;
}

describe("a task that is bound to a row", () => {
  test("a task that is bound to a row comes with the row, and goes with what ends it, for every writer", async () => {
    await pool.query("INSERT INTO orders VALUES (1), (2), (3)");
    expect(await tasksOf("1")).toEqual([["scheduled", "sql:cashier", null]]);
    await pool.query("UPDATE orders SET status = 'paid' WHERE id = 1");
    await pool.query("DELETE FROM orders WHERE id = 2");
    expect([await tasksOf("1"), await tasksOf("2"), await tasksOf("3")]).toEqual([
      [["cancelled", "sql:cashier", "sql:cashier"]],
      [["cancelled", "sql:cashier", "sql:cashier"]],
      [["scheduled", "sql:cashier", null]],
    ]);
  });

  test("a task that is bound to a row stays as it was where the transaction rolls back", async () => {
    const session = await pool.connect();
    await session.query("BEGIN; INSERT INTO orders VALUES (10)");
    await session.query("ROLLBACK");
    await session.query("INSERT INTO orders VALUES (11)");
    await session.query("BEGIN; UPDATE orders SET status = 'paid' WHERE id = 11");
    await session.query("ROLLBACK");
    session.release();
    expect([await tasksOf("10"), await tasksOf("11")]).toEqual([[], [["scheduled", "sql:cashier", null]]]);
  });

  test("a task that is bound to a row is one task, whatever comes of the row again", async () => {
    await pool.query(
      "INSERT INTO orders VALUES (20); DELETE FROM orders WHERE id = 20; INSERT INTO orders VALUES (20)",
    );
    expect(await tasksOf("20")).toEqual([
      ["cancelled", "sql:cashier", "sql:cashier"],
      ["scheduled", "sql:cashier", null],
    ]);
  });

  test("a task that is bound to a row is refused to the table of a role without the namespace, for every writer", async () => {
    const superuser = await scene.superuser();
    await superuser.query(`CREATE ROLE other LOGIN; CREATE TABLE others (id int); ALTER TABLE others OWNER TO other;
      GRANT INSERT ON others TO cashier; CREATE TRIGGER t AFTER INSERT ON others FOR EACH ROW
      EXECUTE FUNCTION tickwheel.schedule_with_row('${TYPE}', 'id', '', '1 hour')`);
    await expect(pool.query("INSERT INTO others VALUES (1)")).rejects.toThrow(
      'FORBIDDEN: the role "other" has no namespace',
    );
  });
});

describe("a trigger by hand", () => {
  test("a trigger by hand runs no function of its table's owner with the rights of ours", async () => {
    const shop = await scene.login("shop", "shop");
    await shop.query(`CREATE TYPE mood AS ENUM ('fine'); CREATE TABLE moods (id mood);
      CREATE FUNCTION taken(mood) RETURNS text LANGUAGE plpgsql AS $$
        BEGIN EXECUTE 'UPDATE tickwheel.sql_role SET payloads = true'; RETURN 'x'; END $$;
      CREATE CAST (mood AS text) WITH FUNCTION taken(mood) AS ASSIGNMENT;
      CREATE TRIGGER t AFTER INSERT ON moods FOR EACH ROW EXECUTE FUNCTION tickwheel.schedule_with_row('${TYPE}', 'id', '', '1 hour')`);
    await expect(shop.query("INSERT INTO moods VALUES ('fine')")).rejects.toThrow(
      /^VALIDATION_FAILED: the key must be a column of a type of Postgres' own/,
    );
    expect((await owner.query("SELECT FROM tickwheel.sql_role WHERE payloads")).rowCount).toBe(0);
  });

  test("a trigger by hand is refused where it runs before the row is written, and for a column that is not there", async () => {
    const shop = await scene.login("shop", "shop");
    const calling = (column: string): string =>
      `FOR EACH ROW EXECUTE FUNCTION tickwheel.cancel_with_row('${TYPE}', '${column}', '')`;
    await shop.query(`CREATE TABLE drafts (id int); CREATE TRIGGER t BEFORE DELETE ON drafts ${calling("id")};
      CREATE TRIGGER u AFTER UPDATE ON drafts ${calling("no")}; INSERT INTO drafts VALUES (1)`);
    await expect(shop.query("DELETE FROM drafts")).rejects.toThrow("the trigger must be AFTER and FOR EACH ROW");
    await expect(shop.query("UPDATE drafts SET id = 2")).rejects.toThrow('and not "no"');
  });
});

describe("a writer that meets a locked task", () => {
  test("a writer that meets a locked task waits for it as long as it is scheduled, and cancels it then", async () => {
    await pool.query("INSERT INTO orders VALUES (30)");
    const other = await scene.client();
    const payer = await scene.login("cashier", "cashier");
    await other.query("BEGIN; SELECT FROM tickwheel.task WHERE key = '30' FOR UPDATE");
    const paid = payer.query("UPDATE orders SET status = 'paid' WHERE id = 30");
    await eventually(async () => expect(await isWaiting(payer)).toBe(true));
    // Longer than the trigger waits at a time.
    await owner.query("SELECT pg_sleep(0.5)");
    expect(await tasksOf("30")).toEqual([["scheduled", "sql:cashier", null]]);
    await other.query("COMMIT");
    await paid;
    expect(await tasksOf("30")).toEqual([["cancelled", "sql:cashier", "sql:cashier"]]);
  });

  test("a writer leaves a locked task to the handler that holds it: neither waits, and the handler sees the payment", async () => {
    await pool.query("INSERT INTO orders VALUES (40)");
    await owner.query(
      "UPDATE tickwheel.task SET state = 1, owner = 7, fence = 1, attempt = 1, claimed_at = now() WHERE key = '40'",
    );
    const handler = await scene.superuser();
    const payer = await scene.login("cashier", "cashier");
    await handler.query("BEGIN; SELECT FROM tickwheel.task WHERE key = '40' FOR UPDATE");
    await payer.query("BEGIN; UPDATE orders SET status = 'paid' WHERE id = 40");
    const expired = handler.query("UPDATE orders SET status = 'expired' WHERE id = 40 AND status = 'unpaid'");
    await eventually(async () => expect(await isWaiting(handler)).toBe(true));
    await payer.query("COMMIT");
    expect((await expired).rowCount).toBe(0);
    await handler.query("COMMIT");
  });

  test("a writer that meets a task that runs and is not locked asks it to stop", async () => {
    await pool.query("INSERT INTO orders VALUES (50)");
    await owner.query(
      "UPDATE tickwheel.task SET state = 1, owner = 7, fence = 1, attempt = 1, claimed_at = now() WHERE key = '50'",
    );
    await pool.query("UPDATE orders SET status = 'paid' WHERE id = 50");
    const asked = "SELECT state, cancel_requested_at IS NOT NULL AS is_asked FROM tickwheel.task WHERE key = '50'";
    expect((await owner.query(asked)).rows).toEqual([{ state: 1, is_asked: true }]);
  });
});
