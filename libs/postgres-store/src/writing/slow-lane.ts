import { type ClockTimer, SystemClock, TickwheelError } from "@tickwheel/core";
import { ConnectionShare } from "../connection/connection-share.js";
import { isLockConflict } from "../connection/driver-errors.js";
import { FairQueues, type NamedQueue } from "./fair-queues.js";
import { LockedKeySearch, MAX_FOUND } from "./locked-key-search.js";
import type { PostgresDatabase } from "../connection/postgres-database.js";

/** How long an attempt waits for locks of other transactions. */
export interface LockWait {
  lockTimeoutMs: number;
  statementTimeoutMs: number;
}

/** This many connections wait for locks at once, so that the pool's connections need not. */
export const SLOW_LANE_CONNECTIONS = 2;
/** A write waits this long for another's open transaction, counted from its call. Then it fails. */
const DEFAULT_PATIENCE_MS = 30_000;
/**
 * How many writes may wait. One namespace gets at most half of the places and one name a quarter, so that some are left
 * for the others.
 */
const PLACES = { total: 1_000, perNamespace: 500, perName: 250 };
/**
 * A turn takes this share of the statement time-out while only one name is waited for. The more names are waited for,
 * the shorter it is, but never shorter than `SHORTEST_TURN_MS`.
 */
const TURN_SHARE = 1 / 4;
const SHORTEST_TURN_MS = 5;

type Attempt<Result> = (database: PostgresDatabase, wait: LockWait) => Promise<Result>;

export interface PatientWrite<Result> {
  namespace: string;
  /** The names of the rows that the write may have to wait for, each once. */
  names: readonly string[];
  /** Whether it may take many statements. Such writes leave a connection to the others. Default false. */
  isLong?: boolean;
  /** Does the write. It is called again after a rollback. */
  attempt: Attempt<Result>;
  /** Only for a write of several names: waits for the rows of these names alone and changes nothing. */
  probe?: (names: readonly string[]) => Attempt<unknown>;
}

interface Waiting {
  readonly write: PatientWrite<unknown>;
  readonly endMonoMs: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  queue: NamedQueue<Waiting>;
  timer: ClockTimer;
  isInTurn: boolean;
  /**
   * Only for a write of several names: the search for the locked ones. Null once it is over; then `held` has the names
   * that the write waits for, one after the other.
   */
  search: LockedKeySearch | null;
  held: string[];
}

interface SlowLaneOptions {
  /** The connections on which writes are tried first. */
  fast: PostgresDatabase;
  /** The connections of the slow lane. The caller that opened them closes them. */
  slow: PostgresDatabase;
  lockTimeoutMs: number;
  /** Default 30,000. */
  patienceMs?: number;
}

/**
 * Keeps a foreign open transaction from delaying writes that do not need its rows. A write is first tried with a short
 * wait for locks, on at most half of the engine's connections, which the namespaces share in turns. If one of its rows
 * stays locked longer, the write goes to the slow lane. The slow lane has a queue for each name. Two connections of its
 * own serve the queues in short turns, namespace by namespace and name by name. A turn waits for the first write of its
 * queue. When that is written, it goes on with the next one until its time is over. While a name is waited for, further
 * writes under that name go to the slow lane directly.
 *
 * A write of several names waits for one name at a time and holds no lock meanwhile, so the tasks of the other names
 * can go on. It first searches which names are locked, waits for each of these alone, and then tries the whole write
 * again.
 *
 * Cost: a locked name is tried every few milliseconds while hundreds of names are waited for, and every half second
 * while it is the only one. Bounded: at most 1,000 writes wait, 500 of one namespace and 250 of one name. A write fails
 * with `STORE_UNAVAILABLE` when there is no place for it, when 30 s have passed since its call, or when the lane is
 * closed while it waits. It has changed nothing then.
 */
export class SlowLane {
  private readonly queues = new FairQueues<Waiting>(PLACES);
  private readonly clock = new SystemClock();
  private readonly turns = new Set<Promise<void>>();
  private readonly tries: ConnectionShare;
  private readonly patienceMs: number;
  private searches = 0;
  private isClosed = false;

  constructor(private readonly options: SlowLaneOptions) {
    this.patienceMs = options.patienceMs ?? DEFAULT_PATIENCE_MS;
    const { connectionCount, statementTimeoutMs: patienceMs } = options.fast;
    const connections = Math.ceil(connectionCount / 2);
    this.tries = new ConnectionShare({ connections, patienceMs, longPatienceMs: this.patienceMs });
  }

  async run<Result>(write: PatientWrite<Result>): Promise<Result> {
    const endMonoMs = this.clock.monotonicMs() + this.patienceMs;
    if (this.awaitedOf(write).length === 0) {
      const { namespace, isLong = false } = write;
      const done = await this.tries.run(() => this.tryOnce(write), { namespace, isLong });
      if (done !== LOCKED) return done;
    }
    return this.enqueue(write, endMonoMs, this.awaitedOf(write));
  }

  /** Fails the waiting writes, and resolves when the turns under way have ended. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const waiting of this.queues.all()) if (!waiting.isInTurn) this.end(waiting, closing());
    await Promise.all(this.turns);
  }

  /** Does not try a write if another one has begun to wait for one of its names while this one stood in line. */
  private tryOnce<Result>(write: PatientWrite<Result>): Promise<Result | typeof LOCKED> {
    if (this.awaitedOf(write).length > 0) return Promise.resolve(LOCKED);
    return unlessLocked(write.attempt(this.options.fast, this.shortWait()));
  }

  /** Those of the write's names that other writes wait for already. */
  private awaitedOf({ namespace, names }: PatientWrite<unknown>): string[] {
    if (this.queues.count === 0) return [];
    return names.filter((name) => this.queues.has({ namespace, name })).slice(0, MAX_FOUND);
  }

  private enqueue<Result>(write: PatientWrite<Result>, endMonoMs: number, held: string[]): Promise<Result> {
    const { namespace, names } = write;
    const isSearched = held.length === 0 && names.length > 1;
    const name = held[0] ?? (isSearched ? this.searchName() : names[0]!);
    const limit = this.queues.fullness({ namespace, name });
    if (this.isClosed) throw closing();
    if (limit) throw full(limit);
    return new Promise((resolve, reject) => {
      const waiting = {
        write,
        endMonoMs,
        resolve: resolve as (result: unknown) => void,
        reject,
        isInTurn: false,
        held,
        search: isSearched ? new LockedKeySearch(names) : null,
      } as Waiting;
      waiting.queue = this.queues.add({ namespace, name }, waiting);
      waiting.timer = this.clock.setTimer(endMonoMs - this.clock.monotonicMs(), () => {
        if (!waiting.isInTurn) this.end(waiting, impatient());
      });
      this.takeTurns();
    });
  }

  /** Names a queue of its own for a write that does not know yet which of its names are locked. */
  private searchName(): string {
    return `search\0${++this.searches}`;
  }

  private takeTurns(): void {
    while (this.turns.size < SLOW_LANE_CONNECTIONS) {
      const queue = this.queues.take();
      if (!queue) return;
      const turn = this.turn(queue).then(() => {
        this.turns.delete(turn);
        this.queues.giveBack(queue);
        this.takeTurns();
      });
      this.turns.add(turn);
    }
  }

  private async turn(queue: NamedQueue<Waiting>): Promise<void> {
    const turnMs = this.turnMs();
    const endMonoMs = this.clock.monotonicMs() + turnMs;
    const { fast, slow } = this.options;
    slow.useApplicationName(fast.applicationName);
    for (let hasMoved = true; hasMoved && queue.items.length > 0 && this.clock.monotonicMs() < endMonoMs;) {
      hasMoved = await this.serve(queue.items[0]!, turnMs);
    }
  }

  /** Takes one step of a write. False: the turn is over, since the write met a lock or was given up. */
  private async serve(waiting: Waiting, turnMs: number): Promise<boolean> {
    waiting.isInTurn = true;
    try {
      const leftMs = waiting.endMonoMs - this.clock.monotonicMs();
      const result = await this.step(waiting, this.wait(Math.max(1, Math.min(turnMs, leftMs))));
      waiting.isInTurn = false;
      if (result === LOCKED || result === MOVED) return this.isStillWaiting(waiting) && result === MOVED;
      this.leave(waiting);
      waiting.resolve(result);
    } catch (error) {
      this.end(waiting, error);
    }
    return true;
  }

  private isStillWaiting(waiting: Waiting): boolean {
    if (this.isClosed) this.end(waiting, closing());
    else if (this.clock.monotonicMs() >= waiting.endMonoMs) this.end(waiting, impatient());
    else {
      this.takeTurns();
      return true;
    }
    return false;
  }

  private async step(waiting: Waiting, wait: LockWait): Promise<unknown> {
    const { write, search, held } = waiting;
    const { slow } = this.options;
    if (write.names.length === 1) return unlessLocked(write.attempt(slow, wait));
    if (search) return this.searchOn(waiting, search);
    if (held.length > 0) {
      if ((await unlessLocked(write.probe!(held.slice(0, 1))(slow, wait))) === LOCKED) return LOCKED;
      held.shift();
      if (held.length > 0) return this.move(waiting, held[0]!);
    }
    const done = await unlessLocked(write.attempt(slow, this.shortWait()));
    if (done !== LOCKED) return done;
    waiting.search = new LockedKeySearch(write.names);
    return this.move(waiting, this.searchName());
  }

  private async searchOn(waiting: Waiting, search: LockedKeySearch): Promise<typeof MOVED> {
    const names = search.next();
    if (names) {
      const probed = await unlessLocked(waiting.write.probe!(names)(this.options.slow, this.wait(SHORTEST_TURN_MS)));
      search.tell(probed === LOCKED);
      return MOVED;
    }
    waiting.search = null;
    waiting.held = search.held;
    return this.move(waiting, search.held[0]!);
  }

  private move(waiting: Waiting, name: string): typeof MOVED {
    this.queues.remove(waiting.queue, waiting);
    waiting.queue = this.queues.add({ namespace: waiting.write.namespace, name }, waiting);
    return MOVED;
  }

  private end(waiting: Waiting, error: unknown): void {
    this.leave(waiting);
    waiting.reject(error);
  }

  private leave(waiting: Waiting): void {
    waiting.timer.clear();
    this.queues.remove(waiting.queue, waiting);
  }

  private turnMs(): number {
    const longestMs = this.options.fast.statementTimeoutMs * TURN_SHARE;
    return Math.max(SHORTEST_TURN_MS, longestMs / Math.max(1, this.queues.count));
  }

  /** The short wait for locks. While many names are waited for, it is no longer than a turn of the slow lane. */
  private shortWait(): LockWait {
    return this.wait(Math.min(this.options.lockTimeoutMs, this.turnMs()));
  }

  private wait(lockTimeoutMs: number): LockWait {
    return { lockTimeoutMs: Math.ceil(lockTimeoutMs), statementTimeoutMs: this.options.fast.statementTimeoutMs };
  }
}

const LOCKED = Symbol("locked");
/** The write has got one step further and is not done yet. */
const MOVED = Symbol("moved");

async function unlessLocked<Result>(work: Promise<Result>): Promise<Result | typeof LOCKED> {
  try {
    return await work;
  } catch (error) {
    if (isLockConflict(error)) return LOCKED;
    throw error;
  }
}

function full(limit: keyof typeof PLACES): TickwheelError {
  const whose = { total: "", perNamespace: " of this namespace", perName: " under one name" }[limit];
  return new TickwheelError("STORE_UNAVAILABLE", `${PLACES[limit]} writes${whose} wait for rows that others hold`);
}

function impatient(): TickwheelError {
  return new TickwheelError("STORE_UNAVAILABLE", "Somebody's open transaction holds the row: nothing was changed");
}

function closing(): TickwheelError {
  return new TickwheelError("STORE_UNAVAILABLE", "The node stops while somebody holds the row: nothing was changed");
}
