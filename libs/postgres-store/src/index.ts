export { ENTITIES } from "./entities/entities.js";
export {
  connectionOf,
  connectionSettings,
  type ConnectionSettings,
  type PostgresTarget,
  threadableSettings,
} from "./connection-settings.js";
export {
  migrate,
  type MigrateOptions,
  OLDEST_POSTGRES_MAJOR,
  requireCompatibleStore,
  tickwheelDataSource,
} from "./migrate.js";
export { MIGRATIONS } from "./migrations/all-migrations.js";
export type { IndexStep, Migration, MigrationStep, SqlStep } from "./migrations/migration.js";
export { openPostgres, type OpenPostgresOptions, type PostgresStores } from "./open-postgres.js";
export { PostgresApiKeyStore } from "./postgres-api-key-store.js";
export { PostgresClusterStore, type PostgresClusterStoreOptions } from "./postgres-cluster-store.js";
export { PostgresCoordination, type PostgresCoordinationOptions } from "./postgres-coordination.js";
export { DEFAULT_SCHEMA, PostgresDatabase, type PostgresDatabaseOptions } from "./postgres-database.js";
export { PostgresTaskStore, type PostgresTaskStoreOptions } from "./postgres-task-store.js";
export { MAX_WAITING_READS, READ_CONNECTIONS, READ_TIMEOUT_MS } from "./read-pool.js";
