export { RedisCoordination, type RedisCoordinationOptions } from "./redis-coordination.js";
export { type RedisCluster, type RedisSource, sourceFaults, threadableSource } from "./redis-source.js";
