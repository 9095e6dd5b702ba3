import {
  type Clock,
  type ClockTimer,
  type LimitId,
  MAX_LIMITS_PER_MESSAGE,
  type Random,
  type TypeId,
} from "@tickwheel/core";
import type { LimitsOfType } from "../types/limits-in-force.js";

/** After another node's claim stood in the way: at random, so that nodes do not meet again. */
const AFTER_TAKEN_MS = { least: 1, most: 5 };
/** After a claim that found no place, when nobody tells of one. */
const AFTER_FULL_MS = { least: 80, most: 120 };
/** After another node has told of a place, at random for the same reason. */
const AFTER_HINT_MS = { least: 0, most: 3 };
/** However often others tell, a claim that found no place is tried again at most this often. */
const HINT_PAUSE_MS = 10;
/** A limit at which this node found no place is told to the others for this long. */
const WAITS_FOR_MS = 2_500;

interface RoundParts {
  clock: Clock;
  random: Pick<Random, "next">;
  limitsOf: (typeId: TypeId) => LimitsOfType;
  /** Types may be claimed again. */
  opened: () => void;
}

/** A limit at which there was no place. */
interface Closed {
  untilMonoMs: number;
  timer: ClockTimer;
}

/**
 * When to claim limited types again: after a claim that another node's stood in the way of, soon; after one that found
 * or left no place in a limit, when one becomes free, whichever of its types asks. A look of its own ten times a second
 * finds the places that nobody told of. Bounded by the limits that there are.
 */
export class ClaimRounds {
  private readonly taken = new Map<TypeId, ClockTimer>();
  private readonly full = new Map<LimitId, Closed>();
  private readonly hintedMonoMs = new Map<LimitId, number>();
  private readonly fullMonoMs = new Map<LimitId, number>();

  constructor(private readonly parts: RoundParts) {}

  isOpen(typeId: TypeId): boolean {
    if (this.taken.has(typeId)) return false;
    return this.full.size === 0 || !this.parts.limitsOf(typeId).counted.some((limitId) => this.full.has(limitId));
  }

  /** Another claim has a limit of the type just now. */
  wasTaken(typeId: TypeId): void {
    this.taken.get(typeId)?.clear();
    const timer = this.parts.clock.setTimer(this.pick(AFTER_TAKEN_MS), () => {
      this.taken.delete(typeId);
      this.parts.opened();
    });
    this.taken.set(typeId, timer);
  }

  /** All places of these limits are taken. */
  wereFull(limitIds: readonly LimitId[]): void {
    const nowMonoMs = this.parts.clock.monotonicMs();
    for (const limitId of limitIds) {
      this.fullMonoMs.set(limitId, nowMonoMs);
      this.close(limitId, this.pick(AFTER_FULL_MS));
    }
  }

  /** Tasks of this node have left places of these limits, and the store knows. */
  freed(limitIds: readonly LimitId[]): void {
    for (const limitId of limitIds) if (this.full.has(limitId)) this.open(limitId);
  }

  /** Another node says that there may be a place. */
  hinted(limitIds: readonly LimitId[]): void {
    const nowMonoMs = this.parts.clock.monotonicMs();
    for (const limitId of limitIds) {
      const closed = this.full.get(limitId);
      const pauseMs = (this.hintedMonoMs.get(limitId) ?? -Infinity) + HINT_PAUSE_MS - nowMonoMs;
      const inMs = Math.max(pauseMs, this.pick(AFTER_HINT_MS));
      if (closed === undefined || nowMonoMs + inMs >= closed.untilMonoMs) continue;
      this.hintedMonoMs.set(limitId, nowMonoMs + inMs);
      this.close(limitId, inMs);
    }
  }

  /** The limits at which this node has found no place lately. */
  waits(): LimitId[] {
    const sinceMonoMs = this.parts.clock.monotonicMs() - WAITS_FOR_MS;
    for (const [limitId, monoMs] of this.fullMonoMs) if (monoMs < sinceMonoMs) this.fullMonoMs.delete(limitId);
    return [...this.fullMonoMs.keys()].slice(0, MAX_LIMITS_PER_MESSAGE);
  }

  /** The limits may be others now: everything is open. */
  reset(): void {
    for (const timer of this.taken.values()) timer.clear();
    for (const { timer } of this.full.values()) timer.clear();
    for (const known of [this.taken, this.full, this.hintedMonoMs, this.fullMonoMs]) known.clear();
  }

  private close(limitId: LimitId, forMs: number): void {
    this.full.get(limitId)?.timer.clear();
    const { clock } = this.parts;
    const timer = clock.setTimer(forMs, () => this.open(limitId));
    this.full.set(limitId, { untilMonoMs: clock.monotonicMs() + forMs, timer });
  }

  private open(limitId: LimitId): void {
    this.full.get(limitId)?.timer.clear();
    this.full.delete(limitId);
    this.parts.opened();
  }

  private pick({ least, most }: { least: number; most: number }): number {
    return Math.round(least + (most - least) * this.parts.random.next());
  }
}
