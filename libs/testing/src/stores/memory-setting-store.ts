import type { Revision, SettingChange, SettingReply, Settings, SettingStore, TaskHint } from "@tickwheel/core";
import type { MemoryConnection } from "../database/memory-connection.js";
import { changeSettings, nodesBehind, readSettings, resumeEndedKeys } from "../statements/setting-statements.js";

/** How long a change waits for the one before it. */
const LOCK_TIMEOUT_MS = 2_000;

/** A {@link SettingStore} in memory: one node's view of a `MemoryDatabase`. Replies are copies. */
export class MemorySettingStore implements SettingStore {
  constructor(private readonly connection: MemoryConnection) {}

  readSettings(): Promise<Settings> {
    return this.connection.call({ statement: "settings.readSettings", request: null }, (session) =>
      session.run(readSettings),
    );
  }

  changeSettings(request: SettingChange): Promise<SettingReply> {
    return this.connection.call({ statement: "settings.changeSettings", request }, (session) =>
      session.transaction(LOCK_TIMEOUT_MS, (within) => changeSettings(within, request)),
    );
  }

  nodesBehind(request: Revision): Promise<string[] | null> {
    return this.connection.call({ statement: "settings.nodesBehind", request }, (session) =>
      session.run((scope) => nodesBehind(scope, request)),
    );
  }

  resumeEndedKeys(request: number): Promise<TaskHint[]> {
    return this.connection.call({ statement: "settings.resumeEndedKeys", request }, (session) =>
      session.run((scope) => resumeEndedKeys(scope, request)),
    );
  }
}
