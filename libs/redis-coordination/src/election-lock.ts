import type { Clock } from "@tickwheel/core";
import type { Redis } from "ioredis";
import Redlock from "redlock";
import type { RedisConnection } from "./redis-connection.js";

/** Redlock's own allowance for clocks that run at different speeds. */
const DRIFT_FACTOR = 0.01;
const DRIFT_MS = 2;

/**
 * The lock that keeps candidates from colliding, by Redlock on one Redis. It proves nothing: the term in Postgres
 * decides.
 *
 * Whether we hold it is judged by the monotonic clock from before the request, since Redlock's own `expiration` is wall
 * clock. A rejected extension means that it is lost: Redlock has given it back by then, though its lock object still
 * looks valid.
 */
export class ElectionLock {
  private readonly redlock: Redlock;
  private held: { lock: Redlock.Lock; untilMonoMs: number } | null = null;

  constructor(
    private readonly connection: RedisConnection,
    private readonly clock: Clock,
    private readonly key: string,
  ) {
    // Its types know ioredis 4 only; retries are ours to make, and it heeds their number nowhere but here.
    this.redlock = new Redlock([connection.client as Redis as unknown as Redlock.CompatibleRedisClient], {
      retryCount: 0,
      driftFactor: DRIFT_FACTOR,
    });
  }

  async campaign(ttlMs: number): Promise<"held" | "refused" | "unavailable"> {
    const sentMonoMs = this.clock.monotonicMs();
    const { held } = this;
    this.held = null;
    const mine = held !== null && sentMonoMs < held.untilMonoMs ? held.lock : null;
    let clientFailed = false;
    const onClientError = (): void => void (clientFailed = true);
    this.redlock.on("clientError", onClientError);
    const lock = await this.connection.call(() => this.request(mine, ttlMs));
    this.redlock.off("clientError", onClientError);
    if (lock === null || clientFailed) return "unavailable";
    if (lock === "refused") return "refused";
    this.held = { lock, untilMonoMs: sentMonoMs + ttlMs * (1 - DRIFT_FACTOR) - DRIFT_MS };
    return "held";
  }

  async release(): Promise<void> {
    const { held } = this;
    this.held = null;
    if (held !== null) await this.connection.call(() => this.giveBack(held.lock));
  }

  /** A lock that is lost counts as given back: that Redlock complains about it is no trouble of Redis. */
  private async giveBack(lock: Redlock.Lock): Promise<void> {
    let clientError: Error | null = null;
    const onClientError = (error: Error): void => void (clientError = error);
    this.redlock.on("clientError", onClientError);
    await Promise.resolve(lock.unlock()).catch(() => undefined);
    this.redlock.off("clientError", onClientError);
    if (clientError !== null) throw clientError as Error;
  }

  private async request(mine: Redlock.Lock | null, ttlMs: number): Promise<Redlock.Lock | "refused"> {
    try {
      return await (mine === null ? this.redlock.lock(this.key, ttlMs) : mine.extend(ttlMs));
    } catch {
      return "refused";
    }
  }
}
