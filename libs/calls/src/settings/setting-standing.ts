import {
  type EpochMs,
  isOwnType,
  type FlowLimit,
  isPauseInForce,
  type LimitId,
  type LimitState,
  type LimitValues,
  NO_SETTING,
  type Pause,
  type Settings,
  type TaskType,
  type TypeBreaker,
  type TypeId,
  type TypeSettingValues,
} from "@tickwheel/core";

/** Limits of the whole cluster, and how full they were within the last two seconds; null: not known, or not limited. */
export interface LimitStanding extends LimitValues, Omit<LimitState, "id"> {}

/** How a type stands by what people have set. */
export interface TypeStanding extends TypeSettingValues {
  /** Its own; null: it has none. */
  limits: LimitStanding | null;
  /** Null: it is closed. */
  breaker: BreakerStanding | null;
  /** Whether a limit of its own or of its namespace lets no more start just now. */
  isLimitFull: boolean;
  /** Its own pause, else that of its namespace; null: neither is paused. */
  pause: Pause | null;
}

/** The breaker of a type, which is not closed. `node`: the label of who tries; null: nobody does, or it is gone. */
export interface BreakerStanding extends TypeBreaker {
  node: string | null;
}

/** How a namespace stands by what people have set. */
export interface NamespaceStanding {
  /** The limits of all its types together; null: it has none. */
  limits: LimitStanding | null;
  pause: Pause | null;
}

/** What this node knew of limits and breakers when it looked last. */
export interface Looks {
  breakerOf(typeId: TypeId): BreakerStanding | null;
  levelOf(limitId: LimitId): LimitState | null;
  isLimitFull(typeId: TypeId): boolean;
}

interface StandingParts {
  settings: Settings;
  /** The database's. */
  now: EpochMs;
  looks: Looks;
}

/** How all of it stands by settings as of one moment. */
export class SettingStanding {
  constructor(private readonly parts: StandingParts) {}

  ofType({ id: typeId, namespace, type }: Pick<TaskType, "id" | "namespace" | "type">): TypeStanding {
    const { settings, looks } = this.parts;
    const set = settings.types.find((setting) => setting.typeId === typeId) ?? NO_SETTING;
    const { concurrency, keepSucceededMs, keepCancelledMs, keepDeadMs } = set;
    const kept = { keepSucceededMs, keepCancelledMs, keepDeadMs };
    const own = this.pauseOf({ namespace, typeId, key: null });
    const pause = own ?? (isOwnType(type) ? null : this.pauseOfNamespace(namespace));
    const limits = this.limitsOf({ namespace, typeId });
    const isLimitFull = looks.isLimitFull(typeId);
    const breaker = looks.breakerOf(typeId);
    return { concurrency, ...kept, limits, isLimitFull, breaker, pause };
  }

  ofNamespace(namespace: string): NamespaceStanding {
    return { limits: this.limitsOf({ namespace, typeId: null }), pause: this.pauseOfNamespace(namespace) };
  }

  pauseOfNamespace(namespace: string): Pause | null {
    return this.pauseOf({ namespace, typeId: null, key: null });
  }

  /** The pause of exactly this subject; null: it is not paused. */
  pauseOf({ namespace, typeId, key }: Pick<Pause, "namespace" | "typeId" | "key">): Pause | null {
    const isAsked = (pause: Pause): boolean =>
      pause.namespace === namespace && pause.typeId === typeId && pause.key === key;
    return this.pausesOf(namespace).find(isAsked) ?? null;
  }

  /** Those in force, the newest first. */
  pausesOf(namespace: string): Pause[] {
    const { settings, now } = this.parts;
    return settings.pauses
      .filter((pause) => pause.namespace === namespace && isPauseInForce(pause, now))
      .toSorted(byNewest);
  }

  private limitsOf({ namespace, typeId }: Pick<FlowLimit, "namespace" | "typeId">): LimitStanding | null {
    const { settings, looks } = this.parts;
    const limit = settings.limits.find((one) => one.namespace === namespace && one.typeId === typeId);
    if (limit === undefined) return null;
    const { running = null, tokens = null } = looks.levelOf(limit.id) ?? {};
    return { maxRunning: limit.maxRunning, running, rate: limit.rate, tokens };
  }
}

function byNewest(one: Pause, other: Pause): number {
  return other.pausedAt - one.pausedAt || (one.typeId ?? 0) - (other.typeId ?? 0) || byKey(one.key, other.key);
}

function byKey(one: string | null, other: string | null): number {
  if (one === other) return 0;
  return (one ?? "") < (other ?? "") ? -1 : 1;
}
