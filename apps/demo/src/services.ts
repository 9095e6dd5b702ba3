import {
  RedisUnavailableError,
  type RedisService,
  type ServiceStack,
  startPostgres,
  startRedis,
} from "@tickwheel/local-services";
import type { DemoOptions } from "./options.js";

/** The servers that the cluster uses. */
export interface Services {
  databaseUrl: string;
  /** Whether the database is one that the demo has just made. */
  isDatabaseFresh: boolean;
  redisUrl: string | null;
  /** The Redis that the demo started, if it did. */
  ownRedis: RedisService | null;
}

/**
 * Finds or starts Postgres and Redis. Without any Redis on the machine it says how to install one and goes on without.
 *
 * @throws LocalServiceError when Postgres cannot be started
 */
export async function startServices(
  stack: ServiceStack,
  { usesRedis }: Pick<DemoOptions, "usesRedis">,
  say: (line: string) => void,
): Promise<Services> {
  const { DATABASE_URL, REDIS_URL } = process.env;
  const databaseUrl = DATABASE_URL || (await stack.add(await startPostgres())).url;
  say(`Postgres: ${DATABASE_URL ? "DATABASE_URL" : "embedded, in a fresh folder"}`);
  const ownRedis = usesRedis && !REDIS_URL ? await startRedisIfAny(stack, say) : null;
  const redisUrl = usesRedis ? REDIS_URL || (ownRedis?.url ?? null) : null;
  say(
    `Redis: ${redisUrl === null ? "none, the nodes coordinate through Postgres" : REDIS_URL ? "REDIS_URL" : redisUrl}`,
  );
  return { databaseUrl, isDatabaseFresh: !DATABASE_URL, redisUrl, ownRedis };
}

async function startRedisIfAny(stack: ServiceStack, say: (line: string) => void): Promise<RedisService | null> {
  try {
    return await stack.add(await startRedis());
  } catch (error) {
    if (!(error instanceof RedisUnavailableError)) throw error;
    say(error.message);
    return null;
  }
}
