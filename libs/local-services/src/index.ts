export { findChromium, type Chromium } from "./programs/chromium.js";
export { debianTool, type DebianTool } from "./programs/debian-tool.js";
export { freePort } from "./processes/free-port.js";
export {
  LocalServiceError,
  RedisUnavailableError,
  type LocalServiceErrorCode,
} from "./processes/local-service-error.js";
export type { PostgresMajor } from "./postgres/postgres-binaries.js";
export type { PostgresSettings } from "./postgres/postgres-launch.js";
export type { PostgresService, ShutdownMode } from "./postgres/postgres-service.js";
export { startRedis, type RedisService, type StartRedisOptions } from "./redis/redis-service.js";
export {
  attachOrStartPostgres,
  startPostgres,
  type AttachedPostgres,
  type PostgresOptions,
  type StartPostgresOptions,
} from "./postgres/start-postgres.js";
export { ServiceStack, type Stoppable } from "./stack/service-stack.js";
