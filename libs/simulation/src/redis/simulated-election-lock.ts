import type { Clock } from "@tickwheel/core";
import type { RedisKeyspace } from "./redis-keyspace.js";
import type { SimulatedRedisConnection } from "./simulated-redis-connection.js";

const DRIFT_FACTOR = 0.01;
const DRIFT_MS = 2;
export const LEADER_KEY = "leader";

interface HeldLock {
  token: string;
  untilMonoMs: number;
}

/**
 * The election's lock by Redlock on one simulated Redis, step by step as `ElectionLock` and Redlock do it: a key with a
 * token of its own for each request; it is set only where there is none, extended and deleted only where it holds this
 * token. A request that was refused or failed is followed by a delete, so a lock that was taken without our knowing is
 * mostly given back.
 */
export class SimulatedElectionLock {
  private held: HeldLock | null = null;

  constructor(
    private readonly connection: SimulatedRedisConnection,
    private readonly clock: Clock,
    private readonly newToken: () => string,
  ) {}

  async campaign(ttlMs: number): Promise<"held" | "refused" | "unavailable"> {
    const sentMonoMs = this.clock.monotonicMs();
    const { held } = this;
    this.held = null;
    const mine = held !== null && sentMonoMs < held.untilMonoMs ? held : null;
    const token = mine?.token ?? this.newToken();
    const answer = await this.connection.call(() => this.request(token, { ttlMs, extends: mine !== null }));
    if (answer === null || answer === "failed") return "unavailable";
    if (!answer) return "refused";
    this.held = { token, untilMonoMs: sentMonoMs + ttlMs * (1 - DRIFT_FACTOR) - DRIFT_MS };
    return "held";
  }

  async release(): Promise<void> {
    const { held } = this;
    this.held = null;
    if (held !== null) await this.connection.call(() => this.unlock(held.token));
  }

  private async request(token: string, asked: { ttlMs: number; extends: boolean }): Promise<boolean | "failed"> {
    const take = (keys: RedisKeyspace): boolean => {
      const isFree = keys.get(LEADER_KEY) === (asked.extends ? token : undefined);
      if (isFree) keys.set(LEADER_KEY, token, asked.ttlMs);
      return isFree;
    };
    const taken = await this.connection.execute(take).catch(() => "failed" as const);
    if (taken === true) return true;
    const given = await this.unlock(token).catch(() => "failed" as const);
    return given === "failed" ? "failed" : taken;
  }

  private unlock(token: string): Promise<void> {
    return this.connection.execute((keys) => {
      if (keys.get(LEADER_KEY) === token) keys.delete(LEADER_KEY);
    });
  }
}
