import type { DataSource, DataSourceOptions } from "typeorm";
import type { ConnectionOptions } from "./postgres-database.js";

export type { ConnectionOptions };

type PostgresDataSourceOptions = Extract<DataSourceOptions, { type: "postgres" }>;

/** Where Postgres is: a url, `pg`'s own settings, or the application's data source. */
export type PostgresTarget = string | ConnectionOptions | DataSource;

/**
 * Of a data source's `extra`, what is not about reaching the server: the size and the habits of its pool, its own
 * time-outs, how its results are read. Ours are our own.
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

/** The settings of a connection like the target's own; a replicated data source's are those of its master. */
export function connectionOptions(target: PostgresTarget): ConnectionOptions {
  if (typeof target === "string") return { connectionString: target };
  return isDataSource(target) ? settingsOfDataSource(target) : target;
}

/** Null: it is no Postgres. */
export function connectionOf(dataSource: DataSource): ConnectionOptions | null {
  return dataSource.options.type === "postgres" ? settingsOfDataSource(dataSource) : null;
}

function isDataSource(target: ConnectionOptions | DataSource): target is DataSource {
  return "options" in target && typeof target.options === "object";
}

/** As TypeORM hands them to `pg`. */
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

/** `pg` hides the key in the application's own object, so that a plain copy would be without it. */
function copyOfSsl<Ssl>(ssl: Ssl): Ssl {
  if (typeof ssl !== "object" || ssl === null) return ssl;
  const { key } = ssl as { key?: unknown };
  return { ...ssl, ...(key === undefined ? {} : { key }) };
}

/**
 * Settings that can be sent to another thread, without the password, which may be a function; null where something else
 * of them cannot, such as a `checkServerIdentity` or a `stream` of the application's.
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
