import { Redis, ReplyError } from "ioredis";
import type { RedisStreamTarget } from "./broker-targets.js";
import {
  BROKER_LIMIT_MS,
  BrokerAwayError,
  type BrokerConnection,
  type BrokerMessage,
  PublishRefusedError,
} from "./broker-connection.js";

/** Answers that concern all of Redis, not this stream; nothing was written. */
const OF_THE_SERVER = /^(OOM|READONLY|LOADING|MISCONF|MASTERDOWN|CLUSTERDOWN|NOREPLICAS|NOAUTH|WRONGPASS|NOPERM)/;

/**
 * Connects to Redis. A message is an entry of a stream with the fields `id`, `type`, `key`, `payload` and `headers`
 * (JSON). It counts when the primary has answered: whether it outlives the primary is up to `appendfsync` and its
 * replicas.
 */
export async function connectRedisStream({ url, maxLength, client }: RedisStreamTarget): Promise<BrokerConnection> {
  const options = {
    ...client,
    lazyConnect: true,
    connectTimeout: BROKER_LIMIT_MS,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    // What is lost is connected to anew by the next message.
    retryStrategy: () => null,
  };
  const redis = url === undefined ? new Redis(options) : new Redis(url, options);
  // An error is told by the promises of those who publish; unheard it would be written to the log.
  redis.on("error", () => {});
  await redis.connect();
  return new StreamConnection(redis, maxLength);
}

class StreamConnection implements BrokerConnection {
  constructor(
    private readonly redis: Redis,
    private readonly maxLength: number | undefined,
  ) {}

  get isOpen(): boolean {
    return this.redis.status === "ready";
  }

  async publish({ id, type, key, subject, headers, body }: BrokerMessage): Promise<{ entry: string | null }> {
    const bound = this.maxLength === undefined ? [] : ["MAXLEN", "~", this.maxLength];
    const fields = { id, type, key, payload: body, headers: JSON.stringify(headers) };
    try {
      const entry = (await this.redis.call("XADD", subject, ...bound, "*", ...Object.entries(fields).flat())) as string;
      return { entry };
    } catch (error) {
      if (!(error instanceof ReplyError)) throw error;
      const { message } = error as Error;
      throw OF_THE_SERVER.test(message) ? new BrokerAwayError(message) : new PublishRefusedError(message);
    }
  }

  async close(): Promise<void> {
    this.redis.disconnect();
    await Promise.resolve();
  }
}
