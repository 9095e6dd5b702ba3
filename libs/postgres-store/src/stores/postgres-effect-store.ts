import {
  type CallerTransaction,
  type CheckpointReply,
  type EffectStore,
  type EpochMs,
  type FoundStep,
  type HandlerReport,
  type HandlerWrite,
  isTaskId,
  type NewCheckpoint,
  type NewProgress,
  type NewStep,
  type NextCheckpoint,
  type StepName,
  type StepReply,
} from "@tickwheel/core";
import type { PostgresDatabase } from "../connection/postgres-database.js";
import type { ReadPool } from "../connection/read-pool.js";
import type { Session } from "../connection/session.js";
import { addStep } from "../statements/effects/add-step.js";
import { findStep } from "../statements/effects/find-step.js";
import { lockExecution, lockMarkedExecution } from "../statements/effects/lock-execution.js";
import { readReport } from "../statements/effects/read-report.js";
import { saveCheckpoint } from "../statements/effects/save-checkpoint.js";
import { saveProgress } from "../statements/effects/save-progress.js";
import { storeCheckpoint } from "../statements/effects/store-checkpoint.js";
import { requireMarked } from "../writing/require-marked.js";
import type { SlowLane } from "../writing/slow-lane.js";

export interface EffectStoreParts {
  /** The node's connections, on which callers' transactions are joined and checkpoints are tried first. */
  database: PostgresDatabase;
  /** For a checkpoint whose task's row is locked by somebody's open transaction. */
  lane: SlowLane;
  /** For reads, and for progress, which must not take one of the engine's connections. */
  reads: ReadPool;
  /** How long a progress waits for a locked row, in milliseconds. */
  lockTimeoutMs: number;
  /** Only for tests: the instant that the statements take for now. */
  asOf?: () => EpochMs;
}

const NO_REPORT: HandlerReport = { checkpoint: null, progress: null };

/** The effects of handlers as rows beside their tasks'. Tasks whose handlers leave none behind pay nothing for it. */
export class PostgresEffectStore implements EffectStore {
  constructor(private readonly parts: EffectStoreParts) {}

  async findStep(step: StepName, within: CallerTransaction): Promise<FoundStep> {
    return (await this.parts.database.callerSession(within).run(findStep, step))[0]!;
  }

  async storeStep(step: NewStep, within: CallerTransaction): Promise<StepReply> {
    const session = this.parts.database.callerSession(within);
    if (!(await lockedFor(session, step))) return "stale";
    return (await session.run(addStep, { ...step, asOf: this.asOf() }))[0]!;
  }

  async saveCheckpoint(checkpoint: NewCheckpoint): Promise<boolean> {
    const { namespace, id } = checkpoint;
    const saved = await this.parts.lane.run({
      namespace,
      names: [id],
      attempt: (database, { lockTimeoutMs, statementTimeoutMs }) =>
        database.run(saveCheckpoint, { ...checkpoint, lockTimeoutMs, asOf: this.asOf() }, { statementTimeoutMs }),
    });
    return saved.length > 0;
  }

  async storeCheckpoint(checkpoint: NextCheckpoint, within: CallerTransaction): Promise<CheckpointReply> {
    const session = this.parts.database.callerSession(within);
    if (!(await lockedFor(session, checkpoint))) return "stale";
    return (await session.run(storeCheckpoint, { ...checkpoint, asOf: this.asOf() }))[0]!;
  }

  async saveProgress(progress: NewProgress): Promise<boolean> {
    const { reads, lockTimeoutMs } = this.parts;
    return (await reads.run(saveProgress, { ...progress, lockTimeoutMs, asOf: this.asOf() })).length > 0;
  }

  async readReport(taskId: string, namespace?: string): Promise<HandlerReport> {
    if (!isTaskId(taskId)) return NO_REPORT;
    const { reads } = this.parts;
    const reader = namespace === undefined ? reads : reads.of(namespace);
    return (await reader.run(readReport, { taskId }))[0] ?? NO_REPORT;
  }

  private asOf(): EpochMs | null {
    return this.parts.asOf?.() ?? null;
  }
}

/** Whether the task's row is this execution's, and locked until the transaction's end. */
async function lockedFor(session: Session, write: HandlerWrite): Promise<boolean> {
  const [locked] = await session.run(write.isBegun ? lockMarkedExecution : lockExecution, write);
  if (!locked) await requireMarked(session, write);
  return locked === true;
}
