import { type Clock, wait } from "@tickwheel/core";
import { isRefusal } from "../runtime/refusal.js";

/** One shared write has at most this many rows. */
export const MAX_SHARED_ROWS = 256;
/**
 * While one write is on its way the next one is composed, and Postgres has work while this process reads the answer.
 */
const MAX_WRITES = 2;
/** Up to this many callers share one write, not two: a write's fixed cost equals that of this many rows. */
const MIN_SHARE = 16;

/** One kind of write that concurrent callers can share. */
export interface WriteKind<Item, Reply> {
  /** How many rows it writes. */
  rowsOf(item: Item): number;
  /** Whether the two can be in one write. */
  fit(one: Item, other: Item): boolean;
  /** Writes all of them in one transaction that waits for no lock. Null: the item must be written alone. */
  writeTogether(items: readonly Item[]): Promise<readonly (Reply | null)[]>;
  /** May wait as long as a write may. */
  writeAlone(item: Item): Promise<Reply>;
  /** How long the next write waits after one with these replies, in milliseconds. Default: not at all. */
  pauseMs?(replies: readonly Reply[]): number;
}

interface SharedWriteOptions {
  clock: Pick<Clock, "nextTurn" | "setTimer">;
  /** How many writes may be under way at once. Default: 2. */
  maxWrites?: number;
  /** Called when no write is under way and nobody waits for one. */
  onIdle?: () => void;
}

interface Waiting<Item, Reply> {
  item: Item;
  resolve: (reply: Reply) => void;
  reject: (error: unknown) => void;
}

/**
 * Writes of concurrent callers become one statement of many rows and one commit, in the order of the calls
 * [shared-writes]. No caller waits for others: a lone caller is written at the end of the turn, and requests that
 * arrive while writes are under way go into the next one. So the writes grow with the load, like the group commits of a
 * database's log (DeWitt et al., 1984).
 *
 * A write that would have to wait, for a lock for example, is written alone and delays no other. On failure: if the
 * store refuses a write for its data, each item is written alone, so a bad row fails alone. Any other error goes to all
 * its callers, and its outcome is unknown, as after a write of one's own. Bounded by its callers: each waits for its
 * answer.
 *
 * A shared write runs in the clock's asynchronous context, in none of the callers'.
 */
export class SharedWrite<Item, Reply> {
  private waiting: Waiting<Item, Reply>[] = [];
  private writes = 0;
  /** Items of the writes under way. */
  private writing = 0;
  private isAboutToWrite = false;
  private readonly maxWrites: number;

  constructor(
    private readonly kind: WriteKind<Item, Reply>,
    private readonly options: SharedWriteOptions,
  ) {
    this.maxWrites = options.maxWrites ?? MAX_WRITES;
  }

  add(item: Item): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.writeSoon();
    });
  }

  /**
   * When this turn of the event loop is over: callers who got their answers together ask again together, and requests
   * that arrived together over several connections are read in one turn. One write should serve them all.
   */
  private writeSoon(): void {
    if (this.isAboutToWrite) return;
    this.isAboutToWrite = true;
    this.options.clock.nextTurn(() => {
      this.isAboutToWrite = false;
      this.writeOn();
    });
  }

  private writeOn(): void {
    while (this.writes < this.maxWrites && this.waiting.length > 0) {
      const sharers = this.takeTogether();
      this.writes++;
      this.writing += sharers.length;
      void this.write(sharers).finally(() => {
        this.writes--;
        this.writing -= sharers.length;
        if (this.writes === 0 && this.waiting.length === 0) this.options.onIdle?.();
        else this.writeSoon();
      });
    }
  }

  /**
   * The first that waits, and as many of the others as fit beside it; if there are many callers, half of them, so that
   * the writes overlap.
   */
  private takeTogether(): Waiting<Item, Reply>[] {
    const { kind } = this;
    const share = Math.max(MIN_SHARE, Math.ceil((this.waiting.length + this.writing) / this.maxWrites));
    const [first] = this.waiting;
    const [sharers, rest]: Waiting<Item, Reply>[][] = [[], []];
    let rows = 0;
    for (const waiting of this.waiting) {
      const { item } = waiting;
      const hasRoom = sharers!.length < share && rows + kind.rowsOf(item) <= MAX_SHARED_ROWS;
      const isTaken = sharers!.length === 0 || (hasRoom && kind.fit(first!.item, item));
      if (isTaken) rows += kind.rowsOf(item);
      (isTaken ? sharers : rest)!.push(waiting);
    }
    this.waiting = rest!;
    return sharers!;
  }

  private async write(sharers: readonly Waiting<Item, Reply>[]): Promise<void> {
    try {
      const replies = await this.kind.writeTogether(sharers.map(({ item }) => item));
      for (const [place, waiting] of sharers.entries()) {
        const reply = replies[place] ?? null;
        if (reply === null) void this.writeAlone(waiting);
        else waiting.resolve(reply);
      }
      await this.pause(replies.filter((reply) => reply !== null));
    } catch (error) {
      if (isRefusal(error) && sharers.length > 1) for (const waiting of sharers) void this.writeAlone(waiting);
      else for (const { reject } of sharers) reject(error);
    }
  }

  private async pause(replies: readonly Reply[]): Promise<void> {
    const pauseMs = this.kind.pauseMs?.(replies) ?? 0;
    if (pauseMs > 0) await wait(this.options.clock, pauseMs);
  }

  private async writeAlone({ item, resolve, reject }: Waiting<Item, Reply>): Promise<void> {
    await this.kind.writeAlone(item).then(resolve, reject);
  }
}
