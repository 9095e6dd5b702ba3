/**
 * The part of this library that a heartbeat's thread needs. It leaves out the ORM, which takes longer to load than a
 * first beat may be late.
 */
export { PostgresClusterStore } from "./stores/postgres-cluster-store.js";
export type { ConnectionOptions } from "./connection/connection-options.js";
export { PostgresDatabase, type PostgresDatabaseOptions } from "./connection/postgres-database.js";
