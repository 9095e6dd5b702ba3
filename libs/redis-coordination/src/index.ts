export { RedisCoordination, type RedisCoordinationOptions } from "./redis-coordination.js";
