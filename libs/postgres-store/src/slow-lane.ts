import { TickwheelError } from "@tickwheel/core";
import { isLockConflict } from "./driver-errors.js";
import type { PostgresDatabase } from "./postgres-database.js";

/** How an attempt waits for others' locks. */
export interface LockWait {
  lockTimeoutMs: number;
  statementTimeoutMs: number;
}

/** A caller's own open transaction is waited for this long, then the request fails. */
const SLOW_LOCK_TIMEOUT_MS = 30_000;
const MAX_WAITING = 1_000;

/**
 * Keeps one caller's open transaction from stalling everybody else. A write first tries with a short wait for locks; if somebody holds
 * one of its rows longer it goes to the slow lane: a connection of its own, one write after the other. While a name waits there, further
 * writes under that name go there directly and spend no connection of the pool on waiting.
 *
 * At most 1,000 writes wait; beyond that, and after 30 s, they fail with `STORE_UNAVAILABLE` and have changed nothing.
 */
export class SlowLane {
  private readonly waiting = new Map<string, number>();
  private readonly slow: PostgresDatabase;
  private tail: Promise<unknown> = Promise.resolve();
  private length = 0;

  constructor(
    private readonly fast: PostgresDatabase,
    private readonly lockTimeoutMs: number,
  ) {
    this.slow = fast.sibling(1);
  }

  /** Connections that the lane takes at most. */
  get connectionCount(): number {
    return this.slow.connectionCount;
  }

  /**
   * @param names of the rows that the write may have to wait for
   * @param attempt the write; run a second time after the first was rolled back
   */
  async run<Result>(
    names: readonly string[],
    attempt: (database: PostgresDatabase, wait: LockWait) => Promise<Result>,
  ): Promise<Result> {
    if (!names.some((name) => this.waiting.has(name))) {
      try {
        const { lockTimeoutMs } = this;
        return await attempt(this.fast, { lockTimeoutMs, statementTimeoutMs: this.fast.statementTimeoutMs });
      } catch (error) {
        if (!isLockConflict(error)) throw error;
      }
    }
    return this.enqueue(names, () => {
      this.slow.useApplicationName(this.fast.applicationName);
      const lockTimeoutMs = SLOW_LOCK_TIMEOUT_MS;
      return attempt(this.slow, { lockTimeoutMs, statementTimeoutMs: lockTimeoutMs + this.fast.statementTimeoutMs });
    });
  }

  async close(): Promise<void> {
    await this.slow.close();
  }

  private async enqueue<Result>(names: readonly string[], work: () => Promise<Result>): Promise<Result> {
    if (this.length >= MAX_WAITING) {
      throw new TickwheelError("STORE_UNAVAILABLE", `${MAX_WAITING} writes wait for rows that others hold`);
    }
    this.length++;
    for (const name of names) this.waiting.set(name, (this.waiting.get(name) ?? 0) + 1);
    const result = this.tail.then(work, work);
    this.tail = result.catch(() => {});
    try {
      return await result;
    } finally {
      this.length--;
      for (const name of names) this.forget(name);
    }
  }

  private forget(name: string): void {
    const left = (this.waiting.get(name) ?? 1) - 1;
    if (left > 0) this.waiting.set(name, left);
    else this.waiting.delete(name);
  }
}
