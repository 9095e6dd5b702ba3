import type { AttemptJudge } from "@tickwheel/core";
import CircuitBreaker from "opossum";

/** Attempts are judged together that ended within this time. */
const WINDOW_MS = 10_000;

/** When the breaker of a handler's type opens, on this node's word for all. */
export interface JudgeOptions {
  /** It opens when this share of the attempts has failed, above 0 and up to 1. */
  errorShare: number;
  /** How many attempts have to end within ten seconds, or nothing is judged. */
  leastAttempts: number;
  /** For how long it opens at first, in milliseconds. */
  openForMs: number;
}

/** What a handler has that asks for a breaker and says no more. */
export const DEFAULT_JUDGE: JudgeOptions = { errorShare: 0.5, leastAttempts: 10, openForMs: 10_000 };

type Judging = CircuitBreaker<[boolean], void>;

/** Counts the attempts of one type by opossum, whose breaker opens; all that comes of it is the cluster's. */
export class OpossumJudge implements AttemptJudge {
  private judging: Judging;

  /** @param opens called each time that the share is reached */
  constructor(
    private readonly options: JudgeOptions,
    private readonly opens: () => void,
  ) {
    this.judging = this.begin();
  }

  get openForMs(): number {
    return this.options.openForMs;
  }

  add(hasFailed: boolean): void {
    this.judging.fire(hasFailed).catch(() => undefined);
  }

  reset(): void {
    this.stop();
    this.judging = this.begin();
  }

  stop(): void {
    this.judging.shutdown();
  }

  private begin(): Judging {
    const { errorShare, leastAttempts } = this.options;
    const judging: Judging = new CircuitBreaker(judged, {
      timeout: false,
      rollingCountTimeout: WINDOW_MS,
      // It opens above the threshold, and here at it.
      errorThresholdPercentage: errorShare * 100 - 1e-6,
      volumeThreshold: leastAttempts,
    });
    judging.on("open", () => this.opens());
    return judging;
  }
}

function judged(hasFailed: boolean): Promise<void> {
  return hasFailed ? Promise.reject(new Error("an attempt has failed")) : Promise.resolve();
}
