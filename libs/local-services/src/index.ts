export { findChromium, type Chromium } from "./chromium.js";
export { debianTool, type DebianTool } from "./debian-tool.js";
export { freePort } from "./free-port.js";
export { LocalServiceError, RedisUnavailableError, type LocalServiceErrorCode } from "./local-service-error.js";
export type { PostgresMajor } from "./postgres-binaries.js";
export type { PostgresSettings } from "./postgres-launch.js";
export type { PostgresService, ShutdownMode } from "./postgres-service.js";
export { startRedis, type RedisService, type StartRedisOptions } from "./redis-service.js";
export {
  attachOrStartPostgres,
  startPostgres,
  type AttachedPostgres,
  type PostgresOptions,
  type StartPostgresOptions,
} from "./start-postgres.js";
export { ServiceStack, type Stoppable } from "./service-stack.js";
