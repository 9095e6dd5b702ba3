import type { Pause, SettingChange, Settings, Task } from "@tickwheel/core";
import type { SettingAnswer, SettingService } from "./setting-service.js";
import type { SettingsInForce } from "./settings-in-force.js";

/** What people have set for types and keys, as this node knows and changes it. */
export class NodeSettings {
  constructor(
    private readonly inForce: SettingsInForce,
    private readonly service: Pick<SettingService, "change">,
  ) {}

  /** As this node has read them last: at most a beat old, or five seconds on a node without the engine. */
  get current(): Settings {
    return this.inForce.settings;
  }

  /** The pause that keeps a task from being claimed; null: none. */
  pauseOfTask(task: Pick<Task, "typeId" | "key">): Pause | null {
    return this.inForce.pauseOfTask(task);
  }

  /** Makes a change and waits until every node obeys; see {@link SettingService.change}. */
  change(change: SettingChange): Promise<SettingAnswer> {
    return this.service.change(change);
  }
}
