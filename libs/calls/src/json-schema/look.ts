import type { Fault, Json } from "@tickwheel/core";

/** What a schema says of a value. They are numbers so that the worse one of two is the greater one. */
export type Verdict = typeof FITS | typeof UNKNOWN | typeof MISFIT;
export const FITS = 0;
/** A part of the schema was not looked at: it is not run here, or the look has ended. */
export const UNKNOWN = 1;
export const MISFIT = 2;

/** Looks at a value by a schema or by one keyword of it. */
export type Check = (value: Json, look: Look) => Verdict;

/** How many schemas may be within one another, references counted; the stack of a thread holds many times as many. */
const MOST_DEEP = 400;

/**
 * One look at one value: what it has found, where it is, and how much it may still do. It ends when its steps are spent
 * or when it has as many faults as are wanted; every check then answers `UNKNOWN` at once. So its cost is bounded,
 * whatever the schema.
 */
export class Look {
  readonly faults: Fault[] = [];
  /** Whether a part was left out because there was too much to do. */
  isCut = false;
  private depth = 0;
  private quiet = 0;
  private readonly path: (string | number)[] = [];

  constructor(
    private stepsLeft: number,
    private readonly mostFaults: number,
  ) {}

  /** Whether nothing more is looked at. */
  get isOver(): boolean {
    return this.stepsLeft <= 0;
  }

  /** Whether faults are of no interest: the first misfit decides. */
  get isQuiet(): boolean {
    return this.quiet > 0;
  }

  /** Takes steps. False: there were too few, and the look is over. */
  step(steps = 1): boolean {
    if (this.stepsLeft > steps) {
      this.stepsLeft -= steps;
      return true;
    }
    if (this.stepsLeft > 0) this.isCut = true;
    this.stepsLeft = 0;
    return false;
  }

  /** Goes into a schema; false: no further. Each entry is left again. */
  enter(): boolean {
    if (this.depth >= MOST_DEEP) this.isCut = true;
    if (this.depth >= MOST_DEEP || !this.step()) return false;
    this.depth++;
    return true;
  }

  leave(): void {
    this.depth--;
  }

  /** Looks at a part of the value. */
  at<Key extends string | number>(key: Key, value: Json, check: (value: Json, look: Look, key: Key) => Verdict) {
    this.path.push(key);
    const verdict = check(value, this, key);
    this.path.pop();
    return verdict;
  }

  /** Looks without noting faults. */
  quietly(value: Json, check: Check): Verdict {
    this.quiet++;
    const verdict = check(value, this);
    this.quiet--;
    return verdict;
  }

  /** Notes a fault, of a field of this value where one is named. No message holds a value of the payload. */
  misfit(message: string, field?: string): typeof MISFIT {
    if (this.isQuiet || this.faults.length >= this.mostFaults) return MISFIT;
    const keys = field === undefined ? this.path : [...this.path, field];
    const path = keys.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("");
    this.faults.push({ path: `payload${path}`, message });
    if (this.faults.length === this.mostFaults) this.stepsLeft = 0;
    return MISFIT;
  }
}

export function worse(one: Verdict, other: Verdict): Verdict {
  return one > other ? one : other;
}

/** The worst that these say of one value. A quiet look ends at the first misfit. */
export function worstOf(checks: readonly Check[], value: Json, look: Look): Verdict {
  let verdict: Verdict = FITS;
  for (const check of checks) {
    verdict = worse(verdict, check(value, look));
    if (verdict === MISFIT && look.isQuiet) return MISFIT;
    if (look.isOver) return worse(verdict, UNKNOWN);
  }
  return verdict;
}
