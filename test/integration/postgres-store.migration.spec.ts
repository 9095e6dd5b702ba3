import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { migrate, openPostgres, requireCompatibleStore } from "@tickwheel/postgres-store";
import { RecordingTelemetry } from "@tickwheel/testing";
import { Client } from "pg";
import { DataSource, Entity, PrimaryColumn } from "typeorm";
import { OldPostgres } from "../support/servers/old-postgres.js";
import { newTask } from "./postgres-store.scene.js";
import { OwnPostgres } from "../support/servers/own-postgres.js";
import { makeSchemas, superuserUrlOf } from "../support/servers/test-role.mjs";

let server: OwnPostgres;

beforeAll(async () => {
  server = await OwnPostgres.start({ settings: { fsync: false } });
  await makeSchemas(server.url, "other_app", "lent", "another_name");
});
afterAll(() => server?.stop());

async function rows<Row>(sql: string, values: unknown[] = [], url = server.url): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql, values)).rows as Row[];
  } finally {
    await client.end();
  }
}

@Entity("customer")
class Customer {
  @PrimaryColumn("integer") id!: number;
}

describe("migrate", () => {
  test("ten nodes that start at once on an empty database migrate it once", async () => {
    const ran = await Promise.all(Array.from({ length: 10 }, () => migrate(server.url)));
    expect(ran.flat()).not.toEqual([]);
    expect(ran.flat()).toEqual([...new Set(ran.flat())]);
    const tables = await rows<{ name: string }>(
      "SELECT relname AS name FROM pg_class WHERE relnamespace = 'tickwheel'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition",
    );
    expect(tables.map(({ name }) => name).sort()).toEqual(
      [
        "api_key",
        "audit",
        "batch",
        "batch_tally",
        "breaker",
        "bucket",
        "claim_secret",
        "cluster_event",
        "compatibility",
        "dead_group",
        "dead_hour",
        "dead_tally",
        "finding",
        "flow_limit",
        "former_node",
        "handler_report",
        "heartbeat",
        "history",
        "idempotency",
        "journal",
        "lease",
        "migration",
        "node",
        "operation",
        "operation_task",
        "pause",
        "quarantine",
        "suspect",
        "recount",
        "revision",
        "schedule",
        "schedule_announcement",
        "schedule_run",
        "session",
        "sql_role",
        "step",
        "tally",
        "tally_writer",
        "task",
        "term",
        "type",
        "type_policy",
        "type_setting",
        "view",
      ].sort(),
    );
  });

  test("history and journal have their partitions for today and the next week", async () => {
    await migrate(server.url);
    const partitions = await rows<{ name: string }>(
      "SELECT inhrelid::regclass::text AS name FROM pg_inherits JOIN pg_class c ON c.oid = inhparent WHERE c.relkind = 'p'",
    );
    const today = new Date().toISOString().slice(0, 10).replaceAll("-", "");
    const names = partitions.map(({ name }) => name);
    expect(names).toHaveLength(2 * 9);
    expect(names).toEqual(expect.arrayContaining([`tickwheel.history_${today}`, `tickwheel.journal_${today}`]));
  });

  test("a second schema exists beside the first, with its own tasks", async () => {
    expect(await migrate(server.url, { schema: "other_app" })).not.toEqual([]);
    const stores = openPostgres({ url: server.url, schema: "other_app" });
    const { id: typeId } = await stores.tasks.ensureType({ namespace: "default", type: "a", delivery: "handler" });
    await stores.tasks.create({ namespace: "default", tasks: [newTask({ typeId })] });
    await stores.close();
    expect(await rows("SELECT 1 FROM other_app.task")).toHaveLength(1);
    expect(await rows("SELECT 1 FROM tickwheel.task")).toHaveLength(0);
  });

  test("a schema's name that would need quoting is refused before anything is sent", async () => {
    await expect(migrate(server.url, { schema: 'x"; DROP' })).rejects.toThrow(RangeError);
  });

  test("the application's data source lends its connection and keeps its entities and migrations to itself", async () => {
    const application = new DataSource({ type: "postgres", url: server.url, entities: [Customer], schema: "public" });
    await application.initialize();
    await application.synchronize();
    await migrate(application, { schema: "lent" });
    expect(application.entityMetadatas.map(({ tableName }) => tableName)).toEqual(["customer"]);
    expect((await application.driver.createSchemaBuilder().log()).upQueries).toEqual([]);
    expect(await rows("SELECT 1 FROM lent.migration")).not.toEqual([]);
    await application.destroy();
  });

  test("an old server is refused with advice", async () => {
    const old = await OldPostgres.start("14.11");
    try {
      await expect(migrate(old.url)).rejects.toMatchObject({
        code: "STORE_INCOMPATIBLE",
        message: expect.stringContaining("15 or newer") as unknown,
      });
    } finally {
      old.stop();
    }
  });

  test("a server that is away is STORE_UNAVAILABLE", async () => {
    await expect(migrate("postgres://nobody@127.0.0.1:1/none")).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  });
});

/** What versions before this one left: a note without its hash, another hash, and no note at all. */
const UNRELEASED = {
  "without a hash": "ALTER TABLE tickwheel.compatibility DROP COLUMN first_schema",
  "with another hash": "UPDATE tickwheel.compatibility SET first_schema = 'another'",
  "with an emptied note": "DELETE FROM tickwheel.compatibility",
  "from before there was a note": `DROP TABLE tickwheel.compatibility;
    UPDATE tickwheel.migration SET name = 'FirstSchema1763600000000'`,
};

describe("a schema that an unreleased version made", () => {
  test.each(Object.entries(UNRELEASED))(
    "an unreleased schema %s is refused with advice, and stays as it is",
    async (name, sql) => {
      const url = await server.createDatabase(`made_${name.replaceAll(" ", "_")}`);
      await migrate(url);
      const stores = openPostgres({ url });
      const { id: typeId } = await stores.tasks.ensureType({ namespace: "default", type: "a", delivery: "handler" });
      await stores.tasks.create({ namespace: "default", tasks: [newTask({ typeId })] });
      await stores.close();
      await rows(sql, [], url);
      const everything =
        "SELECT table_to_xml(c.oid, true, false, '') FROM pg_class c WHERE relname IN ('task', 'migration')";
      const before = await rows(everything, [], url);
      const refused = {
        code: "STORE_INCOMPATIBLE",
        message: expect.stringMatching(/"tickwheel".*unreleased version.*Drop the schema.*\.tickwheel\//) as unknown,
        details: { schema: "tickwheel", expected: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown },
      };
      for (const start of [migrate, requireCompatibleStore]) await expect(start(url)).rejects.toMatchObject(refused);
      expect(await rows(everything, [], url)).toEqual(before);
      expect(await rows("SELECT FROM tickwheel.task", [], url)).toHaveLength(1);
    },
  );

  test("a schema that an unreleased version made is recognised by the text of its tables, whatever the schema's name", async () => {
    await migrate(server.url);
    await migrate(server.url, { schema: "another_name" });
    const hashes = await rows(
      "SELECT first_schema FROM tickwheel.compatibility UNION SELECT first_schema FROM another_name.compatibility",
    );
    expect(hashes).toEqual([{ first_schema: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
  });

  test("a schema of an unreleased version is not found where an application has tables of such names", async () => {
    const url = superuserUrlOf(await server.createDatabase("shared"));
    await rows("CREATE SCHEMA IF NOT EXISTS tickwheel; CREATE TABLE tickwheel.compatibility (a integer)", [], url);
    await requireCompatibleStore(url);
  });
});

test("a first start reports its schema in one line, a second start does not", async () => {
  const telemetry = new RecordingTelemetry();
  const url = await server.createDatabase("told");
  await migrate(url, { telemetry });
  await migrate(url, { telemetry });
  const made = { name: "store.schema.made", level: "info", facts: { schema: "tickwheel" } };
  expect(telemetry.events).toMatchObject([made]);
});
