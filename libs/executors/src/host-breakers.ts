import type { Clock, ExecutionResult } from "@tickwheel/core";
import CircuitBreaker from "opossum";

type Delivery = () => Promise<{ result: ExecutionResult; hostFailed: boolean }>;
type Breaker = CircuitBreaker<[Delivery], ExecutionResult>;

/** How long an open breaker waits before it lets one delivery try the host again, in milliseconds. */
export const BREAKER_RESET_MS = 10_000;

/**
 * One circuit breaker per host. It opens when half of at least five recent deliveries failed for the host's own reasons, and then
 * answers `deferred` until a single trial succeeds. Bounded by the allow-list: only allowed hosts come here.
 */
export class HostBreakers {
  private readonly breakers = new Map<string, Breaker>();
  private readonly openedMonoMs = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  async call(host: string, delivery: Delivery): Promise<ExecutionResult> {
    try {
      return await this.breakerOf(host).fire(delivery);
    } catch (error) {
      if (error instanceof HostFailure) return error.result;
      return { kind: "deferred", delayMs: this.untilNextTryMs(host) };
    }
  }

  close(): void {
    for (const breaker of this.breakers.values()) breaker.shutdown();
    this.breakers.clear();
  }

  private breakerOf(host: string): Breaker {
    const known = this.breakers.get(host);
    if (known) return known;
    const breaker: Breaker = new CircuitBreaker(deliver, {
      timeout: false,
      errorThresholdPercentage: 50,
      volumeThreshold: 5,
      resetTimeout: BREAKER_RESET_MS,
    });
    breaker.on("open", () => this.openedMonoMs.set(host, this.clock.monotonicMs()));
    this.breakers.set(host, breaker);
    return breaker;
  }

  private untilNextTryMs(host: string): number {
    const sinceOpenMs = this.clock.monotonicMs() - (this.openedMonoMs.get(host) ?? 0);
    // A task that meets the half-open trial waits a second: the trial's outcome decides.
    return Math.round(Math.max(BREAKER_RESET_MS - sinceOpenMs, 1_000));
  }
}

async function deliver(delivery: Delivery): Promise<ExecutionResult> {
  const { result, hostFailed } = await delivery();
  if (hostFailed) throw new HostFailure(result);
  return result;
}

/** Carries a result past the breaker as a failure of the host. */
class HostFailure extends Error {
  constructor(readonly result: ExecutionResult) {
    super("the host failed");
  }
}
