import { type Clock, SystemClock, type Telemetry, TickwheelError } from "@tickwheel/core";
import { DataSource, type DataSourceOptions, type Logger } from "typeorm";
import { connectionSettings, type PostgresTarget } from "../connection/connection-settings.js";
import { translateDriverError } from "../connection/driver-errors.js";
import { ENTITIES } from "./entities/entities.js";
import { FirstSchema1763700000000 } from "./migrations/1763700000000-first-schema.js";
import { MIGRATIONS } from "./migrations/all-migrations.js";
import { MigrationLock } from "./migrations/migration-lock.js";
import { instantOf, type Migration, typeormMigration } from "./migrations/migration.js";
import { StepRunner } from "./migrations/step-runner.js";
import { createPartitionSql, identifySql, missingPartitions } from "./partitions.js";
import { DEFAULT_SCHEMA } from "../connection/postgres-database.js";
import { type QuotedSchema, quoteSchema, type Session } from "../connection/session.js";
import { listUnidentified } from "../statements/upkeep/list-unidentified.js";

/** The oldest Postgres that is tested. */
export const OLDEST_POSTGRES_MAJOR = 15;

/** A server that does not answer at all is away: without a limit a start would wait for it and say nothing. */
const CONNECT_LIMIT_MS = 5_000;

export interface MigrateOptions {
  /** Default `tickwheel`. Made if it is missing. */
  schema?: string;
  /** Partitions are made for today and so many days after it. For a role of its own that migrates; nodes make seven. Default 7. */
  partitionDaysAhead?: number;
  /** True through PgBouncer in transaction mode. Default false. */
  transactionPooling?: boolean;
  /** Hears what is done, and what it waits for. */
  telemetry?: Telemetry;
  clock?: Clock;
  /** Only for tests. Default: all of this release. */
  migrations?: readonly Migration[];
}

/**
 * Brings our schema up to date, on a data source of our own: nothing is registered with the application's entities, and the list of
 * migrations is a table of our schema. Answers the names of the migrations that it ran.
 *
 * Nodes may be at work, on this release and the last: each step waits 100 ms for a lock and is tried again, indexes are made beside the
 * writers. Safe when many nodes start at once: an advisory lock lets one of them migrate, the others find it done. Safe to kill: what was
 * begun is found and finished by the next run.
 *
 * @param target a url, settings of `pg`, or the application's data source, whose connection settings are taken
 * @throws TickwheelError `STORE_INCOMPATIBLE`: the server is older than Postgres 15, or the schema is for newer nodes only;
 *   `STORE_UNAVAILABLE`
 * @example await migrate("postgres://localhost/shop")
 */
export async function migrate(target: PostgresTarget, options: MigrateOptions = {}): Promise<string[]> {
  const resolved = { ...DEFAULTS, clock: new SystemClock(), ...options };
  const dataSource = tickwheelDataSource(target, resolved);
  try {
    await dataSource.initialize();
    return await migrateUnderLock(dataSource, resolved);
  } catch (error) {
    throw translateDriverError(error, "migrate");
  } finally {
    if (dataSource.isInitialized) await dataSource.destroy();
  }
}

/**
 * Whether this release can work on the schema as it is; for starts without `migrate`.
 *
 * @throws TickwheelError `STORE_INCOMPATIBLE`, `STORE_UNAVAILABLE`
 */
export async function requireCompatibleStore(target: PostgresTarget, options: MigrateOptions = {}): Promise<void> {
  const { schema = DEFAULT_SCHEMA, migrations = MIGRATIONS } = options;
  const dataSource = tickwheelDataSource(target, options);
  try {
    await dataSource.initialize();
    await requireCompatibleSchema(dataSource, { schema, migrations });
  } catch (error) {
    throw translateDriverError(error, "check the schema");
  } finally {
    if (dataSource.isInitialized) await dataSource.destroy();
  }
}

/** A data source for our tables: its own two connections, our entities and migrations, no synchronisation, no log. Not yet initialised. */
export function tickwheelDataSource(target: PostgresTarget, options: MigrateOptions = {}): DataSource {
  const { schema, clock, telemetry, transactionPooling, migrations, partitionDaysAhead } = { ...DEFAULTS, ...options };
  const quoted = quoteSchema(schema);
  const context = { schema: quoted, clock: clock ?? new SystemClock(), telemetry, setsSession: !transactionPooling };
  const last = migrations.at(-1);
  return new DataSource({
    ...driverOf(target),
    type: "postgres",
    extra: connectionSettings(target),
    schema: quoted.slice(1, -1),
    entities: [...ENTITIES],
    migrations: [
      FirstSchema1763700000000,
      ...migrations.map((one) =>
        typeormMigration(one.name, async (runner) => {
          const steps = new StepRunner(runner, context);
          await steps.runAll(one);
          // Before the last is noted as done: a run that is killed here makes them the next time.
          if (one === last) await makePartitions(steps, context.schema, partitionDaysAhead);
        }),
      ),
    ],
    migrationsTableName: "migration",
    migrationsTransactionMode: "each",
    installExtensions: false,
    logger: SILENT,
    connectTimeoutMS: CONNECT_LIMIT_MS,
    poolSize: 2,
  });
}

const DEFAULTS = {
  schema: DEFAULT_SCHEMA,
  partitionDaysAhead: undefined as number | undefined,
  transactionPooling: false,
  telemetry: { emit: () => undefined } as Telemetry,
  migrations: MIGRATIONS,
};

/** TypeORM prints failed migrations on the console; they are thrown as well. */
const SILENT: Logger = {
  logQuery: () => undefined,
  logQueryError: () => undefined,
  logQuerySlow: () => undefined,
  logSchemaBuild: () => undefined,
  logMigration: () => undefined,
  log: () => undefined,
};

type Resolved = typeof DEFAULTS & { clock: Clock };

/** The application may bring another copy of `pg`. */
function driverOf(target: PostgresTarget): Pick<Extract<DataSourceOptions, { type: "postgres" }>, "driver"> {
  return target instanceof DataSource && target.options.type === "postgres" ? { driver: target.options.driver } : {};
}

async function migrateUnderLock(dataSource: DataSource, options: Resolved): Promise<string[]> {
  const { schema, clock, telemetry, migrations, partitionDaysAhead } = options;
  await requireSupportedServer(dataSource);
  // Not the name that 0.1's nodes took at their start: they wait for it in a statement, and an index would wait for their snapshot for ever.
  const lock = await MigrationLock.take(dataSource, { name: `tickwheel schema ${schema}`, clock, telemetry });
  try {
    const [found] = (await dataSource.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema])) as unknown[];
    if (!found) await dataSource.query(`CREATE SCHEMA IF NOT EXISTS ${quoteSchema(schema)}`);
    await requireCompatibleSchema(dataSource, { schema, migrations });
    const ran = await dataSource.runMigrations({ transaction: "each" });
    if (partitionDaysAhead !== undefined) await makeMorePartitions(dataSource, options);
    return ran.map(({ name }) => name);
  } finally {
    await lock.release();
  }
}

/** So that no row of the first days falls into a default partition. From then on the nodes make them. */
async function makePartitions(steps: StepRunner, schema: QuotedSchema, daysAhead: number | undefined): Promise<void> {
  const session: Session = {
    run: async (statement, parameters) =>
      (await steps.query(statement.sql(schema), statement.values(parameters))).map((row) => statement.read(row)),
  };
  for (const partition of await missingPartitions(session, { asOf: null, daysAhead })) {
    await steps.transaction(`partition ${partition.name}`, createPartitionSql(schema, partition));
  }
  for (const name of await session.run(listUnidentified, null)) {
    await steps.transaction(`identity of ${name}`, identifySql(schema, name));
  }
}

async function makeMorePartitions(dataSource: DataSource, options: Resolved): Promise<void> {
  const { clock, telemetry, transactionPooling, partitionDaysAhead } = options;
  const schema = quoteSchema(options.schema);
  const runner = dataSource.createQueryRunner();
  const steps = new StepRunner(runner, { schema, clock, telemetry, setsSession: !transactionPooling });
  try {
    await makePartitions(steps, schema, partitionDaysAhead);
  } finally {
    await runner.release();
  }
}

/** Newer nodes may have changed the schema so that this one would read or write it wrongly: they have left a note then. */
async function requireCompatibleSchema(
  dataSource: DataSource,
  { schema, migrations }: { schema: string; migrations: readonly Migration[] },
): Promise<void> {
  const table = `${quoteSchema(schema)}.compatibility`;
  const [found] = (await dataSource.query("SELECT to_regclass($1) AS found", [table])) as { found: unknown }[];
  if (!found?.found) return;
  const [row] = (await dataSource.query(`SELECT oldest_migration::float8 AS oldest FROM ${table}`)) as {
    oldest: number;
  }[];
  const known = Math.max(...migrations.map(({ name }) => instantOf(name)));
  if (!row || row.oldest <= known) return;
  throw new TickwheelError(
    "STORE_INCOMPATIBLE",
    `The schema "${schema}" is for newer nodes: they know its migration ${row.oldest}, this one knows those up to ${known}. Upgrade this node.`,
    { details: { schema, oldestMigration: row.oldest, newestKnown: known } },
  );
}

async function requireSupportedServer(dataSource: DataSource): Promise<void> {
  const [row] = (await dataSource.query("SELECT current_setting('server_version') AS version")) as {
    version: string;
  }[];
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
