import {
  type Clock,
  type ClockTimer,
  type EpochMs,
  MAX_PULLED,
  type PulledTask,
  type PullReply,
  type PullRequest,
  type Random,
  type TypeId,
} from "@tickwheel/core";

/** A consumer's call for tasks. */
export interface PullAsk {
  /** For people. */
  consumer: string;
  /** 1 … `MAX_PULLED`. */
  max: number;
  leaseMs: number;
  /** How long the call waits for the first task, in milliseconds; 0: it asks the store once. */
  waitMs: number;
  /** Fires when the caller has gone. Default: it stays. */
  signal?: AbortSignal | undefined;
}

export interface PullAnswer {
  /** Oldest first; empty: none came within the time. */
  tasks: PulledTask[];
  /** The type or its namespace is paused. */
  isPaused: boolean;
}

export interface DeskParts {
  typeId: TypeId;
  clock: Pick<Clock, "monotonicMs" | "setTimer">;
  random: Pick<Random, "next">;
  /** The database's time as this node estimates it. */
  nowMs: () => EpochMs;
  pull: (request: PullRequest) => Promise<PullReply>;
  /** Takes tasks whose callers have gone before they were told. */
  giveBack: (tasks: readonly PulledTask[]) => void;
  /** A call has begun to wait where none did, or nobody waits any more. */
  waitingChanged: () => void;
}

/** While somebody waits the store is asked at least this often, a fifth more or less. */
const LOOK_MS = 1_000;
const LOOK_JITTER = 0.2;
/** After a pull that a limit has cut short. */
const AFTER_FULL_MS = 100;
/** A pull that finds all that is due lets the next ones look no further back than this. */
const LOOKBACK_MS = 30_000;
/** For what was committed later than that, the whole queue is looked at this often. */
const WHOLE_LOOK_MS = 60_000;

/** A call that waits. */
interface Waiter {
  readonly ask: PullAsk;
  /** Its time is over: it is answered by the pull that it is in, with what that brings. */
  isOver: boolean;
  readonly settle: (answer: PullAnswer | Error) => void;
}

/**
 * The calls that wait for tasks of one type on this node, in the order in which they came. One pull at a time serves
 * them all, the first ones first: when somebody comes and nobody waits before him, when a hint comes, when the next
 * task is due, and about each second. A type for which nobody waits costs nothing.
 *
 * On failure: the calls that the pull was for get its error. A task that was pulled without an answer comes again when
 * its lease ends.
 */
export class QueueDesk {
  private readonly waiters = new Set<Waiter>();
  private seated: readonly Waiter[] = [];
  private isPulling = false;
  /** A pull is to follow the one that is under way: its snapshot may be too old. */
  private isAsked = false;
  /** The earliest instant of which a hint told while a pull was under way, which may not have seen that task yet. */
  private hintedDueAt: EpochMs = Infinity;
  /** A limit has cut the last pull short. */
  private wasFull = false;
  private wasPaused = false;
  private timer: ClockTimer | null = null;
  private timerMonoMs = Infinity;
  private wholeLookMonoMs = -Infinity;
  private notBefore: EpochMs | null = null;

  constructor(private readonly parts: DeskParts) {}

  /** How many calls wait. */
  get size(): number {
    return this.waiters.size;
  }

  /** @throws what the store throws */
  wait(ask: PullAsk): Promise<PullAnswer> {
    return new Promise((resolve, reject) => {
      if (ask.signal?.aborted === true) return resolve(NOTHING);
      const { clock } = this.parts;
      const timeout = ask.waitMs > 0 ? clock.setTimer(ask.waitMs, () => this.timeOver(waiter)) : null;
      const gone = (): void => waiter.settle(NOTHING);
      const waiter: Waiter = {
        ask,
        isOver: ask.waitMs <= 0,
        settle: (answer) => {
          if (!this.waiters.delete(waiter)) return;
          timeout?.clear();
          ask.signal?.removeEventListener("abort", gone);
          if (answer instanceof Error) reject(answer);
          else resolve(answer);
          if (this.waiters.size === 0) this.rest();
        },
      };
      ask.signal?.addEventListener("abort", gone);
      this.waiters.add(waiter);
      if (this.waiters.size === 1) this.parts.waitingChanged();
      if (this.waiters.size === 1 || waiter.isOver) this.lookNow();
    });
  }

  /** A task of the type is due then, or there may be room for one. */
  hinted(dueAt: EpochMs): void {
    if (this.waiters.size === 0) return;
    const inMs = dueAt - this.parts.nowMs();
    if (inMs <= 0) this.lookNow();
    else if (this.isPulling) this.hintedDueAt = Math.min(this.hintedDueAt, dueAt);
    else this.lookIn(inMs);
  }

  /** A task of the type has ended here: where a limit was full, it has a place now. */
  roomFreed(): void {
    if (this.wasFull && this.waiters.size > 0) this.lookNow();
  }

  /** Answers all calls: there is nothing for them here. */
  close(): void {
    for (const waiter of this.waiters) waiter.settle(NOTHING);
  }

  private timeOver(waiter: Waiter): void {
    if (this.seated.includes(waiter)) waiter.isOver = true;
    else waiter.settle({ tasks: [], isPaused: this.wasPaused });
  }

  private rest(): void {
    this.timer?.clear();
    this.timer = null;
    this.timerMonoMs = Infinity;
    this.parts.waitingChanged();
  }

  private lookIn(ms: number): void {
    const { clock } = this.parts;
    const wait = Math.max(1, Math.ceil(ms));
    const atMonoMs = clock.monotonicMs() + wait;
    if (atMonoMs >= this.timerMonoMs) return;
    this.timer?.clear();
    this.timerMonoMs = atMonoMs;
    this.timer = clock.setTimer(wait, () => this.lookNow());
  }

  private lookNow(): void {
    this.isAsked = true;
    if (!this.isPulling) void this.pullOn();
  }

  /** One pull after the other, as long as there may be more and somebody waits. Never throws. */
  private async pullOn(): Promise<void> {
    this.isPulling = true;
    this.timer?.clear();
    this.timerMonoMs = Infinity;
    let restMs = LOOK_MS;
    while (this.isAsked && this.waiters.size > 0) {
      this.isAsked = false;
      this.hintedDueAt = Infinity;
      this.seated = this.places();
      try {
        restMs = this.serve(await this.ask());
      } catch (error) {
        for (const waiter of this.seated) waiter.settle(error as Error);
        restMs = LOOK_MS;
      }
    }
    this.seated = [];
    this.isPulling = false;
    if (this.waiters.size > 0) this.lookIn(Math.min(restMs, this.hintedDueAt - this.parts.nowMs()));
  }

  /** Who gets the first task found, the second one … A call has as many places as it asks for. */
  private places(): Waiter[] {
    const seats: Waiter[] = [];
    for (const waiter of this.waiters) {
      for (let place = 0; place < waiter.ask.max && seats.length < MAX_PULLED; place++) seats.push(waiter);
      if (seats.length === MAX_PULLED) break;
    }
    return seats;
  }

  private async ask(): Promise<PullReply> {
    const { typeId, clock, nowMs } = this.parts;
    const nowMonoMs = clock.monotonicMs();
    const isWhole = this.notBefore === null || nowMonoMs - this.wholeLookMonoMs >= WHOLE_LOOK_MS;
    if (isWhole) this.wholeLookMonoMs = nowMonoMs;
    const startedAt = nowMs();
    const places = this.seated.map(({ ask: { consumer, leaseMs } }) => ({ consumer, leaseMs }));
    const reply = await this.parts.pull({ typeId, places, notBefore: isWhole ? null : this.notBefore });
    if (reply.isPaused) this.notBefore = null;
    else if (!reply.mayBeMore && !reply.isFull) this.notBefore = Math.floor(startedAt - LOOKBACK_MS);
    return reply;
  }

  /** Answers the calls, and says how long to wait before the next pull. */
  private serve({ tasks, isPaused, isFull, mayBeMore, nextDueAt }: PullReply): number {
    const seats = this.seated;
    [this.wasFull, this.wasPaused] = [isFull, isPaused];
    const served = new Map<Waiter, PulledTask[]>();
    for (const [place, task] of tasks.entries()) {
      const waiter = seats[place]!;
      served.set(waiter, [...(served.get(waiter) ?? []), task]);
    }
    for (const [waiter, found] of served) {
      if (this.waiters.has(waiter)) waiter.settle({ tasks: found, isPaused: false });
      else this.parts.giveBack(found);
    }
    if (mayBeMore) this.isAsked = true;
    for (const waiter of Array.from(this.waiters))
      if (waiter.isOver && (seats.includes(waiter) || !mayBeMore)) waiter.settle({ tasks: [], isPaused });
    if (isFull) return AFTER_FULL_MS;
    const untilNextMs = nextDueAt === null ? Infinity : nextDueAt - this.parts.nowMs();
    return Math.min(untilNextMs, LOOK_MS * (1 - LOOK_JITTER + 2 * LOOK_JITTER * this.parts.random.next()));
  }
}

const NOTHING: PullAnswer = { tasks: [], isPaused: false };
