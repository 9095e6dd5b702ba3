import {
  type FullLimit,
  type LimitId,
  type LimitState,
  type MetricReading,
  type Pause,
  readingOf,
  type SceneLimit,
  type SceneSettings,
  type SettingChange,
  type Settings,
  type SettingStore,
  type Task,
  type TypeId,
} from "@tickwheel/core";
import type { SettingAnswer, SettingService } from "./setting-service.js";
import type { SettingsInForce } from "./settings-in-force.js";
import type { SettingsReader } from "./settings-reader.js";

interface NodeSettingsParts {
  inForce: Pick<SettingsInForce, "settings" | "pauseOfTask" | "isInForce" | "forgottenCancels">;
  reader: Pick<SettingsReader, "known">;
  service: Pick<SettingService, "change" | "answers">;
  store: Pick<SettingStore, "readSettings">;
  /** Null: nothing can be limited in the whole cluster. */
  levels: Levels | null;
}

/** How full the limits are. */
interface Levels {
  read(): ReadonlyMap<LimitId, LimitState>;
  scene(): SceneLimit[];
  fullLimitOf(typeId: TypeId): FullLimit | null;
}

/** What people have set for types and keys, as this node knows and changes it. */
export class NodeSettings {
  constructor(private readonly parts: NodeSettingsParts) {}

  /** As this node has read them last: at most a beat old, or five seconds on a node without the engine. */
  get current(): Settings {
    return this.parts.inForce.settings;
  }

  /** As they are now. @throws what the store throws */
  read(): Promise<Settings> {
    return this.parts.store.readSettings();
  }

  /** What findings look at; null: nothing was read yet. */
  get scene(): SceneSettings | null {
    const { known } = this.parts.reader;
    return known && { ...known, pauses: this.current.pauses, limits: this.parts.levels?.scene() ?? [] };
  }

  /** What `/metrics` tells of the settings. */
  metrics(): MetricReading[] {
    const { pauses, revision } = this.current;
    const inForce = pauses.filter((pause) => this.parts.inForce.isInForce(pause));
    const keys = inForce.filter(({ key }) => key !== null).length;
    return [
      readingOf("tickwheel_settings_revision", Math.max(0, revision.number)),
      readingOf("tickwheel_paused_types", inForce.length - keys),
      readingOf("tickwheel_paused_keys", keys),
      readingOf("tickwheel_settings_answer_seconds", this.parts.service.answers.read()),
    ];
  }

  /** How full a limit was when this node looked last, within two seconds; null: it has not looked since it was set. */
  levelOf(limitId: LimitId): LimitState | null {
    return this.parts.levels?.read().get(limitId) ?? null;
  }

  /** Whether a limit of a type or of its namespace lets no more of it start, or has not until just now. */
  isLimitFull(typeId: TypeId): boolean {
    return (this.parts.levels?.fullLimitOf(typeId) ?? null) !== null;
  }

  /** The pause that keeps a task from being claimed; null: none. */
  pauseOfTask(task: Pick<Task, "typeId" | "key">): Pause | null {
    return this.parts.inForce.pauseOfTask(task);
  }

  /** The types of which a cancelled task is only deleted. */
  forgottenCancels(): readonly TypeId[] {
    return this.parts.inForce.forgottenCancels();
  }

  /** Makes a change and waits until every node obeys; see {@link SettingService.change}. */
  change(change: SettingChange): Promise<SettingAnswer> {
    return this.parts.service.change(change);
  }
}
