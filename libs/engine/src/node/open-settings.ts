import type { Coordination, LimitStore, Service, SettingStore, TaskHint, TypeId } from "@tickwheel/core";
import type { ClusterNode } from "@tickwheel/coordination";
import { PausedKeyKeeper } from "../recovery/paused-key-keeper.js";
import type { EngineContext } from "../runtime/engine-context.js";
import { LimitLevels } from "../limits/limit-levels.js";
import type { LimitsOfType } from "../types/limits-in-force.js";
import { NodeSettings } from "../types/node-settings.js";
import { SettingService } from "../types/setting-service.js";
import type { SettingsInForce } from "../types/settings-in-force.js";
import { TypeDeferrals } from "../types/type-deferrals.js";
import { SettingsReader } from "../types/settings-reader.js";
import type { Engine } from "./engine.js";

interface SettingParts {
  /** Absent: nothing can be set. */
  store: SettingStore | undefined;
  /** Absent: nothing can be limited in the whole cluster. */
  limits: LimitStore | undefined;
  coordination: Pick<Coordination, "send">;
  inForce: SettingsInForce;
  /** Null: this node is no member of the cluster. */
  member: Pick<ClusterNode, "listen" | "beatSoon"> | null;
  /** Null: this node has none, or not yet. */
  engine: () => Pick<Engine, "obey" | "settingsChanged" | "publish"> | null;
  /** Whether no time passes while a change waits. */
  standsStill: boolean;
}

/** A node's settings: how it reads and obeys them, and what others may ask of them. */
export interface OpenSettings {
  reader: SettingsReader;
  /** What a member does on the side; others have none. */
  keepers: readonly Service[];
  settings: NodeSettings;
  /** Null: nothing can be limited in the whole cluster. */
  levels: LimitLevels | null;
  /** Pauses types whose handlers ask for it. */
  deferrals: TypeDeferrals;
}

/** Puts together what a node needs to obey settings. Call it before the engine listens: it must not claim before. */
export function openSettings(context: EngineContext, parts: SettingParts): OpenSettings | null {
  const { store, limits, coordination, inForce, member, engine } = parts;
  if (store === undefined) return null;
  const publish = (hints: TaskHint[]): void => engine()?.publish(hints);
  const levels = limits ? limitLevels(context, limits, inForce) : null;
  const keeper = new PausedKeyKeeper({ ...context, store, inForce, publish });
  const reader = new SettingsReader({
    ...context,
    store,
    inForce,
    beats: member !== null,
    obey: () => engine()?.obey() ?? Promise.resolve(),
    obeyed: () => member?.beatSoon(),
    changed: () => {
      engine()?.settingsChanged();
      keeper.wake();
      if (inForce.hasLimits) levels?.wake();
    },
  });
  member?.listen({
    beatGood: (good) => reader.beatGood(good),
    joined: () => reader.reset(),
    fenced: () => reader.reset(),
    received: ({ kind }) => {
      if (kind === "settings") reader.hinted();
    },
  });
  const { settingsAnswerMs: answerMs } = context.options;
  const readNow = parts.standsStill ? () => reader.runOnce() : null;
  const service = new SettingService({ ...context, store, limits, coordination, reader, answerMs, readNow });
  const settings = new NodeSettings({ inForce, reader, service, store, levels });
  const deferrals = new TypeDeferrals({ ...context, service });
  return { reader, keepers: member === null ? [] : [keeper], settings, levels, deferrals };
}

function limitLevels({ clock, health }: EngineContext, store: LimitStore, inForce: SettingsInForce): LimitLevels {
  const limitsOf = (typeId: TypeId): LimitsOfType => inForce.limitsOf(typeId);
  return new LimitLevels({ clock, health, store, limitsOf, limits: () => inForce.settings.limits });
}
