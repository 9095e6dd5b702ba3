import type {
  CallerTransaction,
  CheckpointReply,
  EffectStore,
  FoundStep,
  HandlerReport,
  NewCheckpoint,
  NewProgress,
  NewStep,
  NextCheckpoint,
  StepName,
  StepReply,
} from "@tickwheel/core";
import type { MemoryConnection } from "../database/memory-connection.js";
import {
  findStep,
  readReport,
  saveCheckpoint,
  saveProgress,
  storeCheckpoint,
  storeStep,
} from "../statements/effect-statements.js";
import { copyOf } from "../system/copy-of.js";

/** An {@link EffectStore} in memory: one node's view of a `MemoryDatabase`. Replies are copies. */
export class MemoryEffectStore implements EffectStore {
  constructor(private readonly connection: MemoryConnection) {}

  findStep(request: StepName, within: CallerTransaction): Promise<FoundStep> {
    return this.connection.call({ statement: "effects.findStep", request, within }, (session) =>
      session.run((scope) => findStep(scope, request)),
    );
  }

  storeStep(request: NewStep, within: CallerTransaction): Promise<StepReply> {
    return this.connection.call({ statement: "effects.storeStep", request, within }, (session) =>
      storeStep(session, request),
    );
  }

  saveCheckpoint(request: NewCheckpoint): Promise<boolean> {
    return this.connection.call({ statement: "effects.saveCheckpoint", request }, (session) =>
      session.run((scope) => saveCheckpoint(scope, request)),
    );
  }

  storeCheckpoint(request: NextCheckpoint, within: CallerTransaction): Promise<CheckpointReply> {
    return this.connection.call({ statement: "effects.storeCheckpoint", request, within }, (session) =>
      storeCheckpoint(session, request),
    );
  }

  saveProgress(request: NewProgress): Promise<boolean> {
    return this.connection.call({ statement: "effects.saveProgress", request }, (session) =>
      session.run((scope) => saveProgress(scope, request), session.lockTimeoutMs),
    );
  }

  readReport(taskId: string): Promise<HandlerReport> {
    return this.connection.call({ statement: "effects.readReport", request: taskId }, (session) =>
      session.run((scope) => copyOf(readReport(scope, taskId))),
    );
  }
}
