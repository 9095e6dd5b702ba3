import { type Clock, type ClockTimer, RowsLockedError, type SettleReply, TickwheelError } from "@tickwheel/core";
import type { Health } from "@tickwheel/coordination";
import { isRefusal } from "../runtime/refusal.js";

/** At low rates items are gathered for this long. */
const GATHER_MS = 10;
/** Those that others wait for: handlers that return together still share a batch. */
const GATHER_URGENT_MS = 1;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 1_000;
/** Items that another transaction locks are sent again after this. */
const LOCKED_RETRY_MS = 250;

interface WriteQueueOptions<T> {
  clock: Clock;
  health: Health;
  part: `engine.${string}`;
  /** Which of the part's operations this is. Default: the part has only one. */
  operation?: string;
  batchSize: number;
  /** Most bytes of a batch; a larger item goes alone. */
  batchBytes: number;
  /** Whether others wait for what this item frees. Default: none does. */
  isUrgent?(item: T): boolean;
  /** About how much an item weighs in a statement. */
  bytesOf(item: T): number;
  write(items: readonly T[]): Promise<SettleReply[]>;
  acknowledged(item: T, reply: SettleReply): void;
  /** A replacement for an item that the store refuses for its own data; null: give it up. */
  refused(item: T, error: unknown): T | null;
  /** It can be written in no form: the store keeps its present state. */
  gaveUp(item: T, error: unknown): void;
}

/**
 * Writes in batches, one under way at a time: gathered for a few milliseconds, at once when a batch is full. While the
 * store cannot be reached everything is kept and sent again, with a backoff that ends at a second; repeating is
 * harmless, because each write is guarded by owner and fence. A batch that fails otherwise goes row by row, so a bad
 * row stands alone. A row that is refused for its own data is written in another form or given up. A row that fails for
 * any other reason (a missing right, a table under migration) is sent again later, behind the others.
 *
 * A batch without an answer may be too large for the store. The next one is half as large, down to a single item, which
 * then goes behind the others; after each batch that passes the size doubles. The queue is bounded by the node's places
 * and the settles that the claimer allows to wait.
 */
export class WriteQueue<T> {
  private items: T[] = [];
  private writing: Promise<void> | null = null;
  private timer: ClockTimer | null = null;
  /** The timer gathers for a short time only. */
  private isHurried = false;
  private retryMs = 0;
  /** Most items of the next batch. */
  private most: number;
  private idleListeners: (() => void)[] = [];

  constructor(private readonly options: WriteQueueOptions<T>) {
    this.most = options.batchSize;
  }

  /** Items not yet acknowledged. */
  size = 0;

  add(item: T): void {
    this.items.push(item);
    this.size++;
    if (this.items.length >= this.options.batchSize && this.retryMs === 0) this.flush();
    else this.flushIn(this.retryMs || GATHER_MS);
    if (this.retryMs === 0 && this.options.isUrgent?.(item) === true) this.hurry();
  }

  /** Resolves when everything was acknowledged or given up. */
  whenIdle(): Promise<void> {
    if (this.size === 0) return Promise.resolve();
    if (this.retryMs === 0) this.flush();
    return new Promise((resolve) => this.idleListeners.push(resolve));
  }

  private flushIn(delayMs: number): void {
    this.timer ??= this.options.clock.setTimer(delayMs, () => this.flush());
  }

  /** The batch that is gathered goes soon. */
  private hurry(): void {
    if (this.timer === null || this.isHurried) return;
    this.timer.clear();
    this.timer = null;
    this.isHurried = true;
    this.flushIn(GATHER_URGENT_MS);
  }

  private flush(): void {
    this.timer?.clear();
    this.timer = null;
    this.isHurried = false;
    if (this.writing || this.items.length === 0) return;
    const batch = this.takeBatch();
    this.writing = this.send(batch).then(() => {
      this.writing = null;
      if (this.items.length > 0) this.flushIn(this.retryMs);
      else if (this.size === 0) for (const listener of this.idleListeners.splice(0)) listener();
    });
  }

  private takeBatch(): T[] {
    const { options } = this;
    let bytes = 0;
    const heavy = this.items.findIndex((item, index) => {
      bytes += options.bytesOf(item);
      return index >= this.most || (index > 0 && bytes > options.batchBytes);
    });
    return this.items.splice(0, heavy < 0 ? this.items.length : heavy);
  }

  private async send(batch: T[]): Promise<void> {
    const error = await this.attempt(batch);
    if (!error) return;
    if (isUnavailable(error)) return this.keep(batch, error);
    for (const item of batch) await this.sendAlone(item, batch.length === 1 ? error : null);
  }

  /** Null: written and acknowledged. */
  private async attempt(batch: readonly T[]): Promise<{ thrown: unknown } | null> {
    const { options } = this;
    let replies: readonly (SettleReply | undefined)[];
    try {
      replies = await options.write(batch);
    } catch (thrown) {
      if (!(thrown instanceof RowsLockedError)) return { thrown };
      replies = thrown.replies;
    }
    this.retryMs = 0;
    this.most = Math.min(this.most * 2, options.batchSize);
    options.health.clear(options.part, options.operation);
    const locked = batch.filter((_, index) => replies[index] === undefined);
    if (locked.length > 0) this.waitForLocks(locked);
    batch.forEach((item, index) => {
      const reply = replies[index];
      if (reply !== undefined) this.finish(() => options.acknowledged(item, reply));
    });
    return null;
  }

  /** These go apart, in none of the other batches: each batch would have to wait for them. */
  private waitForLocks(items: readonly T[]): void {
    this.options.clock.setTimer(LOCKED_RETRY_MS, () => {
      this.items.push(...items);
      this.flushIn(this.retryMs);
    });
  }

  private async sendAlone(item: T, known: { thrown: unknown } | null): Promise<void> {
    const error = known ?? (await this.attempt([item]));
    if (!error) return;
    if (!isRefusal(error.thrown)) return this.keepLast(item, error);
    const instead = this.options.refused(item, error.thrown);
    const again = instead === null ? error : await this.attempt([instead]);
    if (again === null) return;
    if (instead !== null && !isRefusal(again.thrown)) this.keepLast(instead, again);
    else this.giveUp(item, again);
  }

  private giveUp(item: T, error: { thrown: unknown }): void {
    this.finish(() => this.options.gaveUp(item, error.thrown));
  }

  private keep(batch: readonly T[], error: { thrown: unknown }): void {
    this.backOff(error);
    this.most = Math.ceil(batch.length / 2);
    if (batch.length === 1) this.items.push(...batch);
    else this.items.unshift(...batch);
  }

  private keepLast(item: T, error: { thrown: unknown }): void {
    this.backOff(error);
    this.items.push(item);
  }

  private backOff(error: { thrown: unknown }): void {
    const { part, operation } = this.options;
    this.options.health.raise({ part, operation, error: error.thrown, isTried: () => this.size > 0 });
    this.retryMs = Math.min(Math.max(this.retryMs * 2, FIRST_RETRY_MS), LONGEST_RETRY_MS);
  }

  private finish(tell: () => void): void {
    this.size--;
    tell();
  }
}

function isUnavailable({ thrown }: { thrown: unknown }): boolean {
  return thrown instanceof TickwheelError && thrown.code === "STORE_UNAVAILABLE";
}
