import type { Clock } from "@tickwheel/core";
import { Redis, type RedisOptions } from "ioredis";
import { clusterConnector } from "./cluster-connector.js";
import { isClient, isCluster, type RedisSource } from "./redis-source.js";

/** No call waits longer, whatever Redis does. */
export const CALL_LIMIT_MS = 250;
/** A connection on which nothing is answered for this long is given up and made anew. */
const SILENT_LIMIT_MS = 1_000;
const CONNECT_LIMIT_MS = 1_000;
const MAX_RECONNECT_MS = 1_000;
const RECONNECT_STEP_MS = 100;

/** What a server answers that is no longer the one to ask: after it, the connection is made anew. */
const ELSEWHERE = /^(MOVED|READONLY|CLUSTERDOWN|MASTERDOWN)\b/;

const retryStrategy = (attempts: number): number => Math.min(attempts * RECONNECT_STEP_MS, MAX_RECONNECT_MS);

const CONNECTION_OPTIONS: RedisOptions = {
  lazyConnect: true,
  enableOfflineQueue: false,
  autoResubscribe: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  commandTimeout: CALL_LIMIT_MS,
  socketTimeout: SILENT_LIMIT_MS,
  connectTimeout: CONNECT_LIMIT_MS,
  retryStrategy,
  reconnectOnError: (error) => ELSEWHERE.test(error.message),
  sentinelRetryStrategy: retryStrategy,
  sentinelCommandTimeout: CALL_LIMIT_MS,
};

/** The options of a connection that only asks a node of a Cluster where to go. */
const ASKING_OPTIONS: RedisOptions = {
  lazyConnect: true,
  enableReadyCheck: false,
  retryStrategy: () => null,
  commandTimeout: CALL_LIMIT_MS,
  connectTimeout: CONNECT_LIMIT_MS,
};

export interface RedisConnectionOptions {
  source: RedisSource;
  clock: Clock;
  /** In a Cluster, the master of its slot is connected to. */
  key: string;
  /** Called whenever the connection stands. Default: nothing. */
  onReady?: () => void;
}

/**
 * One connection that makes itself anew, for ever, and never makes anybody wait: a call is answered within
 * {@link CALL_LIMIT_MS} or failed, and while there is no connection it has failed at once. No call throws.
 */
export class RedisConnection {
  readonly client: Redis;
  private lastError: string | null = null;
  private failed: string | null = null;
  private ended = true;
  private clusterMaster: string | null = null;

  constructor(private readonly options: RedisConnectionOptions) {
    this.client = this.makeClient();
    this.client.on("error", (error: Error) => (this.lastError = error.message || error.name));
    this.client.on("ready", () => {
      this.lastError = null;
      this.failed = null;
      options.onReady?.();
    });
  }

  /** The master of a Cluster that it is connected to, or will be; null: there is no Cluster. */
  get master(): string | null {
    return this.clusterMaster;
  }

  /** Waits a little for the first connection; without one it goes on trying. */
  async open(): Promise<void> {
    if (!this.ended) return;
    this.ended = false;
    const connected = this.client.connect().catch(() => undefined);
    await this.within(CONNECT_LIMIT_MS, connected);
  }

  async close(): Promise<void> {
    this.ended = true;
    if (this.client.status === "end") return;
    // A client can be connected again only once it has ended.
    const ended = new Promise<void>((resolve) => this.client.once("end", resolve));
    this.client.disconnect();
    await this.within(CALL_LIMIT_MS, ended);
  }

  /** Why it does not work just now; null: it does. */
  get trouble(): string | null {
    if (this.ended) return "not started";
    return this.isReady ? this.failed : (this.lastError ?? "not connected");
  }

  get isReady(): boolean {
    return this.client.status === "ready";
  }

  /** The answer, or null where there was none in time. */
  async call<T>(run: (client: Redis) => Promise<T>): Promise<T | null> {
    if (!this.isReady) return null;
    const answer = await this.within(CALL_LIMIT_MS, attempt(run(this.client)));
    if (answer === null) this.failed = `no answer within ${CALL_LIMIT_MS} ms`;
    else this.failed = answer.ok ? null : answer.message;
    return answer?.ok === true ? answer.value : null;
  }

  private makeClient(): Redis {
    const { source, clock, key } = this.options;
    if (typeof source === "string") return new Redis(source, CONNECTION_OPTIONS);
    if (isClient(source)) return source.duplicate(CONNECTION_OPTIONS);
    if (!isCluster(source)) return new Redis({ ...source, ...CONNECTION_OPTIONS });
    const onMaster = (address: string): void => void (this.clusterMaster = address);
    const Connector = clusterConnector({ cluster: source, key, clock, asking: ASKING_OPTIONS, onMaster });
    return new Redis({ ...source.options?.redisOptions, ...CONNECTION_OPTIONS, Connector });
  }

  private within<T>(limitMs: number, work: Promise<T>): Promise<T | null> {
    return new Promise((resolve, reject) => {
      const timer = this.options.clock.setTimer(limitMs, () => resolve(null));
      void work.finally(() => timer.clear()).then(resolve, reject);
    });
  }
}

type Attempt<T> = { ok: true; value: T } | { ok: false; message: string };

function attempt<T>(work: Promise<T>): Promise<Attempt<T>> {
  return work.then(
    (value) => ({ ok: true, value }),
    (error: unknown) => ({ ok: false, message: error instanceof Error ? error.message : String(error) }),
  );
}
