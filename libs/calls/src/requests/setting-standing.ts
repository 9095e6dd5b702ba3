import {
  type EpochMs,
  isOwnType,
  isPauseInForce,
  NO_SETTING,
  type Pause,
  type Settings,
  type TaskType,
  type TypeSettingValues,
} from "@tickwheel/core";

/** How a type stands by what people have set. */
export interface TypeStanding extends TypeSettingValues {
  /** Its own pause, else that of its namespace; null: neither is paused. */
  pause: Pause | null;
}

/** Pure: settings as of one moment, and the database's time. */
export class SettingStanding {
  constructor(
    private readonly settings: Settings,
    private readonly now: EpochMs,
  ) {}

  ofType({ id: typeId, namespace, type }: Pick<TaskType, "id" | "namespace" | "type">): TypeStanding {
    const set = this.settings.types.find((setting) => setting.typeId === typeId) ?? NO_SETTING;
    const { concurrency, keepSucceededMs, keepDeadMs } = set;
    const own = this.pauseOf({ namespace, typeId, key: null });
    const pause = own ?? (isOwnType(type) ? null : this.pauseOfNamespace(namespace));
    return { concurrency, keepSucceededMs, keepDeadMs, pause };
  }

  pauseOfNamespace(namespace: string): Pause | null {
    return this.pauseOf({ namespace, typeId: null, key: null });
  }

  /** Of exactly this subject; null: it is not paused. */
  pauseOf({ namespace, typeId, key }: Pick<Pause, "namespace" | "typeId" | "key">): Pause | null {
    const isAsked = (pause: Pause): boolean =>
      pause.namespace === namespace && pause.typeId === typeId && pause.key === key;
    return this.pausesOf(namespace).find(isAsked) ?? null;
  }

  /** Those in force, the newest first. */
  pausesOf(namespace: string): Pause[] {
    return this.settings.pauses
      .filter((pause) => pause.namespace === namespace && isPauseInForce(pause, this.now))
      .toSorted(byNewest);
  }
}

function byNewest(one: Pause, other: Pause): number {
  return other.pausedAt - one.pausedAt || (one.typeId ?? 0) - (other.typeId ?? 0) || byKey(one.key, other.key);
}

function byKey(one: string | null, other: string | null): number {
  if (one === other) return 0;
  return (one ?? "") < (other ?? "") ? -1 : 1;
}
