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
  /** A type may be claimed again. */
  opened: () => void;
}

interface Closed {
  reason: "taken" | "full";
  untilMonoMs: number;
  timer: ClockTimer;
}

/**
 * When to claim a limited type again: after a claim that another node's stood in the way of, soon; after one that found
 * no place, when one becomes free. A look of its own ten times a second finds the places that nobody told of. Bounded
 * by the types that have limits.
 */
export class ClaimRounds {
  private readonly closed = new Map<TypeId, Closed>();
  private readonly hintedMonoMs = new Map<TypeId, number>();
  private readonly fullMonoMs = new Map<LimitId, number>();

  constructor(private readonly parts: RoundParts) {}

  isOpen(typeId: TypeId): boolean {
    return this.closed.size === 0 || !this.closed.has(typeId);
  }

  /** Another claim has the limit just now. */
  taken(typeId: TypeId): void {
    this.close(typeId, "taken", this.pick(AFTER_TAKEN_MS));
  }

  /** All places are taken. */
  full(typeId: TypeId): void {
    const nowMonoMs = this.parts.clock.monotonicMs();
    for (const limitId of this.parts.limitsOf(typeId).counted) this.fullMonoMs.set(limitId, nowMonoMs);
    this.close(typeId, "full", this.pick(AFTER_FULL_MS));
  }

  /** Tasks of this node have left places of these limits, and the store knows. */
  freed(limitIds: readonly LimitId[]): void {
    for (const typeId of this.fullTypes(limitIds)) this.open(typeId);
  }

  /** Another node says that there may be a place. */
  hinted(limitIds: readonly LimitId[]): void {
    const nowMonoMs = this.parts.clock.monotonicMs();
    for (const typeId of this.fullTypes(limitIds)) {
      const pauseMs = (this.hintedMonoMs.get(typeId) ?? -Infinity) + HINT_PAUSE_MS - nowMonoMs;
      const inMs = Math.max(pauseMs, this.pick(AFTER_HINT_MS));
      if (nowMonoMs + inMs >= this.closed.get(typeId)!.untilMonoMs) continue;
      this.hintedMonoMs.set(typeId, nowMonoMs + inMs);
      this.close(typeId, "full", inMs);
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
    for (const { timer } of this.closed.values()) timer.clear();
    this.closed.clear();
    this.hintedMonoMs.clear();
    this.fullMonoMs.clear();
  }

  private fullTypes(limitIds: readonly LimitId[]): TypeId[] {
    if (this.closed.size === 0) return [];
    const isMeant = (typeId: TypeId): boolean =>
      this.parts.limitsOf(typeId).counted.some((limitId) => limitIds.includes(limitId));
    return [...this.closed].flatMap(([typeId, { reason }]) => (reason === "full" && isMeant(typeId) ? [typeId] : []));
  }

  private close(typeId: TypeId, reason: Closed["reason"], forMs: number): void {
    this.closed.get(typeId)?.timer.clear();
    const { clock } = this.parts;
    const timer = clock.setTimer(forMs, () => this.open(typeId));
    this.closed.set(typeId, { reason, untilMonoMs: clock.monotonicMs() + forMs, timer });
  }

  private open(typeId: TypeId): void {
    this.closed.get(typeId)?.timer.clear();
    this.closed.delete(typeId);
    this.parts.opened();
  }

  private pick({ least, most }: { least: number; most: number }): number {
    return Math.round(least + (most - least) * this.parts.random.next());
  }
}
