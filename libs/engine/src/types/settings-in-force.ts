import {
  type EpochMs,
  isOwnType,
  isPauseInForce,
  NO_REVISION,
  type Pause,
  type PausedKey,
  type Settings,
  type TaskType,
  type TypeId,
} from "@tickwheel/core";
import type { DbClock } from "../runtime/db-clock.js";
import { LimitsInForce, type LimitsOfType } from "./limits-in-force.js";

/** What the settings are before they were read. */
const NOTHING_SET: Settings = { revision: NO_REVISION, types: [], limits: [], pauses: [] };

interface InForceParts {
  dbClock: Pick<DbClock, "earliestMs">;
  /** Undefined: this node does not know the type. */
  typeOf(typeId: TypeId): TaskType | undefined;
}

/**
 * The settings by which this node works just now. A pause is over when the database's time has surely reached its end,
 * as a start waits for its due time. Bounded by the types that exist and the keys that may be paused.
 */
export class SettingsInForce {
  private all = NOTHING_SET;
  private readonly concurrencies = new Map<TypeId, number>();
  private readonly forgotten = new Set<TypeId>();
  /** Types of which nobody keeps cancelled tasks. */
  private unkept: readonly TypeId[] = [];
  private readonly types = new Map<TypeId, Pause>();
  private readonly namespaces = new Map<string, Pause>();
  private readonly keys = new Map<TypeId, Map<string, Pause>>();

  private readonly limits: LimitsInForce;

  constructor(private readonly parts: InForceParts) {
    this.limits = new LimitsInForce((typeId) => parts.typeOf(typeId));
  }

  get settings(): Settings {
    return this.all;
  }

  take(settings: Settings): void {
    this.all = settings;
    for (const known of [this.concurrencies, this.forgotten, this.types, this.namespaces, this.keys]) known.clear();
    for (const { typeId, concurrency, keepSucceededMs } of settings.types) {
      if (concurrency !== null) this.concurrencies.set(typeId, concurrency);
      if (keepSucceededMs === 0) this.forgotten.add(typeId);
    }
    this.unkept = settings.types.filter(({ keepCancelledMs }) => keepCancelledMs === 0).map(({ typeId }) => typeId);
    this.limits.take(settings.limits);
    for (const pause of settings.pauses) this.takePause(pause);
  }

  /** How many tasks of a type may run here at once; undefined: nobody has set it. */
  concurrencyOf(typeId: TypeId): number | undefined {
    return this.concurrencies.get(typeId);
  }

  /** Whether anything is limited in the whole cluster. */
  get hasLimits(): boolean {
    return this.limits.areSet;
  }

  /** What limits a type in the whole cluster. */
  limitsOf(typeId: TypeId): LimitsOfType {
    return this.limits.of(typeId);
  }

  /** Whether a success of this type only deletes its task. */
  isForgotten(typeId: TypeId): boolean {
    return this.forgotten.has(typeId);
  }

  /** The types of which a cancelled task is only deleted. */
  forgottenCancels(): readonly TypeId[] {
    return this.unkept;
  }

  /** Whether a pause is not over yet. */
  isInForce(pause: Pause): boolean {
    return isPauseInForce(pause, this.parts.dbClock.earliestMs());
  }

  /** Whether nothing of this type may be claimed or started. */
  isPaused(typeId: TypeId): boolean {
    if (this.types.size === 0 && this.namespaces.size === 0) return false;
    return this.pauseOfType(typeId) !== null;
  }

  /** The pause that a type is in, its own before that of its namespace; null: none. */
  pauseOfType(typeId: TypeId): Pause | null {
    const own = this.inForce(this.types.get(typeId));
    if (own) return own;
    const type = this.namespaces.size === 0 ? undefined : this.parts.typeOf(typeId);
    return type && !isOwnType(type.type) ? this.pauseOfNamespace(type.namespace) : null;
  }

  pauseOfNamespace(namespace: string): Pause | null {
    return this.inForce(this.namespaces.get(namespace));
  }

  /** The pause that keeps a task from being claimed; null: none. */
  pauseOfTask({ typeId, key }: { typeId: TypeId; key: string | null }): Pause | null {
    if (this.all.pauses.length === 0) return null;
    const ofKey = key === null ? null : this.inForce(this.keys.get(typeId)?.get(key));
    return ofKey ?? this.pauseOfType(typeId);
  }

  /** The paused keys of these tasks' types. */
  pausedKeysOf(tasks: readonly { typeId: TypeId }[]): PausedKey[] {
    if (this.keys.size === 0) return [];
    const typeIds = new Set(tasks.map(({ typeId }) => typeId));
    return [...typeIds].flatMap((typeId) => this.keysOf(typeId));
  }

  /** Whether the pause of a key is over, so that a look may find tasks to resume. */
  get hasEndedKeys(): boolean {
    return this.all.pauses.some((pause) => pause.key !== null && !this.isInForce(pause));
  }

  /** When the first pause that is in force ends; null: none ends by itself. */
  nextEnd(): EpochMs | null {
    const ends = this.all.pauses.flatMap((pause) => (this.inForce(pause) ? (pause.until ?? []) : []));
    return ends.length === 0 ? null : Math.min(...ends);
  }

  private takePause(pause: Pause): void {
    const { namespace, typeId, key } = pause;
    if (typeId === null) this.namespaces.set(namespace, pause);
    else if (key === null) this.types.set(typeId, pause);
    else this.keys.set(typeId, (this.keys.get(typeId) ?? new Map<string, Pause>()).set(key, pause));
  }

  private keysOf(typeId: TypeId): PausedKey[] {
    const pauses = [...(this.keys.get(typeId)?.values() ?? [])];
    return pauses.flatMap((pause) => (this.isInForce(pause) ? [{ typeId, key: pause.key! }] : []));
  }

  private inForce(pause: Pause | undefined): Pause | null {
    return pause !== undefined && this.isInForce(pause) ? pause : null;
  }
}
