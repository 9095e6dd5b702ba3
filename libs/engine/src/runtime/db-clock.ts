import type { Clock, EpochMs, TaskStore } from "@tickwheel/core";
import type { Health } from "@tickwheel/coordination";
import { PeriodicService } from "./periodic-service.js";
import { type TimeEstimate, timeUntilDueMs } from "./time-until-due.js";

/** Samples per round, back to back: their places within a millisecond differ, which narrows the bounds below one. */
const SAMPLES = 8;
/** How much two good clocks may drift apart: 50 parts per million, half a millisecond in ten seconds. */
const USUAL_DRIFT = 50e-6;
/**
 * The allowed drift until two rounds have measured it: both clocks may be slewed by 500 parts per million, in opposite
 * directions.
 */
const MAX_DRIFT = 1_000e-6;
/** The first pause between rounds is divided into this many. */
const FIRST_ROUNDS = 10;
/** Pauses are not exact, so a little less than one counts as whole. */
const DRIFT_BASELINE_SHARE = 0.95;
/** The next round's drift may exceed the measured one by this. */
const DRIFT_MARGIN = 1.5;

/** The store's time, and between which of this node's instants it was read. */
export interface ClockReading {
  sentMonoMs: number;
  repliedMonoMs: number;
  storeNow: EpochMs;
}

/** What one reading says about `database time − monotonic time`: it lies between the two. */
export interface OffsetBounds {
  lowerMs: number;
  upperMs: number;
}

/**
 * Bounds from one reading: the store cut its clock to whole milliseconds somewhere between sending and reply.
 *
 * @example boundsOf({ sentMonoMs: 10, repliedMonoMs: 12, storeNow: 1_000 }) // { lowerMs: 988, upperMs: 991 }
 */
export function boundsOf({ sentMonoMs, repliedMonoMs, storeNow }: ClockReading): OffsetBounds {
  return { lowerMs: storeNow - repliedMonoMs, upperMs: storeNow + 1 - sentMonoMs };
}

/** The bounds of a reading of `ageMs` ago now, if the clocks may have drifted apart since. */
export function aged({ lowerMs, upperMs }: OffsetBounds, ageMs: number, drift: number): OffsetBounds {
  return { lowerMs: lowerMs - ageMs * drift, upperMs: upperMs + ageMs * drift };
}

/**
 * The bounds that all samples share. If they contradict each other the store's clock was stepped, and the newest
 * decides.
 */
export function combineBounds(samples: readonly OffsetBounds[]): OffsetBounds | null {
  const newest = samples.at(-1);
  if (!newest) return null;
  const lowerMs = Math.max(...samples.map((sample) => sample.lowerMs));
  const upperMs = Math.min(...samples.map((sample) => sample.upperMs));
  return lowerMs < upperMs ? { lowerMs, upperMs } : newest;
}

/**
 * The drift to allow for after a round, from how far the offset has moved since the round before ([never-early]: a
 * clock that is being slewed must not bring a start forward). `uncertainMs`: the errors of both offsets, by which it
 * may have moved further. More than clocks can be slewed is a step, which tells nothing of their rate.
 *
 * @example driftAfter({ movedMs: 4, uncertainMs: 0.5, elapsedMs: 10_000 }) // 650e-6
 */
export function driftAfter(moved: { movedMs: number; uncertainMs: number; elapsedMs: number }): number {
  const measured = Math.abs(moved.movedMs) / moved.elapsedMs;
  if (measured > DRIFT_MARGIN * MAX_DRIFT) return MAX_DRIFT;
  return Math.max(USUAL_DRIFT, DRIFT_MARGIN * measured + moved.uncertainMs / moved.elapsedMs);
}

/**
 * A node's idea of the database's time: monotonic time plus an offset, sampled anew each `clockResampleMs`, with a
 * bound of its error. A round's short round trips decide, because they give the narrowest bounds. Between rounds the
 * error grows by the allowed drift. While the store is away the last offset stays.
 */
export class DbClock extends PeriodicService {
  private offsetMs = 0;
  private firstOffsetMs = 0;
  private offsetErrorMs = Infinity;
  private sampledMonoMs = 0;
  private drift = MAX_DRIFT;
  private knowsDrift = false;
  /** The round that drift is measured from. */
  private baseline: { offsetMs: number; errorMs: number; monoMs: number } | null = null;
  private sampled: () => void = () => undefined;

  constructor(private readonly source: { clock: Clock; health: Health; tasks: TaskStore; resampleMs: number }) {
    super("clock", source);
  }

  /** Calls `listener`, the only one, after each new estimate: planned work may now be due earlier or later. */
  onSampled(listener: () => void): void {
    this.sampled = listener;
  }

  /** Whether there was a sample at all; before it no time is known. */
  get isSet(): boolean {
    return this.offsetErrorMs < Infinity;
  }

  /** The estimated database time, in epoch milliseconds with fractions. */
  nowMs(): number {
    return this.source.clock.monotonicMs() + this.offsetMs;
  }

  /** The estimated database time at a monotonic instant that was just read. */
  timeAt(monoMs: number): number {
    return monoMs + this.offsetMs;
  }

  /** The database's time differs from `nowMs()` by at most this. */
  get errorMs(): number {
    return this.errorAt(this.source.clock.monotonicMs());
  }

  /** The same at a monotonic instant that was just read. */
  errorAt(monoMs: number): number {
    return this.offsetErrorMs + (monoMs - this.sampledMonoMs) * this.drift;
  }

  /** The database's time is at least this: a task that is due by it is due. */
  earliestMs(): number {
    return this.nowMs() - this.errorMs;
  }

  estimate(): TimeEstimate {
    return { nowMs: this.nowMs(), errorMs: this.errorMs };
  }

  /** Whole milliseconds until an instant is surely reached; 0 if it is. */
  timeUntilDueMs(instant: EpochMs): number {
    return timeUntilDueMs(instant, this.estimate());
  }

  /** How far the database's clock and the monotonic one went apart since the first sample, for vitals. */
  get driftMs(): number {
    return this.offsetMs - this.firstOffsetMs;
  }

  /** The time is known afterwards. @throws what the store throws */
  async ensureSet(): Promise<void> {
    if (!this.isSet) await this.runOnce();
  }

  override async start(): Promise<void> {
    await this.ensureSet();
    await super.start();
  }

  async runOnce(): Promise<void> {
    const { clock } = this.source;
    const readings: ClockReading[] = [];
    for (let count = 0; count < SAMPLES; count++) readings.push(await this.read());
    // A round takes long if the store is slow; its first samples are old when the last one arrives.
    const nowMonoMs = clock.monotonicMs();
    const bounds = combineBounds(
      readings.map((reading) => aged(boundsOf(reading), nowMonoMs - reading.sentMonoMs, this.drift)),
    )!;
    const isFirst = !this.isSet;
    this.believe(bounds, nowMonoMs);
    if (isFirst) this.firstOffsetMs = this.offsetMs;
    this.measureDrift();
    this.sampled();
  }

  /**
   * The database's time as a statement's reply carried it. If it contradicts the estimate, one of the clocks has
   * jumped: the reply is believed at once, and the next round, which comes now, narrows it. So no start that follows a
   * claim uses an estimate from before the jump; a start whose claim was under way at that moment is verified, with a
   * reading of its own. If the estimate is a wide one, from rounds over a slow store, the reply narrows it.
   */
  noteReading(reading: ClockReading): void {
    const read = boundsOf(reading);
    const { offsetMs, errorMs } = this;
    const lowerMs = Math.max(read.lowerMs, offsetMs - errorMs);
    const upperMs = Math.min(read.upperMs, offsetMs + errorMs);
    const isContradicted = lowerMs > upperMs;
    if (!isContradicted && upperMs - lowerMs >= errorMs) return;
    this.believe(isContradicted ? read : { lowerMs, upperMs }, reading.repliedMonoMs);
    this.sampled();
    if (isContradicted) this.wake();
  }

  /** One more reading, for a caller that suspects a jump of a clock. @throws what the store throws */
  async readAgain(): Promise<void> {
    this.noteReading(await this.read());
  }

  private believe({ lowerMs, upperMs }: OffsetBounds, atMonoMs: number): void {
    this.offsetMs = (lowerMs + upperMs) / 2;
    this.offsetErrorMs = (upperMs - lowerMs) / 2;
    this.sampledMonoMs = atMonoMs;
  }

  protected override firstDelayMs(): number {
    return this.intervalMs();
  }

  /** As long as the drift is not known the rounds come often, so that what must be allowed for stays small. */
  protected intervalMs(): number {
    const { resampleMs } = this.source;
    return this.knowsDrift ? resampleMs : resampleMs / FIRST_ROUNDS;
  }

  /** Over a whole pause between rounds: over less, the error of the two estimates would be taken for drift. */
  private measureDrift(): void {
    const now = { offsetMs: this.offsetMs, errorMs: this.offsetErrorMs, monoMs: this.sampledMonoMs };
    this.baseline ??= now;
    const elapsedMs = now.monoMs - this.baseline.monoMs;
    if (elapsedMs < DRIFT_BASELINE_SHARE * this.source.resampleMs) return;
    const movedMs = now.offsetMs - this.baseline.offsetMs;
    this.drift = driftAfter({ movedMs, uncertainMs: now.errorMs + this.baseline.errorMs, elapsedMs });
    this.knowsDrift = true;
    this.baseline = now;
  }

  private async read(): Promise<ClockReading> {
    const { clock, tasks } = this.source;
    const sentMonoMs = clock.monotonicMs();
    const storeNow = await tasks.now();
    return { sentMonoMs, repliedMonoMs: clock.monotonicMs(), storeNow };
  }
}
