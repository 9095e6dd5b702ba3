import {
  type Clock,
  type FlowLimit,
  type FullLimit,
  isLimitFull,
  type LimitId,
  type LimitState,
  type LimitStore,
  type SceneLimit,
  type TypeId,
} from "@tickwheel/core";
import type { Health } from "@tickwheel/coordination";
import { PeriodicService } from "../runtime/periodic-service.js";
import type { LimitsOfType } from "../types/limits-in-force.js";

/** How often this node looks how full the limits are, while there are any. */
const LOOK_MS = 2_000;
/** While there are none: a read of the settings wakes it. */
const IDLE_MS = 3_600_000;
/** A limit is full as long as it was seen full within this time: between two tasks it is not, for a moment. */
const FULL_FOR_MS = 10_000;

interface LevelParts {
  clock: Clock;
  health: Health;
  store: Pick<LimitStore, "readLimits">;
  limits: () => readonly FlowLimit[];
  limitsOf: (typeId: TypeId) => LimitsOfType;
}

interface Level extends LimitState {
  /** When it was seen full first, and last; null: it was not lately. */
  full: { sinceMonoMs: number; lastMonoMs: number } | null;
}

/**
 * How full the limits of the cluster are, for people: why a task waits, what is the bottleneck. Read every two seconds
 * while anything is limited. Bounded by the limits that there are.
 */
export class LimitLevels extends PeriodicService {
  private levels = new Map<LimitId, Level>();

  constructor(private readonly parts: LevelParts) {
    super("limits", parts);
  }

  async runOnce(): Promise<void> {
    const limits = new Map(this.parts.limits().map((limit) => [limit.id, limit]));
    const states = limits.size === 0 ? [] : await this.parts.store.readLimits();
    const levels = new Map<LimitId, Level>();
    for (const state of states) {
      const limit = limits.get(state.id);
      if (limit) levels.set(state.id, { ...state, full: this.fullAfter(limit, state) });
    }
    this.levels = levels;
  }

  /** As they were read last. */
  read(): ReadonlyMap<LimitId, LimitState> {
    return this.levels;
  }

  /** The limit that keeps tasks of a type waiting, its own before that of its namespace; null: there is room. */
  fullLimitOf(typeId: TypeId): FullLimit | null {
    for (const limit of this.parts.limitsOf(typeId).all) {
      const level = this.levels.get(limit.id);
      if (level === undefined || level.full === null) continue;
      const { maxRunning, rate } = limit;
      const of = limit.typeId === null ? "NAMESPACE" : "TYPE";
      return { of, maxRunning, running: level.running, rate: rate && { count: rate.count, perMs: rate.perMs } };
    }
    return null;
  }

  /** What findings look at. */
  scene(): SceneLimit[] {
    const nowMonoMs = this.parts.clock.monotonicMs();
    return this.parts.limits().flatMap((limit) => {
      const level = this.levels.get(limit.id);
      if (level === undefined) return [];
      const { running, tokens, full } = level;
      return [{ ...limit, running, tokens, fullForMs: full === null ? null : nowMonoMs - full.sinceMonoMs }];
    });
  }

  protected intervalMs(): number {
    return this.parts.limits().length === 0 ? IDLE_MS : LOOK_MS;
  }

  private fullAfter(limit: FlowLimit, state: LimitState): Level["full"] {
    const nowMonoMs = this.parts.clock.monotonicMs();
    const before = this.levels.get(limit.id)?.full ?? null;
    if (isLimitFull(limit, state)) return { sinceMonoMs: before?.sinceMonoMs ?? nowMonoMs, lastMonoMs: nowMonoMs };
    return before !== null && nowMonoMs - before.lastMonoMs < FULL_FOR_MS ? before : null;
  }
}
