import type { DataSource, DataSourceOptions } from "typeorm";
import type { ConnectionOptions } from "./connection-options.js";

export type { ConnectionOptions };

type PostgresDataSourceOptions = Extract<DataSourceOptions, { type: "postgres" }>;

/** How to reach Postgres: a URL, `pg`'s own settings, or the application's data source. */
export type PostgresTarget = string | ConnectionOptions | DataSource;

/**
 * The settings in a data source's `extra` that do not concern how the server is reached: the size and behaviour of its
 * pool, its time-outs, how its results are read. Tickwheel has its own values for these.
 */
const NOT_OURS = new Set([
  "min",
  "max",
  "poolSize",
  "idleTimeoutMillis",
  "maxUses",
  "maxLifetimeSeconds",
  "allowExitOnIdle",
  "log",
  "verify",
  "onConnect",
  "Client",
  "Promise",
  "pipeline",
  "connectionTimeoutMillis",
  "query_timeout",
  "statement_timeout",
  "idle_in_transaction_session_timeout",
  "types",
  "binary",
  "parseInputDatesAsUTC",
  "application_name",
]);

/**
 * The settings for a connection like the target's own. For a replicated data source these are the settings of its
 * master.
 */
export function connectionOptions(target: PostgresTarget): ConnectionOptions {
  if (typeof target === "string") return { connectionString: target };
  return isDataSource(target) ? settingsOfDataSource(target) : target;
}

/** Null: the data source is not Postgres. */
export function connectionOf(dataSource: DataSource): ConnectionOptions | null {
  return dataSource.options.type === "postgres" ? settingsOfDataSource(dataSource) : null;
}

function isDataSource(target: ConnectionOptions | DataSource): target is DataSource {
  return "options" in target && typeof target.options === "object";
}

/** The settings as TypeORM passes them to `pg`. */
function settingsOfDataSource(dataSource: DataSource): ConnectionOptions {
  const options = dataSource.options as PostgresDataSourceOptions;
  const { url, host, port, username, password, database, ssl } = options.replication?.master ?? options;
  const extra = Object.entries((options.extra ?? {}) as Record<string, unknown>);
  const given = {
    connectionString: url,
    host,
    port,
    user: username,
    password,
    database,
    ssl: copyOfSsl(ssl),
    ...Object.fromEntries(extra.filter(([name]) => !NOT_OURS.has(name))),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as ConnectionOptions;
}

/** `pg` makes the key non-enumerable in the application's own object, so a plain copy would lack it. */
function copyOfSsl<Ssl>(ssl: Ssl): Ssl {
  if (typeof ssl !== "object" || ssl === null) return ssl;
  const { key } = ssl as { key?: unknown };
  return { ...ssl, ...(key === undefined ? {} : { key }) };
}

/**
 * The settings without the password, which may be a function, so that they can be sent to another thread. Null: another
 * setting cannot be sent, such as the application's own `checkServerIdentity` or `stream`.
 */
export function threadableSettings(settings: ConnectionOptions): Omit<ConnectionOptions, "password"> | null {
  const { password: _password, ssl, ...others } = settings;
  const sent = { ...others, ...(ssl === undefined ? {} : { ssl: copyOfSsl(ssl) }) };
  try {
    structuredClone(sent);
    return sent;
  } catch {
    return null;
  }
}
