import type { CallerTransaction } from "./task-store.js";
import type { JsonText } from "../task/json-text.js";
import type { EpochMs, ExecutionRef, HandlerWrite } from "../task/task.js";

/** Most steps (`ctx.once`) of one task. */
export const MAX_STEPS = 100;
/** Longest name of a step, in characters. */
export const MAX_STEP_NAME = 128;
/** Largest checkpoint, in bytes of its JSON in UTF-8. */
export const CHECKPOINT_LIMIT_BYTES = 65_536;
/** Longest note of a progress, in characters. */
export const MAX_PROGRESS_NOTE = 256;

/**
 * What handlers leave behind while they run: the results of their steps, their checkpoint and their progress.
 *
 * Each write is guarded by a lock of the task's row: it counts only while the task is `running` under the given owner
 * and fence, and a transaction that ends the execution waits until it is committed. So a later execution reads all that
 * an earlier one has written, and an earlier one writes nothing after that. Refusals are values.
 *
 * All of it stays through failures, crashes, releases and explicit retries, and goes when the task itself has gone.
 */
export interface EffectStore {
  /** The step of this name, and how many the task has. Reads in the handler's own transaction. */
  findStep(step: StepName, within: CallerTransaction): Promise<FoundStep>;
  /**
   * Stores a step's result as the last thing in the handler's own transaction, which must be committed soon if the
   * answer is `stored`, and rolled back otherwise.
   */
  storeStep(step: NewStep, within: CallerTransaction): Promise<StepReply>;
  /** Stores the checkpoint in place of the one before. False: the execution is stale. */
  saveCheckpoint(checkpoint: NewCheckpoint): Promise<boolean>;
  /**
   * Stores the checkpoint in place of the one before, as the last thing in the handler's own transaction, which must be
   * committed soon if the answer is `stored`, and rolled back otherwise.
   */
  storeCheckpoint(checkpoint: NextCheckpoint, within: CallerTransaction): Promise<CheckpointReply>;
  /** Stores the progress in place of the one before. False: the execution is stale. */
  saveProgress(progress: NewProgress): Promise<boolean>;
  /**
   * The task's checkpoint and progress, whether it is live or finished.
   *
   * @param namespace of the caller who asks, with whose reads this one takes turns; absent: the node itself asks
   */
  readReport(taskId: string, namespace?: string): Promise<HandlerReport>;
}

export interface StepName {
  taskId: string;
  /** 1 to {@link MAX_STEP_NAME} characters. */
  name: string;
}

export interface FoundStep {
  /** Null: the step has not been done. Its `result` is JSON; null: JSON's null. */
  stored: { result: string | null } | null;
  /** How many steps of the task are stored. */
  count: number;
}

export interface NewStep extends HandlerWrite {
  name: string;
  /** JSON; null: JSON's null. */
  result: string | null;
}

/**
 * `present`: the step has been stored meanwhile, by an earlier try of this execution whose answer was lost. `stale`:
 * the execution is no longer the task's. `full`: the task has {@link MAX_STEPS} steps.
 */
export type StepReply = "stored" | "present" | "stale" | "full";

export interface NewCheckpoint extends ExecutionRef {
  /** Whose writes share the places of those that wait for a locked row. */
  namespace: string;
  state: JsonText;
}

export interface NextCheckpoint extends HandlerWrite {
  /** The checkpoint that it follows, as it was read; null: there was none. */
  before: JsonText | null;
  state: JsonText;
}

/**
 * `moved`: another checkpoint than `before` is stored, by an earlier try of this execution whose answer was lost.
 * `stale`: the execution is no longer the task's.
 */
export type CheckpointReply = "stored" | "moved" | "stale";

export interface NewProgress extends ExecutionRef {
  /** 0 to 1. */
  value: number;
  note: string | null;
}

/** What a task's handler has told last. */
export interface HandlerReport {
  checkpoint: { state: JsonText; at: EpochMs } | null;
  /** `value`: 0 to 1. */
  progress: { value: number; note: string | null; at: EpochMs } | null;
}
