export { ENTITIES } from "./entities/entities.js";
export { migrate, type MigrateOptions, OLDEST_POSTGRES_MAJOR, tickwheelDataSource } from "./migrate.js";
export { openPostgres, type OpenPostgresOptions, type PostgresStores } from "./open-postgres.js";
export { PostgresApiKeyStore } from "./postgres-api-key-store.js";
export { PostgresClusterStore, type PostgresClusterStoreOptions } from "./postgres-cluster-store.js";
export { PostgresCoordination, type PostgresCoordinationOptions } from "./postgres-coordination.js";
export { DEFAULT_SCHEMA, PostgresDatabase, type PostgresDatabaseOptions } from "./postgres-database.js";
export { PostgresTaskStore, type PostgresTaskStoreOptions } from "./postgres-task-store.js";
export { MAX_WAITING_READS, READ_CONNECTIONS, READ_TIMEOUT_MS } from "./read-pool.js";
