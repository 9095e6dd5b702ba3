import { SystemClock, TickwheelError } from "@tickwheel/core";
import { isLockConflict } from "./driver-errors.js";
import type { PostgresDatabase } from "./postgres-database.js";

/** How an attempt waits for others' locks. */
export interface LockWait {
  lockTimeoutMs: number;
  statementTimeoutMs: number;
}

/** A write of several parts that met a lock in the lane is tried so often before it waits with what it has locked. */
const PATIENT_ROUNDS = 3;
/** For another's open transaction a write waits this long, the time in the lane counted; then it fails. */
const DEFAULT_PATIENCE_MS = 30_000;
const MAX_WAITING = 1_000;

type Attempt<Result> = (database: PostgresDatabase, wait: LockWait) => Promise<Result>;

export interface PatientWrite<Result> {
  names: readonly string[];
  attempt: Attempt<Result>;
  probes?: readonly Attempt<unknown>[];
}

/**
 * Keeps one caller's open transaction from stalling everybody else. A write first tries with a short wait for locks; if somebody holds
 * one of its rows longer it goes to the slow lane: a connection of its own, one write after the other. While a name waits there, further
 * writes under that name go there directly and spend no connection of the pool on waiting.
 *
 * At most 1,000 writes wait; beyond that, and when their patience ends (30 s), they fail with `STORE_UNAVAILABLE` and have changed nothing. One
 * whose time passed behind others is still tried once, with a short wait.
 */
export class SlowLane {
  private readonly waiting = new Map<string, number>();
  private readonly slow: PostgresDatabase;
  private readonly clock = new SystemClock();
  private tail: Promise<unknown> = Promise.resolve();
  private length = 0;

  constructor(
    private readonly fast: PostgresDatabase,
    private readonly lockTimeoutMs: number,
    private readonly patienceMs = DEFAULT_PATIENCE_MS,
  ) {
    this.slow = fast.sibling(1);
  }

  /** Connections that the lane takes at most. */
  get connectionCount(): number {
    return this.slow.connectionCount;
  }

  /**
   * @param write.names of the rows that it may have to wait for
   * @param write.attempt the write; run again after it was rolled back
   * @param write.probes where it locks several rows: for each, something that waits for that row alone and changes nothing. So a write that waits
   *   for one row does not hold the others meanwhile, whose tasks would wait with it
   */
  async run<Result>({ names, attempt, probes = [] }: PatientWrite<Result>): Promise<Result> {
    const short = { lockTimeoutMs: this.lockTimeoutMs, statementTimeoutMs: this.fast.statementTimeoutMs };
    const endMonoMs = this.clock.monotonicMs() + this.patienceMs;
    if (!names.some((name) => this.waiting.has(name))) {
      const done = await unlessLocked(attempt(this.fast, short));
      if (done !== LOCKED) return done;
    }
    return this.enqueue(names, async () => {
      this.slow.useApplicationName(this.fast.applicationName);
      for (let round = 1; probes.length > 1 && round <= PATIENT_ROUNDS; round++) {
        for (const probe of probes) await probe(this.slow, this.waitUntil(endMonoMs));
        const done = await unlessLocked(attempt(this.slow, short));
        if (done !== LOCKED) return done;
      }
      return attempt(this.slow, this.waitUntil(endMonoMs));
    });
  }

  async close(): Promise<void> {
    await this.slow.close();
  }

  private waitUntil(endMonoMs: number): LockWait {
    const lockTimeoutMs = Math.max(this.lockTimeoutMs, Math.ceil(endMonoMs - this.clock.monotonicMs()));
    return { lockTimeoutMs, statementTimeoutMs: lockTimeoutMs + this.fast.statementTimeoutMs };
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

const LOCKED = Symbol("locked");

async function unlessLocked<Result>(work: Promise<Result>): Promise<Result | typeof LOCKED> {
  try {
    return await work;
  } catch (error) {
    if (isLockConflict(error)) return LOCKED;
    throw error;
  }
}
