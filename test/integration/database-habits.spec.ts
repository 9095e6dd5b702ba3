import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { migrate, openPostgres, type PostgresStores } from "@tickwheel/postgres-store";
import type { Client } from "pg";
import { DataSource } from "typeorm";
import { create, joinNode, NAMESPACE, newTask, newType, Scene } from "./postgres-store.scene.js";
import { makeSchemas } from "../support/servers/test-role.mjs";

const RETENTION = { historyRetentionDays: 7, deadRetentionDays: 30, typeRetentionDays: 30 };

let scene: Scene;
let client: Client;
let superuser: Client;

beforeAll(async () => {
  scene = await Scene.start({ wal_level: "logical" });
  client = await scene.client();
  superuser = await scene.superuser();
});
afterAll(() => scene?.stop());

/** Creates a task and brings it to its end. */
async function runOne(stores: PostgresStores): Promise<string> {
  const typeId = await newType(stores);
  const { id } = await create(stores, { typeId });
  const owner = await joinNode(stores);
  const { tasks } = await stores.tasks.claim({ owner, ids: [id], claimAheadMs: 5 });
  const startedAt = tasks[0]!.claimedAt;
  await stores.tasks.settle([{ ...tasks[0]!, kind: "succeeded", result: null, startedAt }]);
  return id;
}

describe("a database that publishes all tables", () => {
  beforeAll(() => superuser.query("CREATE PUBLICATION everything FOR ALL TABLES"));
  afterAll(() => superuser.query("DROP PUBLICATION everything"));

  test("a database that publishes all tables lets tasks run, be retried from history, and be deleted", async () => {
    const stores = scene.open();
    const id = await runOne(stores);
    const again = await stores.tasks.retry({ namespace: NAMESPACE, id, actor: "somebody" });
    expect(again.outcome).toBe("scheduled");
    await client.query(
      `INSERT INTO tickwheel.journal (task_id, recorded_at, at, seq, fence, attempt, to_state)
       VALUES (gen_random_uuid(), '2001-01-01', '2001-01-01', 1, 0, 0, 0)`,
    );
    expect(await stores.tasks.maintain(RETENTION)).toMatchObject({ failed: [] });
    expect((await client.query("SELECT 1 FROM tickwheel.journal_default")).rows).toEqual([]);
  });

  test("every table of the schema in a database that publishes all tables has a primary key or a full replica identity", async () => {
    const { rows } = await client.query(
      `SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'tickwheel'::regnamespace AND c.relkind IN ('r', 'p')
          AND c.relreplident <> 'f' AND NOT EXISTS (SELECT FROM pg_index WHERE indrelid = c.oid AND indisprimary)`,
    );
    expect(rows).toEqual([]);
  });

  test("a database that publishes all tables gets partitions with a full replica identity from upkeep", async () => {
    const asOf = Date.now() + 20 * 86_400_000;
    const { created, failed } = await scene.open({ asOf: () => asOf }).tasks.maintain({
      historyRetentionDays: 36_500,
      deadRetentionDays: 36_500,
      typeRetentionDays: 36_500,
    });
    expect([created.length, failed]).toEqual([16, []]);
    const { rows } = await client.query("SELECT 1 FROM pg_class WHERE relname = ANY ($1) AND relreplident = 'f'", [
      created,
    ]);
    expect(rows).toHaveLength(16);
  });

  test("a database that publishes all tables has the partitions of an older node corrected by upkeep", async () => {
    await client.query(
      `CREATE TABLE tickwheel.history_20010101 PARTITION OF tickwheel.history
         FOR VALUES FROM ('2001-01-01 00:00:00+00') TO ('2001-01-02 00:00:00+00')`,
    );
    const unidentified =
      "SELECT relname FROM pg_class WHERE relname ~ '^history_' AND relkind = 'r' AND relreplident <> 'f'";
    expect((await client.query(unidentified)).rows).toHaveLength(1);
    await scene
      .open()
      .tasks.maintain({ historyRetentionDays: 36_500, deadRetentionDays: 36_500, typeRetentionDays: 36_500 });
    expect((await client.query(unidentified)).rows).toEqual([]);
  });
});

describe("a role that may only read and write rows", () => {
  let url: string;

  beforeAll(async () => {
    await superuser.query("CREATE ROLE clerk LOGIN PASSWORD 'secret'");
    await client.query("GRANT USAGE ON SCHEMA tickwheel TO clerk");
    await client.query("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA tickwheel TO clerk");
    const own = new URL(scene.server.url);
    [own.username, own.password] = ["clerk", "secret"];
    url = own.href;
  });

  test("a role that may only read and write rows finds the schema up to date, and runs tasks", async () => {
    expect(await migrate(url)).toEqual([]);
    const stores = scene.open({ url });
    expect(await stores.tasks.get(NAMESPACE, await runOne(stores))).toMatchObject({ state: "succeeded" });
  });

  test("a role that may only write rows deletes old ones though it can make and drop no partitions, and says what to grant", async () => {
    const tomorrowNext = "SELECT to_char((now() AT TIME ZONE 'UTC') + interval '7 days', 'YYYYMMDD') AS day";
    const [{ day }] = (await client.query(tomorrowNext)).rows as [{ day: string }];
    await client.query(`DROP TABLE tickwheel.history_${day}`);
    await client.query(
      `CREATE TABLE tickwheel.history_20020101 PARTITION OF tickwheel.history
         FOR VALUES FROM ('2002-01-01 00:00:00+00') TO ('2002-01-02 00:00:00+00')`,
    );
    await client.query(
      `INSERT INTO tickwheel.journal (task_id, recorded_at, at, seq, fence, attempt, to_state)
       VALUES (gen_random_uuid(), '2001-01-01', '2001-01-01', 1, 0, 0, 0)`,
    );
    const { failed, hasMore } = await scene.open({ url }).tasks.maintain(RETENTION);
    expect(failed.map(({ step }) => step)).toEqual(["create", "identify", "drop"]);
    for (const { error } of failed)
      expect(error.message).toMatch(
        new RegExp(`\\(42501: (must be owner|permission denied).*GRANT ${new URL(scene.server.url).username} TO clerk`),
      );
    expect([hasMore, (await client.query("SELECT 1 FROM tickwheel.journal_default")).rows]).toEqual([false, []]);
  });

  test("a role that may only read and write rows gets its partitions ahead of time from the role that migrates", async () => {
    await migrate(scene.server.url, { partitionDaysAhead: 30 });
    const { rows } = await client.query("SELECT 1 FROM pg_inherits WHERE inhparent = 'tickwheel.history'::regclass");
    expect(rows.length).toBeGreaterThan(31);
    const { failed } = await scene.open({ url }).tasks.maintain({ ...RETENTION, historyRetentionDays: 36_500 });
    expect(failed).toEqual([]);
  });
});

describe.each(["serializable", "repeatable read"])("a role whose default is %s", (isolation) => {
  beforeAll(() => client.query(`ALTER ROLE CURRENT_USER SET default_transaction_isolation = '${isolation}'`));
  afterAll(() => client.query("ALTER ROLE CURRENT_USER RESET default_transaction_isolation"));

  const isolationOf = {
    name: "isolation",
    sql: () => "SELECT current_setting('transaction_isolation') AS isolation",
    values: () => [],
    read: (row: Record<string, unknown>) => row.isolation,
  };

  test.each([false, true])(
    "a role of a stricter default isolation is read committed to us, through a pooler of transactions too (%s)",
    async (transactionPooling) => {
      const { database } = scene.open({ transactionPooling });
      expect(await database.run(isolationOf, null)).toEqual(["read committed"]);
      expect(await database.run(isolationOf, null)).toEqual(["read committed"]);
      expect(await database.transaction((session) => session.run(isolationOf, null))).toEqual(["read committed"]);
    },
  );

  test("a role of a stricter default isolation accepts many concurrent writes of one key without an error", async () => {
    const stores = scene.open();
    const typeId = await newType(stores, `busy ${isolation}`);
    const wish = {
      typeId,
      type: `busy ${isolation}`,
      key: "k",
      onConflict: "refresh",
      due: { delayMs: 60_000 },
    } as const;
    const written = await Promise.all(Array.from({ length: 40 }, () => create(stores, wish)));
    expect(new Set(written.map(({ id }) => id)).size).toBe(1);
  });

  test("a role of a stricter default isolation leaves callers their own, and tells them to repeat their transaction", async () => {
    const stores = scene.open();
    const typeId = await newType(stores);
    const { id } = await create(stores, { typeId, due: { delayMs: 60_000 } });
    const caller = await scene.client();
    await caller.query("BEGIN");
    await caller.query("SELECT 1 FROM tickwheel.task");
    await stores.tasks.edit({ namespace: NAMESPACE, id, changes: { priority: 1 }, actor: "somebody" });
    const edited = stores.tasks.edit({ namespace: NAMESPACE, id, changes: { priority: 2 }, actor: "somebody" }, caller);
    await expect(edited).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      message: expect.stringMatching(/40001.*run it again from its start/) as unknown,
    });
    await caller.query("ROLLBACK");
  });

  test("a role of a stricter default isolation migrates", async () => {
    const schema = `migrated_${isolation.replace(" ", "_")}`;
    await makeSchemas(scene.server.url, schema);
    expect(await migrate(scene.server.url, { schema })).not.toEqual([]);
    expect(await migrate(scene.server.url, { schema })).toEqual([]);
  });
});

describe("a manager without an open transaction", () => {
  const refused = {
    code: "TRANSACTION_UNAVAILABLE",
    message: expect.stringContaining("no open transaction") as unknown,
  };

  test("a manager without an open transaction is refused before anything is written, whatever it is", async () => {
    const stores = scene.open();
    const typeId = await newType(stores);
    const dataSource = await new DataSource({ type: "postgres", url: scene.server.url }).initialize();
    const runner = dataSource.createQueryRunner();
    const bare = await scene.client();
    const anything = { query: (sql: string, values?: unknown[]) => bare.query(sql, values) };
    for (const within of [dataSource.manager, dataSource, runner, runner.manager, bare, anything]) {
      const written = stores.tasks.create({ namespace: NAMESPACE, tasks: [newTask({ typeId })] }, within);
      await expect(written).rejects.toMatchObject(refused);
    }
    expect((await client.query("SELECT 1 FROM tickwheel.task WHERE type_id = $1", [typeId])).rows).toEqual([]);
    await runner.release();
    await dataSource.destroy();
  });

  test("a manager in whose session a transaction was begun by hand has an open transaction", async () => {
    const stores = scene.open();
    const typeId = await newType(stores);
    const dataSource = await new DataSource({ type: "postgres", url: scene.server.url }).initialize();
    const runner = dataSource.createQueryRunner();
    const bare = await scene.client();
    const anything = { query: (sql: string, values?: unknown[]) => bare.query(sql, values) };
    await runner.query("BEGIN");
    await bare.query("BEGIN");
    for (const within of [runner, runner.manager, bare, anything])
      await stores.tasks.create({ namespace: NAMESPACE, tasks: [newTask({ typeId })] }, within);
    await runner.query("ROLLBACK");
    await bare.query("COMMIT");
    expect((await client.query("SELECT 1 FROM tickwheel.task WHERE type_id = $1", [typeId])).rows).toHaveLength(2);
    await runner.release();
    await dataSource.destroy();
  });
});

test("a schema that was not migrated is reported with Postgres' own error and the cure", async () => {
  const stores = openPostgres({ url: scene.server.url, schema: "nowhere" });
  await expect(stores.tasks.listTypes()).rejects.toMatchObject({
    message: expect.stringMatching(/42P01: relation "nowhere.type" does not exist.*Run `migrate`/) as unknown,
  });
  await stores.close();
});
