/**
 * What a heartbeat's thread needs of this library, without the ORM: that takes longer to load than a first beat may be
 * late.
 */
export { PostgresClusterStore } from "./stores/postgres-cluster-store.js";
export {
  type ConnectionOptions,
  PostgresDatabase,
  type PostgresDatabaseOptions,
} from "./connection/postgres-database.js";
