import { TickwheelError } from "@tickwheel/core";
import pg from "pg";
import { connectionOptions, type PostgresTarget } from "../connection/connection-settings.js";
import { translateDriverError } from "../connection/driver-errors.js";
import { quoteSchema } from "../connection/session.js";
import { FIRST_ROWS, FIRST_SCHEMA_HASH } from "../schema/migrations/first-schema.js";

/** The schemas that tests take in turn: this number of processes may test on one database at once. */
const TEST_SCHEMAS = 16;
/** What says how a schema was made; it is kept when the others are emptied. */
const KEPT_TABLES = ["migration", "compatibility"];

/**
 * A schema that one test has for itself, empty. It is locked as long as this lives, so that no other process takes it:
 * two clusters by two clocks in one schema would take each other's tasks.
 */
export class TestSchema {
  private constructor(
    private readonly client: pg.Client,
    readonly name: string,
  ) {}

  /**
   * Takes a schema and empties it. The caller migrates it then.
   *
   * @param wanted default: the first of `tickwheel_test_1` to `_16` that is free
   * @throws TickwheelError `CONFIGURATION_INVALID`: another process tests in it, or no schema is free; or its name has
   *   no "test" in it, and what is emptied must be nobody's; `STORE_UNAVAILABLE`
   */
  static async take(target: PostgresTarget, wanted?: string): Promise<TestSchema> {
    if (wanted !== undefined && !wanted.includes("test"))
      throw refused(`the schema "${wanted}" would be emptied: the name of a test's schema has "test" in it`);
    const client = new pg.Client({ ...connectionOptions(target), application_name: "tickwheel test schema" });
    // A server that goes away is told of by the next statement.
    client.on("error", () => undefined);
    try {
      await client.connect();
      const schema = new TestSchema(client, await lockOne(client, wanted));
      await schema.empty();
      return schema;
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error instanceof TickwheelError ? error : translateDriverError(error, "take a test schema");
    }
  }

  async release(): Promise<void> {
    await this.client.end();
  }

  /** Empties every table; what another release has made is dropped. */
  private async empty(): Promise<void> {
    const schema = quoteSchema(this.name);
    if (!(await this.isOfThisRelease(schema))) {
      await this.client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      return;
    }
    const { rows } = await this.client.query<{ name: string }>(
      "SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = $1 AND tablename <> ALL ($2)",
      [this.name, KEPT_TABLES],
    );
    // A TRUNCATE of so many tables takes ten times as long as this, and a test has few rows.
    const deletes = rows.map(({ name }) => `DELETE FROM ${schema}.${name}`).join("; ");
    await this.client.query(`BEGIN; ${deletes}; ${FIRST_ROWS.replaceAll("@", `${schema}.`)}; COMMIT`);
    await this.client.query(
      "SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false) FROM pg_sequences WHERE schemaname = $1",
      [this.name],
    );
  }

  private async isOfThisRelease(schema: string): Promise<boolean> {
    const { rows: found } = await this.client.query<{ is: boolean }>(
      "SELECT to_regclass($1) IS NOT NULL AND to_regclass($2) IS NOT NULL AS is",
      KEPT_TABLES.map((table) => `${schema}.${table}`),
    );
    if (!found[0]!.is) return false;
    const { rows } = await this.client.query<{ hash: string }>(
      `SELECT first_schema AS hash FROM ${schema}.compatibility`,
    );
    return rows[0]?.hash === FIRST_SCHEMA_HASH;
  }
}

async function lockOne(client: pg.Client, wanted: string | undefined): Promise<string> {
  const names =
    wanted === undefined ? Array.from({ length: TEST_SCHEMAS }, (_, at) => `tickwheel_test_${at + 1}`) : [wanted];
  for (const name of names) {
    const { rows } = await client.query<{ is: boolean }>("SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS is", [
      `tickwheel test schema ${name}`,
    ]);
    if (rows[0]!.is) return name;
  }
  throw refused(
    wanted === undefined
      ? `all ${TEST_SCHEMAS} test schemas of this database are in use`
      : `another test is using the schema "${wanted}"; without the option each takes one that is free`,
  );
}

function refused(why: string): TickwheelError {
  return new TickwheelError("CONFIGURATION_INVALID", `DelayTaskTestingModule cannot start: ${why}.`);
}
