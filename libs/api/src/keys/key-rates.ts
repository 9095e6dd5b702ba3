import { Inject, Injectable } from "@nestjs/common";
import { type Clock, SystemClock } from "@tickwheel/core";

const WINDOW_MS = 60_000;
/** Keys that are counted; beyond that whose minute began first goes first. */
const MAX_KEYS = 10_000;

interface Counted {
  /** When its present minute began. */
  fromMonoMs: number;
  count: number;
  /** The count of the minute before. */
  before: number;
}

/**
 * How often each key called this node over the last minute. Two counts tell it of each: of the minute before as much
 * is taken as the last sixty seconds have of it.
 */
@Injectable()
export class KeyRates {
  /** By key, in the order in which their minutes began. */
  private readonly byKey = new Map<string, Counted>();

  constructor(@Inject(SystemClock) private readonly clock: Pick<Clock, "monotonicMs">) {}

  /** The key with this id was called with just now. */
  count(id: string): void {
    const nowMonoMs = this.clock.monotonicMs();
    const known = this.byKey.get(id);
    if (known && nowMonoMs < known.fromMonoMs + WINDOW_MS) {
      known.count++;
      return;
    }
    this.byKey.delete(id);
    if (this.byKey.size >= MAX_KEYS) this.byKey.delete(this.byKey.keys().next().value!);
    this.byKey.set(id, { ...begun(known, nowMonoMs), count: 1 });
  }

  /** Calls a second with this key over the last minute, to a tenth; less than that but some: to a hundredth. */
  perSecond(id: string): number {
    const known = this.byKey.get(id);
    if (!known) return 0;
    const nowMonoMs = this.clock.monotonicMs();
    const { fromMonoMs, count, before } =
      nowMonoMs < known.fromMonoMs + WINDOW_MS ? known : { ...begun(known, nowMonoMs), count: 0 };
    const restOfBefore = 1 - (nowMonoMs - fromMonoMs) / WINDOW_MS;
    const rate = ((count + before * restOfBefore) * 1_000) / WINDOW_MS;
    return Number(rate.toFixed(rate < 0.1 ? 2 : 1));
  }
}

/** The minute that is now, of a key whose last known one is over: they follow each other without gaps. */
function begun(last: Counted | undefined, nowMonoMs: number): Pick<Counted, "fromMonoMs" | "before"> {
  if (!last || nowMonoMs >= last.fromMonoMs + 2 * WINDOW_MS) return { fromMonoMs: nowMonoMs, before: 0 };
  return { fromMonoMs: last.fromMonoMs + WINDOW_MS, before: last.count };
}
