import type { Pause, SettingChange, Settings, SettingStore, Task } from "@tickwheel/core";
import type { SettingAnswer, SettingService } from "./setting-service.js";
import type { SettingsInForce } from "./settings-in-force.js";

interface NodeSettingsParts {
  inForce: Pick<SettingsInForce, "settings" | "pauseOfTask">;
  service: Pick<SettingService, "change">;
  store: Pick<SettingStore, "readSettings">;
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

  /** The pause that keeps a task from being claimed; null: none. */
  pauseOfTask(task: Pick<Task, "typeId" | "key">): Pause | null {
    return this.parts.inForce.pauseOfTask(task);
  }

  /** Makes a change and waits until every node obeys; see {@link SettingService.change}. */
  change(change: SettingChange): Promise<SettingAnswer> {
    return this.parts.service.change(change);
  }
}
