import type { TimerHandle, TimingWheel } from "@tickwheel/timing-wheel";
import type { WheelStep } from "./wheel-step.js";

/** What is checked: `TimingWheel`, or a copy of it that was broken on purpose. */
export type CheckedWheel = Pick<
  TimingWheel,
  "insert" | "cancel" | "reschedule" | "poll" | "nextExpiryTick" | "stats" | "size" | "hasMore"
>;

/** What the list must know of how the wheel was made. */
export interface CheckedOptions {
  capacity: number;
  /** Default 0. */
  startTick?: number;
  /** Default `insertion`. */
  orderWithinTick?: "insertion" | "priority";
}

/** A timer as the list knows it. `batch` is the number of the first batch that owes it. */
interface Timer {
  value: number;
  handle: TimerHandle;
  tick: number;
  priority: number;
  sequence: number;
  batch: number;
}

/** The wheel did what the list does not. */
export class WheelDisagreement extends Error {}

const LONGEST_OUT = 1_000;
/** How many of the timers that are gone are remembered, for what their handles can still do. */
const GONE_KEPT = 32;
/** One for all: nothing of it is read after the call that filled it. */
const out = new Float64Array(LONGEST_OUT);

/**
 * A wheel beside a sorted list of the same timers. After each step both must agree: on what a poll hands out, to the
 * last value and in its order, on what is left, on what the handles of timers that are gone can do (nothing), and on
 * when to wake at the latest.
 *
 * @example
 * const subject = new WheelBesideList(new TimingWheel({ capacity: 24 }), { capacity: 24 });
 * subject.run({ kind: "insert", offset: 3, priority: 5 });
 * subject.finish(); // throws WheelDisagreement if the timer is not handed out
 */
export class WheelBesideList {
  private readonly live: Timer[] = [];
  private readonly gone: Timer[] = [];
  private nowTick: number;
  private made = 0;
  private moves = 0;
  private batch = 0;

  constructor(
    private readonly wheel: CheckedWheel,
    private readonly options: CheckedOptions,
  ) {
    this.nowTick = options.startTick ?? 0;
  }

  /** @throws WheelDisagreement that says where they differ */
  run(step: WheelStep): void {
    if (step.kind === "insert") this.insert(this.nowTick + step.offset, step.priority);
    else if (step.kind === "reschedule") this.reschedule(step.pick, this.nowTick + step.offset);
    else if (step.kind === "cancel") this.cancel(step.pick);
    else this.poll(this.nowTick + step.offset, step);
    agree(this.wheel.size === this.live.length, `size is ${this.wheel.size}, not ${this.live.length}`);
    this.checkNextExpiry();
  }

  /**
   * Ends the open batch, hands out all that is left, and cancels what no integer tick can reach.
   *
   * @throws WheelDisagreement that says where they differ
   */
  finish(): void {
    for (let polls = 0; polls < 3; polls++)
      this.poll(Number.MAX_SAFE_INTEGER, { limit: LONGEST_OUT, budget: Infinity });
    const unreached = this.live.find(({ tick }) => tick <= Number.MAX_SAFE_INTEGER);
    agree(!unreached, `timer ${unreached?.value} was never handed out`);
    while (this.live.length > 0) this.cancel(0);
    agree(this.wheel.nextExpiryTick() === -1, "an empty wheel has an expiry to wake for");
    const { overdue, parked, levels } = this.wheel.stats();
    const counted = levels.reduce((sum, { size }) => sum + size, overdue + parked);
    agree(counted === 0, `an empty wheel counts ${counted} timers`);
  }

  private insert(deadline: number, priority: number): void {
    const value = this.made++;
    if (this.live.length === this.options.capacity) {
      agree(
        isRefused(() => this.wheel.insert(deadline, value, priority)),
        "a full wheel took a timer",
      );
      return;
    }
    const handle = this.wheel.insert(deadline, value, priority);
    this.live.push({ value, handle, priority, ...this.placeOf(deadline) });
  }

  private reschedule(pick: number, deadline: number): void {
    const timer = this.live[pick % this.live.length];
    if (timer) {
      agree(this.wheel.reschedule(timer.handle, deadline), `timer ${timer.value} could not be moved`);
      Object.assign(timer, this.placeOf(deadline));
    }
    const stale = this.gone[pick % this.gone.length];
    if (stale) agree(!this.wheel.reschedule(stale.handle, deadline), `timer ${stale.value}, which is gone, was moved`);
  }

  private cancel(pick: number): void {
    const [timer] = this.live.splice(pick % Math.max(1, this.live.length), 1);
    if (timer) {
      agree(this.wheel.cancel(timer.handle), `timer ${timer.value} could not be cancelled`);
      this.forget(timer);
    }
    const stale = this.gone[pick % this.gone.length];
    if (stale) agree(!this.wheel.cancel(stale.handle), `timer ${stale.value}, which is gone, was cancelled`);
  }

  private poll(nowTick: number, { limit, budget }: { limit: number; budget: number }): void {
    this.nowTick = Math.min(Math.max(0, nowTick), Number.MAX_SAFE_INTEGER);
    const count = this.wheel.poll(this.nowTick, out.subarray(0, limit), budget);
    agree(count <= limit && count <= budget, `${count} values with room for ${limit} and a budget of ${budget}`);

    const due = this.live.filter((timer) => timer.tick <= Math.floor(this.nowTick)).sort((a, b) => this.order(a, b));
    const fired = this.firedOf(due, count);
    const left = due.filter((timer) => !fired.has(timer));
    this.checkOrder(due, fired);
    this.checkEndOfPoll({ isFull: count === limit, isUnlimited: budget === Infinity, left });
    for (const timer of fired) {
      this.live.splice(this.live.indexOf(timer), 1);
      this.forget(timer);
    }
  }

  /** The values that were handed out, in that order. Each must belong to a live timer that is due, and come once. */
  private firedOf(due: readonly Timer[], count: number): Set<Timer> {
    const fired = new Set<Timer>();
    for (let place = 0; place < count; place++) {
      const timer = due.find(({ value }) => value === out[place]);
      if (!timer) throw new WheelDisagreement(`value ${out[place]} was handed out, which is not due`);
      agree(!fired.has(timer), `timer ${timer.value} was handed out twice`);
      fired.add(timer);
    }
    return fired;
  }

  /** They come in the list's order, and none is passed over, but for those that came into the open batch too late. */
  private checkOrder(due: readonly Timer[], fired: ReadonlySet<Timer>): void {
    let place = 0;
    for (const timer of fired) {
      for (; due[place] !== timer; place++) {
        agree(place < due.length, `timer ${timer.value} was handed out after one that is due later`);
        const passed = due[place]!;
        agree(passed.batch > this.batch, `timer ${passed.value} was passed over for timer ${timer.value}`);
      }
      place++;
    }
  }

  private checkEndOfPoll(end: { isFull: boolean; isUnlimited: boolean; left: readonly Timer[] }): void {
    if (this.wheel.hasMore) {
      agree(!end.isUnlimited || (end.isFull && end.left.length > 0), "hasMore, though nothing stopped the poll");
      return;
    }
    const owed = end.left.find(({ batch }) => batch <= this.batch);
    agree(!owed, `the batch ended without timer ${owed?.value}`);
    this.batch++;
  }

  private checkNextExpiry(): void {
    const next = this.wheel.nextExpiryTick();
    const earliest = this.live.reduce((least, { tick }) => Math.min(least, tick), Infinity);
    const latest = Math.max(0, earliest);
    const agrees = this.live.length === 0 ? next === -1 : next >= 0 && next <= latest;
    agree(agrees, `nextExpiryTick is ${next}, with the earliest timer at ${earliest}`);
  }

  private placeOf(deadline: number): Pick<Timer, "tick" | "sequence" | "batch"> {
    // A batch that is open owes nothing to what comes now.
    const batch = this.wheel.hasMore ? this.batch + 1 : this.batch;
    return { tick: Math.ceil(deadline), sequence: this.moves++, batch };
  }

  private forget(timer: Timer): void {
    this.gone.push(timer);
    if (this.gone.length > GONE_KEPT) this.gone.shift();
  }

  private order(a: Timer, b: Timer): number {
    const byPriority = this.options.orderWithinTick === "priority" ? a.priority - b.priority : 0;
    return a.tick - b.tick || byPriority || a.sequence - b.sequence;
  }
}

function agree(agrees: boolean, otherwise: string): void {
  if (!agrees) throw new WheelDisagreement(otherwise);
}

function isRefused(insert: () => unknown): boolean {
  try {
    insert();
    return false;
  } catch (error) {
    return error instanceof Error && error.name === "WheelFullError";
  }
}
