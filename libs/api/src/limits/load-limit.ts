import { type Clock, TickwheelError } from "@tickwheel/core";
import { UsageByCaller } from "./usage-by-caller.js";

/** This many requests are always taken. */
const ALWAYS_TAKEN = 500;
/** Requests in progress beyond what is answered in so long would wait longer than that. */
const LONGEST_WAIT_MS = 1_000;
/** The rate of answers is that of the last second, counted in parts. */
const PARTS = 10;
/** Beyond this share of what may be in progress, a caller who has an equal share of it gets no more. */
const COMMON_SHARE = 0.75;
const PART_MS = LONGEST_WAIT_MS / PARTS;

/**
 * How many requests may be in progress: as many as were answered within the last second. By Little's law a further one
 * would wait for longer than a second, so it is refused while that is cheap for everybody. While nothing is answered,
 * in an outage say, what is taken shrinks to a constant, and grows again with the answers. The last quarter is for
 * callers who have less than an equal share: a caller who takes all there is leaves room for the others. Answers that
 * are meant to last have a limit of their own, `LastingLoads`.
 */
export class LoadLimit {
  private readonly inProgress = new UsageByCaller();
  /** Answers of each part of the last second; the newest part is the last. */
  private parts: number[] = Array.from({ length: PARTS }, () => 0);
  private answered = 0;
  private answeredEver = 0;
  private refusedEver = 0;
  private partEndsMonoMs: number;

  constructor(private readonly clock: Pick<Clock, "monotonicMs">) {
    this.partEndsMonoMs = clock.monotonicMs() + PART_MS;
  }

  /**
   * Takes a request of a caller; `done` is to be called when it was answered, in whatever way. @throws TickwheelError
   * `RATE_LIMITED`
   */
  take(caller: string): void {
    this.turn();
    const most = Math.max(ALWAYS_TAKEN, this.answered);
    const { total, owners } = this.inProgress;
    const hasShare = this.inProgress.of(caller) >= most / (owners + 1);
    if (total >= most || (hasShare && total >= most * COMMON_SHARE)) {
      this.refusedEver++;
      throw new TickwheelError(
        "RATE_LIMITED",
        `This node has ${total} requests in progress and answers ${this.answered} a second.`,
      );
    }
    this.inProgress.add(caller);
  }

  done(caller: string): void {
    this.turn();
    this.inProgress.remove(caller);
    this.answered++;
    this.answeredEver++;
    this.parts[PARTS - 1]! += 1;
  }

  /** Requests in progress, and those that were answered or refused since this was made. */
  get counts(): { inProgress: number; answered: number; refused: number } {
    return { inProgress: this.inProgress.total, answered: this.answeredEver, refused: this.refusedEver };
  }

  /** Forgets the parts that are older than a second. */
  private turn(): void {
    const now = this.clock.monotonicMs();
    if (now < this.partEndsMonoMs) return;
    const over = Math.floor((now - this.partEndsMonoMs) / PART_MS) + 1;
    this.partEndsMonoMs += over * PART_MS;
    for (let part = 0; part < Math.min(over, PARTS); part++) {
      this.answered -= this.parts.shift()!;
      this.parts.push(0);
    }
  }
}
