import type { Clock, ExecutionResult } from "@tickwheel/core";
import CircuitBreaker from "opossum";

type Delivery = () => Promise<{ result: ExecutionResult; hostFailed: boolean }>;
type Breaker = CircuitBreaker<[Delivery], ExecutionResult>;

/** How long an open breaker waits before it lets one delivery try the host again, in milliseconds. */
export const BREAKER_RESET_MS = 10_000;
/** Hosts that are remembered; beyond that those are forgotten that nothing was delivered to for longest. */
const MAX_HOSTS = 1_000;
/** What finds all places of a host taken comes back after this time at the earliest, in milliseconds, and no two of them closer than the gap. */
const PLACE_WAIT_MS = 1_000;
const PLACE_GAP_MS = 10;
const LONGEST_WAIT_MS = 60_000;

interface Host {
  breaker: Breaker;
  openedMonoMs: number;
  /** Deliveries under way. */
  running: number;
  /** When the last one that found no place comes back. */
  lastBackMonoMs: number;
}

/**
 * One circuit breaker and a bounded number of places per host. A breaker opens when half of at least five recent deliveries failed for the host's own
 * reasons, and then answers `deferred` until a single trial succeeds. So a host that never answers holds its own places, never all of the node's: what
 * finds none is deferred, too.
 */
export class HostBreakers {
  private readonly hosts = new Map<string, Host>();

  /** @param placesPerHost deliveries to one host at once, at most */
  constructor(
    private readonly clock: Clock,
    private readonly placesPerHost = Infinity,
  ) {}

  async call(name: string, delivery: Delivery): Promise<ExecutionResult> {
    const host = this.hostOf(name);
    if (host.running >= this.placesPerHost) return { kind: "deferred", delayMs: this.untilPlaceMs(host) };
    host.running++;
    try {
      return await host.breaker.fire(delivery);
    } catch (error) {
      if (error instanceof HostFailure) return error.result;
      return { kind: "deferred", delayMs: this.untilNextTryMs(host) };
    } finally {
      host.running--;
    }
  }

  close(): void {
    for (const { breaker } of this.hosts.values()) breaker.shutdown();
    this.hosts.clear();
  }

  private hostOf(name: string): Host {
    const host = this.hosts.get(name) ?? this.newHost();
    this.hosts.delete(name);
    this.hosts.set(name, host);
    if (this.hosts.size > MAX_HOSTS) this.forgetOne();
    return host;
  }

  private newHost(): Host {
    const breaker: Breaker = new CircuitBreaker(deliver, {
      timeout: false,
      errorThresholdPercentage: 50,
      volumeThreshold: 5,
      resetTimeout: BREAKER_RESET_MS,
    });
    const host = { breaker, openedMonoMs: -Infinity, running: 0, lastBackMonoMs: -Infinity };
    breaker.on("open", () => (host.openedMonoMs = this.clock.monotonicMs()));
    return host;
  }

  /** The one that was idle for longest: there are fewer places than hosts that are remembered, so it is soon found. */
  private forgetOne(): void {
    for (const [name, { breaker, running }] of this.hosts) {
      if (running > 0) continue;
      breaker.shutdown();
      this.hosts.delete(name);
      return;
    }
  }

  private untilNextTryMs({ openedMonoMs }: Host): number {
    const sinceOpenMs = this.clock.monotonicMs() - openedMonoMs;
    // A task that meets the half-open trial waits a second: the trial's outcome decides.
    return Math.round(Math.max(BREAKER_RESET_MS - sinceOpenMs, 1_000));
  }

  /** However many wait, few of them come back at a time. */
  private untilPlaceMs(host: Host): number {
    const nowMonoMs = this.clock.monotonicMs();
    const backMonoMs = Math.max(nowMonoMs + PLACE_WAIT_MS, host.lastBackMonoMs + PLACE_GAP_MS);
    host.lastBackMonoMs = Math.min(backMonoMs, nowMonoMs + LONGEST_WAIT_MS);
    return Math.round(host.lastBackMonoMs - nowMonoMs);
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
