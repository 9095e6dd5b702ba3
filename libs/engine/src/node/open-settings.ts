import type { Coordination, SettingStore } from "@tickwheel/core";
import type { ClusterNode } from "@tickwheel/coordination";
import type { EngineContext } from "../runtime/engine-context.js";
import { NodeSettings } from "../types/node-settings.js";
import { SettingService } from "../types/setting-service.js";
import type { SettingsInForce } from "../types/settings-in-force.js";
import { SettingsReader } from "../types/settings-reader.js";
import type { Engine } from "./engine.js";

interface SettingParts {
  /** Absent: nothing can be set. */
  store: SettingStore | undefined;
  coordination: Pick<Coordination, "send">;
  inForce: SettingsInForce;
  /** Null: this node is no member of the cluster. */
  member: Pick<ClusterNode, "listen" | "beatSoon"> | null;
  /** Null: this node has none, or not yet. */
  engine: () => Pick<Engine, "obey" | "settingsChanged"> | null;
}

/** A node's settings: how it reads and obeys them, and what others may ask of them. */
export interface OpenSettings {
  reader: SettingsReader;
  settings: NodeSettings;
}

/** Puts together what a node needs to obey settings. Call it before the engine listens: it must not claim before. */
export function openSettings(context: EngineContext, parts: SettingParts): OpenSettings | null {
  const { store, coordination, inForce, member, engine } = parts;
  if (store === undefined) return null;
  const reader = new SettingsReader({
    ...context,
    ...{ store, inForce, beats: member !== null },
    obey: () => engine()?.obey() ?? Promise.resolve(),
    obeyed: () => member?.beatSoon(),
    changed: () => engine()?.settingsChanged(),
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
  const service = new SettingService({ ...context, store, coordination, reader, answerMs });
  return { reader, settings: new NodeSettings(inForce, reader, service) };
}
