import { type Clock, SystemClock, type Telemetry, TickwheelError } from "@tickwheel/core";
import { DataSource, type DataSourceOptions, type Logger, type QueryRunner } from "typeorm";
import { connectionOptions, type PostgresTarget } from "../connection/connection-settings.js";
import { translateDriverError } from "../connection/driver-errors.js";
import { requireCompatibleSchema } from "./compatibility.js";
import { MIGRATIONS } from "./migrations/all-migrations.js";
import { createFirstSchema, FIRST_SCHEMA } from "./migrations/first-schema.js";
import { MigrationLock } from "./migrations/migration-lock.js";
import { type Migration, typeormMigration } from "./migrations/migration.js";
import { StepRunner } from "./migrations/step-runner.js";
import { createPartitionSql, identifySql, missingPartitions } from "./partitions.js";
import { DEFAULT_SCHEMA } from "../connection/postgres-database.js";
import { type QuotedSchema, quoteSchema, type Session } from "../connection/session.js";
import { listUnidentified } from "../statements/upkeep/list-unidentified.js";

/** The oldest Postgres that is tested. */
export const OLDEST_POSTGRES_MAJOR = 15;

/** Without this limit a start would wait silently for a server that does not answer at all. */
const CONNECT_LIMIT_MS = 5_000;

export interface MigrateOptions {
  /** Default `tickwheel`. Made if it is missing. */
  schema?: string;
  /**
   * Partitions are made for today and this many days after it. It is meant for a separate role that migrates; nodes
   * themselves make seven days. Default 7.
   */
  partitionDaysAhead?: number;
  /** True through PgBouncer in transaction mode. Default false. */
  transactionPooling?: boolean;
  /** It is told what the migration does and what it waits for. */
  telemetry?: Telemetry;
  clock?: Clock;
  /** Only for tests. Default: all migrations of this release. */
  migrations?: readonly Migration[];
}

/**
 * Brings our schema up to date over a separate data source: nothing is registered with the application's entities, and
 * the list of migrations is a table of our schema. Answers the names of the migrations that it ran.
 *
 * Nodes of this release and the last may be at work: each step waits 100 ms for a lock and is then tried again, and
 * indexes are made while others write. Many nodes may start at once: an advisory lock lets one of them migrate, and the
 * others find it done. The process may be killed: the next run finds and finishes what was begun.
 *
 * @param target a URL, settings of `pg`, or the application's data source, whose connection settings are used
 * @throws TickwheelError `STORE_INCOMPATIBLE`: the server is older than Postgres 15, an unreleased version made the
 *   schema, or the schema is for newer nodes only; nothing was changed. `STORE_UNAVAILABLE`
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
 * Checks that this release can work on the schema as it is, for starts without `migrate`.
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

/**
 * A data source for our tables: two connections of its own, our migrations, no entities, no synchronisation, no log. It
 * is not yet initialised.
 */
function tickwheelDataSource(target: PostgresTarget, options: MigrateOptions = {}): DataSource {
  const { schema, clock, telemetry, transactionPooling, migrations, partitionDaysAhead } = { ...DEFAULTS, ...options };
  const quoted = quoteSchema(schema);
  const context = { schema: quoted, clock: clock ?? new SystemClock(), telemetry, setsSession: !transactionPooling };
  const last = migrations.at(-1);
  return new DataSource({
    ...driverOf(target),
    type: "postgres",
    extra: connectionOptions(target),
    schema: quoted.slice(1, -1),
    migrations: [
      typeormMigration({ name: FIRST_SCHEMA, isWhole: true }, async (runner) => {
        await createFirstSchema(runner, quoted);
        await makePartitions(inItsTransaction(runner), quoted, partitionDaysAhead);
      }),
      ...migrations.map((one) =>
        typeormMigration({ name: one.name, isWhole: false }, async (runner) => {
          const steps = new StepRunner(runner, context);
          await steps.runAll(one);
          // The partitions are made before the last migration is noted as done, so a run that is killed here makes them
          // the next time.
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

/** Silences TypeORM, which prints failed migrations on the console: the errors are thrown as well. */
const SILENT: Logger = {
  logQuery: () => undefined,
  logQueryError: () => undefined,
  logQuerySlow: () => undefined,
  logSchemaBuild: () => undefined,
  logMigration: () => undefined,
  log: () => undefined,
};

type Resolved = typeof DEFAULTS & { clock: Clock };

/** The application's data source may bring its own copy of `pg`. */
function driverOf(target: PostgresTarget): Pick<Extract<DataSourceOptions, { type: "postgres" }>, "driver"> {
  return target instanceof DataSource && target.options.type === "postgres" ? { driver: target.options.driver } : {};
}

async function migrateUnderLock(dataSource: DataSource, options: Resolved): Promise<string[]> {
  const { schema, clock, telemetry, migrations, partitionDaysAhead } = options;
  await requireSupportedServer(dataSource);
  const lock = await MigrationLock.take(dataSource, { name: `tickwheel schema ${schema}`, clock, telemetry });
  try {
    const [found] = (await dataSource.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema])) as unknown[];
    if (!found) await dataSource.query(`CREATE SCHEMA IF NOT EXISTS ${quoteSchema(schema)}`);
    await requireCompatibleSchema(dataSource, { schema, migrations });
    const startMonoMs = clock.monotonicMs();
    const ran = await dataSource.runMigrations({ transaction: "each" });
    if (ran.some(({ name }) => name === FIRST_SCHEMA)) tellMade(options, clock.monotonicMs() - startMonoMs);
    if (partitionDaysAhead !== undefined) await makeMorePartitions(dataSource, options);
    return ran.map(({ name }) => name);
  } finally {
    await lock.release();
  }
}

function tellMade({ schema, telemetry }: Resolved, tookMs: number): void {
  const ms = Math.round(tookMs);
  const message = `The schema "${schema}" is made, in ${ms} ms`;
  telemetry.emit({ name: "store.schema.made", level: "info", message, facts: { schema, tookMs: ms } });
}

/** Runs the changes that make partitions: each in its own transaction, or all in the open one. */
type PartitionSteps = Pick<StepRunner, "query" | "transaction">;

/** For an empty schema: nobody else uses its tables yet, so no change waits for a lock. */
function inItsTransaction(runner: QueryRunner): PartitionSteps {
  const query: PartitionSteps["query"] = (sql, values) =>
    runner.query(sql, values) as Promise<Record<string, unknown>[]>;
  return { query, transaction: async (_doing, sql) => void (await query(sql)) };
}

/**
 * Makes the partitions of the first days, so that no row falls into a default partition. Later ones are made by the
 * nodes.
 */
async function makePartitions(
  steps: PartitionSteps,
  schema: QuotedSchema,
  daysAhead: number | undefined,
): Promise<void> {
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
