import {
  type Breaker,
  type BreakerStore,
  type BreakerSubject,
  type Clock,
  type ClockTimer,
  type EpochMs,
  keptBreaker,
} from "@tickwheel/core";
import { type Health, Throttle } from "@tickwheel/coordination";
import type { DbClock } from "../runtime/db-clock.js";
import { PeriodicService } from "../runtime/periodic-service.js";

/** How often the breakers are read; a message tells of most changes at once. */
const LOOK_MS = 2_000;
/** Messages make a node read this often at most. */
const HINT_PAUSE_MS = 100;

interface OpenBreakerParts {
  clock: Clock;
  health: Health;
  dbClock: Pick<DbClock, "earliestMs" | "nowMs" | "timeUntilDueMs">;
  store: Pick<BreakerStore, "readBreakers">;
  /** Some may be others now, or the time of one is over. */
  changed: () => void;
}

/**
 * The breakers that are not closed, as this node knows them: read every two seconds, and when a message tells of a
 * change. Nobody is slowed by a message, only by a row. Bounded by the types that exist and the hosts that may rest.
 */
export class OpenBreakers extends PeriodicService {
  private known = new Map<string, Breaker>();
  private endTimer: ClockTimer | null = null;
  private readonly hints: Throttle;
  /** What this node has learnt since the read under way began: the read may not have seen it. */
  private learnt = new Set<string>();

  constructor(private readonly parts: OpenBreakerParts) {
    super("breakers", parts);
    this.hints = new Throttle(parts.clock, HINT_PAUSE_MS, () => this.wake());
  }

  async runOnce(): Promise<void> {
    this.learnt.clear();
    const breakers = await this.parts.store.readBreakers();
    const read = new Map(breakers.map((breaker) => [placeOf(breaker), breaker]));
    for (const place of this.learnt) {
      const breaker = this.known.get(place);
      if (breaker === undefined) read.delete(place);
      else read.set(place, breaker);
    }
    const isOther = JSON.stringify([...read]) !== JSON.stringify([...this.known]);
    this.known = read;
    // A node that may not try yet asks again.
    if (isOther || breakers.some(({ kind }) => kind === "type")) this.tell();
  }

  /** Somebody says that there may be a change. */
  hinted(): void {
    this.hints.ask();
  }

  override async stop(): Promise<void> {
    this.hints.stop();
    this.endTimer?.clear();
    this.endTimer = null;
    await super.stop();
  }

  all(): Breaker[] {
    return [...this.known.values()].filter(
      (breaker) => keptBreaker({ breaker, now: this.parts.dbClock.nowMs() }) !== null,
    );
  }

  get areNone(): boolean {
    return this.known.size === 0;
  }

  /** Null: it is closed. */
  of(subject: BreakerSubject): Breaker | null {
    if (this.known.size === 0) return null;
    const breaker = this.known.get(placeOf(subject)) ?? null;
    return keptBreaker({ breaker, now: this.parts.dbClock.nowMs() });
  }

  /** Whether the database's time has surely reached a breaker's end. */
  isOver({ until }: Breaker): boolean {
    return this.parts.dbClock.earliestMs() >= until;
  }

  /** The store has just answered what has become of a breaker; null: it is closed. */
  learn(subject: BreakerSubject, breaker: Breaker | null): void {
    const place = placeOf(subject);
    const before = this.known.get(place) ?? null;
    this.learnt.add(place);
    if (breaker === null) this.known.delete(place);
    else this.known.set(place, breaker);
    if (JSON.stringify(before) !== JSON.stringify(breaker)) this.tell();
  }

  protected intervalMs(): number {
    return LOOK_MS;
  }

  private tell(): void {
    this.awaitEnd();
    this.parts.changed();
  }

  /** The time of the first type's breaker that ends: then one node may try. */
  private awaitEnd(): void {
    this.endTimer?.clear();
    this.endTimer = null;
    const ends = [...this.known.values()].filter((breaker) => breaker.kind === "type" && !this.isOver(breaker));
    if (ends.length === 0) return;
    const end = Math.min(...ends.map(({ until }) => until));
    this.endTimer = this.parts.clock.setTimer(this.untilMs(end), () => this.tell());
  }

  private untilMs(end: EpochMs): number {
    return Math.min(LOOK_MS, Math.max(1, Math.ceil(this.parts.dbClock.timeUntilDueMs(end))));
  }
}

function placeOf({ kind, namespace, name }: BreakerSubject): string {
  return `${kind}\0${namespace}\0${name}`;
}
