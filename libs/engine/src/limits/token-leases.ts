import {
  type Clock,
  type ClockTimer,
  type FlowLimit,
  type LimitId,
  type LimitStore,
  type Random,
  tokensIn,
  type TypeId,
} from "@tickwheel/core";
import type { Health } from "@tickwheel/coordination";
import type { LimitsOfType } from "../types/limits-in-force.js";

/** Tokens are good for this long from the sending of the question on, and it asks for what the rate gives in it. */
const LEASE_MS = 250;
/** After a question that failed. */
const RETRY_MS = 250;
/** Behind the instant of the next token, at random, so that nodes do not meet. */
const SPREAD_MS = 50;
/** The longest that a node waits before it asks again: the rate may have been changed meanwhile. */
const LONGEST_WAIT_MS = 60_000;
const OPERATION = "taking tokens";

interface LeaseParts {
  clock: Clock;
  random: Pick<Random, "next">;
  health: Pick<Health, "attempt">;
  store: Pick<LimitStore, "takeTokens">;
  limitsOf: (typeId: TypeId) => LimitsOfType;
  /** How many tasks of a type wait to be claimed here. */
  waiting: (typeId: TypeId) => number;
  /** There may be tokens. */
  changed: () => void;
  /** A rate is gone: the settings have changed. */
  outdated: () => void;
  /** Called with how many were granted. */
  granted: (tokens: number) => void;
}

class Lease {
  tokens = 0;
  goodUntilMonoMs = -Infinity;
  isAsking = false;
  /** Until it fires nothing is asked. */
  timer: ClockTimer | null = null;
}

/**
 * [tokens-by-the-store]: tokens of rates, which a node takes from the store for a moment. A claim spends one for each
 * task; a task that is not started after all gives its own back while it is good. Tokens that are not spent in time are
 * lost, as with a node that dies: so fewer tasks may start than the rate allows, never more. Bounded by the limits that
 * there are.
 */
export class TokenLeases {
  private readonly leases = new Map<LimitId, Lease>();

  constructor(private readonly parts: LeaseParts) {}

  /** Whether a task of this type may be claimed as far as its rates go. Asks for tokens where there are none. */
  isOpen(typeId: TypeId): boolean {
    const { rated } = this.parts.limitsOf(typeId);
    if (rated.length === 0) return true;
    let isOpen = true;
    for (const limit of rated) {
      if (this.left(limit.id) >= 1) continue;
      isOpen = false;
      this.askSoon(limit, typeId);
    }
    return isOpen;
  }

  /** A task of this type is being claimed. */
  spend(typeId: TypeId): void {
    for (const { id } of this.parts.limitsOf(typeId).rated) {
      const lease = this.leases.get(id);
      if (lease) lease.tokens = Math.max(0, lease.tokens - 1);
    }
  }

  /** It was not claimed, or will not start. */
  giveBack(typeId: TypeId): void {
    for (const { id } of this.parts.limitsOf(typeId).rated) if (this.isGood(id)) this.leases.get(id)!.tokens++;
  }

  /** The rates may be others now. Tokens that the old ones granted are lost. */
  reset(): void {
    for (const { timer } of this.leases.values()) timer?.clear();
    this.leases.clear();
  }

  private isRated(typeId: TypeId, limitId: LimitId): boolean {
    return this.parts.limitsOf(typeId).rated.some(({ id }) => id === limitId);
  }

  private left(limitId: LimitId): number {
    return this.isGood(limitId) ? this.leases.get(limitId)!.tokens : 0;
  }

  private isGood(limitId: LimitId): boolean {
    const lease = this.leases.get(limitId);
    return lease !== undefined && this.parts.clock.monotonicMs() < lease.goodUntilMonoMs;
  }

  private askSoon(limit: FlowLimit, typeId: TypeId): void {
    const lease = this.leases.get(limit.id) ?? new Lease();
    this.leases.set(limit.id, lease);
    if (lease.isAsking || lease.timer !== null) return;
    lease.isAsking = true;
    void this.ask(lease, { limit, typeId });
  }

  private async ask(lease: Lease, { limit, typeId }: { limit: FlowLimit; typeId: TypeId }): Promise<void> {
    const { clock, health, store, waiting, granted, outdated, changed } = this.parts;
    const sentMonoMs = clock.monotonicMs();
    const most = Math.max(1, Math.min(waiting(typeId), Math.ceil(tokensIn(limit.rate!, LEASE_MS))));
    const isTried = (): boolean => waiting(typeId) > 0 && this.isRated(typeId, limit.id);
    const asked = await health.attempt(OPERATION, () => store.takeTokens({ limitId: limit.id, most }), isTried);
    lease.isAsking = false;
    if (this.leases.get(limit.id) !== lease) return;
    if (!asked.ok) return this.pause(lease, RETRY_MS);
    if (asked.value === null) {
      this.pause(lease, RETRY_MS);
      return outdated();
    }
    lease.tokens = asked.value.granted;
    lease.goodUntilMonoMs = sentMonoMs + LEASE_MS;
    granted(asked.value.granted);
    if (asked.value.nextMs > 0) this.pause(lease, this.waitMs(asked.value.nextMs));
    if (asked.value.granted > 0) changed();
  }

  private pause(lease: Lease, forMs: number): void {
    lease.timer = this.parts.clock.setTimer(forMs, () => {
      lease.timer = null;
      this.parts.changed();
    });
  }

  private waitMs(nextMs: number): number {
    const spreadMs = Math.min(nextMs, SPREAD_MS) * this.parts.random.next();
    return Math.min(LONGEST_WAIT_MS, Math.ceil(nextMs + spreadMs));
  }
}
