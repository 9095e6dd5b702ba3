import { type Clock, type ExecutionResult, leavesEnough } from "@tickwheel/core";
import CircuitBreaker from "opossum";

type Delivery = () => Promise<{ result: ExecutionResult; hostFailed: boolean }>;
type Breaker = CircuitBreaker<[Delivery], ExecutionResult>;

/** How long an open breaker waits before it lets one delivery try the host again, in milliseconds. */
export const BREAKER_RESET_MS = 10_000;
/**
 * Hosts that are remembered of a namespace and of all; beyond that those are forgotten that nothing was delivered to
 * for longest.
 */
const MAX_HOSTS = { perNamespace: 1_000, all: 4_000 };
/**
 * A delivery that finds all places of a host taken comes back after the wait, in milliseconds, and no two of them
 * closer than the gap. Both are the longest while no delivery has ended; then they follow what a delivery takes.
 */
const PLACE_WAIT_MS = { least: 100, most: 1_000, deliveries: 10 };
const PLACE_GAP_MS = { least: 0.1, most: 10 };
const LONGEST_WAIT_MS = 60_000;
/** The weight of one delivery in the mean of what they take. */
const MEAN_WEIGHT = 0.1;

/** Where something is delivered to, and for whom. */
export interface Destination {
  host: string;
  namespace: string;
}

export interface HostBreakerOptions {
  /** Deliveries to one host at once, at most. Default: any number. */
  placesPerHost?: number | undefined;
  /** How long a host is to be left alone, in milliseconds; 0: it may be called. Default: nobody has asked for it. */
  restMs?: ((to: Destination) => number) | undefined;
}

/** How many breakers are in which state. */
export interface BreakerStates {
  closed: number;
  halfOpen: number;
  open: number;
}

/** Deliveries of one namespace to one host. */
interface Line {
  breaker: Breaker;
  openedMonoMs: number;
  /** Deliveries under way. */
  running: number;
  /** When the last one that found no place comes back. */
  lastBackMonoMs: number;
  /** What a delivery takes on average, the latest ones most; null: none has ended. */
  meanMs: number | null;
}

/**
 * One circuit breaker for each namespace and host, and a bounded number of places per host. A breaker opens when half
 * of at least five recent deliveries failed for the host's own reasons, and then answers `deferred` until a single
 * trial succeeds. So a host that never answers holds its own places, never all of the node's: what finds none is
 * deferred, too.
 *
 * No namespace is judged by what a host does to another's deliveries, since who orders them can make it fail. Nor does
 * one take all places of a host that several deliver to.
 */
export class HostBreakers {
  /** By namespace and host, of both first the one that was used longest ago. */
  private readonly lines = new Map<string, Map<string, Line>>();
  private size = 0;
  /** Deliveries under way, by host. */
  private readonly running = new Map<string, number>();

  private readonly placesPerHost: number;
  private readonly restMs: (to: Destination) => number;

  constructor(
    private readonly clock: Clock,
    { placesPerHost = Infinity, restMs = () => 0 }: HostBreakerOptions = {},
  ) {
    this.placesPerHost = placesPerHost;
    this.restMs = restMs;
  }

  async call(to: Destination, delivery: Delivery): Promise<ExecutionResult> {
    const line = this.lineOf(to);
    const restMs = this.restMs(to);
    if (restMs > 0) return { kind: "deferred", delayMs: this.spreadMs(line, Math.ceil(restMs)) };
    if (!this.hasPlace(to.host, line)) return { kind: "deferred", delayMs: this.untilPlaceMs(line) };
    this.count(to.host, line, 1);
    try {
      return await line.breaker.fire(() => this.timed(line, delivery));
    } catch (error) {
      if (error instanceof HostFailure) return error.result;
      return { kind: "deferred", delayMs: this.untilNextTryMs(line) };
    } finally {
      this.count(to.host, line, -1);
    }
  }

  /** How many breakers are in which state. */
  states(): BreakerStates {
    const states = { closed: 0, halfOpen: 0, open: 0 };
    for (const lines of this.lines.values()) for (const { breaker } of lines.values()) states[stateOf(breaker)]++;
    return states;
  }

  close(): void {
    for (const lines of this.lines.values()) for (const { breaker } of lines.values()) breaker.shutdown();
    this.lines.clear();
    this.size = 0;
  }

  /** What an open breaker defers is no delivery, so it takes no part in the mean. */
  private async timed(line: Line, delivery: Delivery): ReturnType<Delivery> {
    const begunMonoMs = this.clock.monotonicMs();
    try {
      return await delivery();
    } finally {
      const tookMs = this.clock.monotonicMs() - begunMonoMs;
      line.meanMs = (line.meanMs ?? tookMs) * (1 - MEAN_WEIGHT) + tookMs * MEAN_WEIGHT;
    }
  }

  private hasPlace(host: string, { running: taken }: Line): boolean {
    const free = this.placesPerHost - (this.running.get(host) ?? 0);
    return this.lines.size > 1 ? leavesEnough({ taken, free }) : free > 0;
  }

  private count(host: string, line: Line, deliveries: 1 | -1): void {
    line.running += deliveries;
    const running = (this.running.get(host) ?? 0) + deliveries;
    if (running > 0) this.running.set(host, running);
    else this.running.delete(host);
  }

  private lineOf({ namespace, host }: Destination): Line {
    const lines = this.lines.get(namespace) ?? new Map<string, Line>();
    this.lines.delete(namespace);
    this.lines.set(namespace, lines);
    const line = lines.get(host) ?? this.newLine();
    if (!lines.delete(host)) this.size++;
    lines.set(host, line);
    if (lines.size > MAX_HOSTS.perNamespace) this.forgetOne(namespace, lines);
    else if (this.size > MAX_HOSTS.all) this.forgetOne(...this.most());
    return line;
  }

  private newLine(): Line {
    const breaker: Breaker = new CircuitBreaker(deliver, {
      timeout: false,
      errorThresholdPercentage: 50,
      volumeThreshold: 5,
      resetTimeout: BREAKER_RESET_MS,
    });
    const line = { breaker, openedMonoMs: -Infinity, running: 0, lastBackMonoMs: -Infinity, meanMs: null };
    breaker.on("open", () => (line.openedMonoMs = this.clock.monotonicMs()));
    return line;
  }

  /** The namespace of which most hosts are remembered. */
  private most(): [string, Map<string, Line>] {
    return [...this.lines].reduce((most, one) => (one[1].size > most[1].size ? one : most));
  }

  /** The one that was idle for longest: there are fewer places than hosts that are remembered, so it is soon found. */
  private forgetOne(namespace: string, lines: Map<string, Line>): void {
    for (const [host, { breaker, running }] of lines) {
      if (running > 0) continue;
      breaker.shutdown();
      lines.delete(host);
      this.size--;
      break;
    }
    if (lines.size === 0) this.lines.delete(namespace);
  }

  private untilNextTryMs({ openedMonoMs }: Line): number {
    const sinceOpenMs = this.clock.monotonicMs() - openedMonoMs;
    // A task that meets the half-open trial waits a second: the trial's outcome decides.
    return Math.round(Math.max(BREAKER_RESET_MS - sinceOpenMs, 1_000));
  }

  private untilPlaceMs(line: Line): number {
    return this.spreadMs(line, between(PLACE_WAIT_MS, (line.meanMs ?? Infinity) * PLACE_WAIT_MS.deliveries));
  }

  /**
   * At least so long, and however many wait, no more of them come back at a time than the host's places serve; the last
   * of them comes a minute later at most.
   */
  private spreadMs(line: Line, waitMs: number): number {
    const nowMonoMs = this.clock.monotonicMs();
    const gapMs = between(PLACE_GAP_MS, (line.meanMs ?? Infinity) / this.placesPerHost);
    const backMonoMs = Math.max(nowMonoMs + waitMs, line.lastBackMonoMs + gapMs);
    line.lastBackMonoMs = Math.min(backMonoMs, nowMonoMs + Math.max(waitMs, LONGEST_WAIT_MS));
    return Math.round(line.lastBackMonoMs - nowMonoMs);
  }
}

function stateOf({ opened, halfOpen }: Breaker): keyof BreakerStates {
  if (halfOpen) return "halfOpen";
  return opened ? "open" : "closed";
}

function between({ least, most }: { least: number; most: number }, value: number): number {
  return Math.min(most, Math.max(least, value));
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
