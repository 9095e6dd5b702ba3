export {
  connectionOf,
  connectionOptions,
  type ConnectionOptions,
  type PostgresTarget,
  threadableSettings,
} from "./connection/connection-settings.js";
export { migrate, type MigrateOptions, OLDEST_POSTGRES_MAJOR, requireCompatibleStore } from "./schema/migrate.js";
export { MIGRATIONS } from "./schema/migrations/all-migrations.js";
export type { IndexStep, Migration, MigrationStep, SqlStep } from "./schema/migrations/migration.js";
export { openPostgres, type OpenPostgresOptions, type PostgresStores } from "./opening/open-postgres.js";
export { type AllowedRole, SqlAccess, withSqlAccess } from "./opening/sql-access.js";
export { type TaskTrigger, taskTrigger, type TriggerMigration } from "./sql-interface/trigger-migration.js";
export { TestSchema } from "./opening/test-schema.js";
export { PostgresApiKeyStore } from "./stores/postgres-api-key-store.js";
export { PostgresClusterStore, type PostgresClusterStoreOptions } from "./stores/postgres-cluster-store.js";
export { PostgresCoordination, type PostgresCoordinationOptions } from "./messages/postgres-coordination.js";
export { DEFAULT_SCHEMA, PostgresDatabase, type PostgresDatabaseOptions } from "./connection/postgres-database.js";
export { PostgresScheduleStore } from "./stores/postgres-schedule-store.js";
export { PostgresSessionStore } from "./stores/postgres-session-store.js";
export { PostgresSettingStore } from "./stores/postgres-setting-store.js";
export { PostgresTaskStore, type PostgresTaskStoreOptions } from "./stores/postgres-task-store.js";
export { MAX_READS_OF_NAMESPACE, MAX_WAITING_READS } from "./connection/read-places.js";
export { READ_CONNECTIONS, READ_TIMEOUT_MS } from "./connection/read-pool.js";
