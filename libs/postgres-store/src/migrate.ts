import { TickwheelError } from "@tickwheel/core";
import { DataSource, type DataSourceOptions, type QueryRunner } from "typeorm";
import { callerSession } from "./caller-session.js";
import { translateDriverError } from "./driver-errors.js";
import { ENTITIES } from "./entities/entities.js";
import { FirstSchema1763700000000 } from "./migrations/1763700000000-first-schema.js";
import { Reads1763800000000 } from "./migrations/1763800000000-reads.js";
import { TypesInUse1763810000000 } from "./migrations/1763810000000-types-in-use.js";
import { Suspects1763820000000 } from "./migrations/1763820000000-suspects.js";
import { missingPartitions } from "./partitions.js";
import { DEFAULT_SCHEMA } from "./postgres-database.js";
import { quoteSchema } from "./session.js";

/** The oldest Postgres that is tested. */
export const OLDEST_POSTGRES_MAJOR = 15;

/** A server that does not answer at all is away: without a limit a start would wait for it and say nothing. */
const CONNECT_LIMIT_MS = 5_000;

type PostgresDataSourceOptions = Extract<DataSourceOptions, { type: "postgres" }>;

export interface MigrateOptions {
  /** Default `tickwheel`. Made if it is missing. */
  schema?: string;
}

/**
 * Brings our schema up to date, on a data source of our own: nothing is registered with the application's entities, and the list of
 * migrations is a table of our schema. Safe when many nodes start at once on an empty database: an advisory lock lets one of them
 * migrate, the others find it done. Answers the names of the migrations that it ran.
 *
 * @param target a url, or the application's data source, whose connection settings are taken
 * @throws TickwheelError `STORE_INCOMPATIBLE`: the server is older than Postgres 15; `STORE_UNAVAILABLE`
 * @example await migrate("postgres://localhost/shop")
 */
export async function migrate(target: string | DataSource, options: MigrateOptions = {}): Promise<string[]> {
  const schema = options.schema ?? DEFAULT_SCHEMA;
  const dataSource = tickwheelDataSource(target, { schema });
  try {
    await dataSource.initialize();
    return await migrateUnderLock(dataSource, schema);
  } catch (error) {
    throw translateDriverError(error, "migrate");
  } finally {
    if (dataSource.isInitialized) await dataSource.destroy();
  }
}

/** A data source for our tables: its own two connections, our entities and migrations, no synchronisation, no log. Not yet initialised. */
export function tickwheelDataSource(
  target: string | DataSource,
  { schema = DEFAULT_SCHEMA }: MigrateOptions = {},
): DataSource {
  const quoted = quoteSchema(schema).slice(1, -1);
  return new DataSource({
    ...connectionOf(target),
    type: "postgres",
    schema: quoted,
    entities: [...ENTITIES],
    migrations: [FirstSchema1763700000000, Reads1763800000000, TypesInUse1763810000000, Suspects1763820000000],
    migrationsTableName: "migration",
    migrationsTransactionMode: "all",
    installExtensions: false,
    poolSize: 2,
  });
}

function connectionOf(target: string | DataSource): Partial<PostgresDataSourceOptions> {
  if (typeof target === "string") return { url: target, connectTimeoutMS: CONNECT_LIMIT_MS };
  const options = target.options as PostgresDataSourceOptions;
  const {
    url,
    host,
    port,
    username,
    password,
    database,
    ssl,
    extra,
    driver,
    connectTimeoutMS = CONNECT_LIMIT_MS,
  } = options;
  return { url, host, port, username, password, database, ssl, extra, driver, connectTimeoutMS };
}

async function migrateUnderLock(dataSource: DataSource, schema: string): Promise<string[]> {
  const lock = dataSource.createQueryRunner();
  try {
    await requireSupportedServer(lock);
    await lock.startTransaction();
    await lock.query(
      "SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0",
    );
    // A lock of the transaction, not of the session, so that it also holds through PgBouncer.
    await lock.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`tickwheel migrate ${schema}`]);
    const [found] = (await dataSource.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema])) as unknown[];
    if (!found) await dataSource.query(`CREATE SCHEMA IF NOT EXISTS ${quoteSchema(schema)}`);
    const ran = await dataSource.runMigrations({ transaction: "all" });
    if (ran.length > 0) await makeFirstPartitions(dataSource, schema);
    await lock.commitTransaction();
    return ran.map(({ name }) => name);
  } finally {
    if (lock.isTransactionActive) await lock.rollbackTransaction();
    await lock.release();
  }
}

/** So that no row of the first days falls into a default partition. From then on the nodes make them. */
async function makeFirstPartitions(dataSource: DataSource, schema: string): Promise<void> {
  const session = callerSession(dataSource, quoteSchema(schema));
  for (const { create } of await missingPartitions(session, null)) await session.run(create, null);
}

async function requireSupportedServer(runner: QueryRunner): Promise<void> {
  const [row] = (await runner.query("SELECT current_setting('server_version') AS version")) as { version: string }[];
  requireSupportedVersion(row?.version ?? "");
}

/** @throws TickwheelError `STORE_INCOMPATIBLE` with what to do about it */
export function requireSupportedVersion(version: string): void {
  if (Number.parseInt(version, 10) >= OLDEST_POSTGRES_MAJOR) return;
  throw new TickwheelError(
    "STORE_INCOMPATIBLE",
    `This server is Postgres ${version}, but Tickwheel needs ${OLDEST_POSTGRES_MAJOR} or newer: upgrade it, or use another database`,
    { details: { version } },
  );
}
