import {
  CHECKPOINT_LIMIT_BYTES,
  type EffectStore,
  type Execution,
  type JsonText,
  TickwheelError,
} from "@tickwheel/core";
import { requireKept } from "./lost-attempt.js";
import { isTooDeep, MAX_RESULT_DEPTH } from "./result-text.js";

/**
 * The checkpoint of one execution: it writes its own, in the order of the calls, and reads what an earlier one left.
 * The first read asks the store, later ones do not; without a read nothing is asked.
 */
export class ExecutionCheckpoint {
  private last: Promise<JsonText | null> | null = null;
  private saving: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly execution: Execution,
    private readonly effects: Pick<EffectStore, "saveCheckpoint" | "readReport">,
  ) {}

  async save(state: unknown): Promise<void> {
    const text = checkpointText(state);
    const saved = this.saving.then(() => this.saveNow(text));
    this.saving = saved.catch(() => undefined);
    return saved;
  }

  async read(): Promise<unknown> {
    const text = await this.readText();
    return text === null ? null : JSON.parse(text);
  }

  async readText(): Promise<JsonText | null> {
    const reading = (this.last ??= this.readNow());
    try {
      return await reading;
    } catch (error) {
      if (this.last === reading) this.last = null;
      throw error;
    }
  }

  /** What somebody else has stored for this execution. */
  take(state: JsonText): void {
    this.last = Promise.resolve(state);
  }

  /** The next read asks the store. */
  forget(): void {
    this.last = null;
  }

  private async saveNow(state: JsonText): Promise<void> {
    // It may have waited behind another.
    requireKept(this.execution, "checkpoint");
    const { task, type } = this.execution;
    const { id, owner, fence } = task;
    const isSaved = await this.effects.saveCheckpoint({ id, owner, fence, namespace: type.namespace, state });
    if (!isSaved)
      throw new TickwheelError("LEASE_LOST", "The task is no longer this execution's; its checkpoint is not stored.");
    this.take(state);
  }

  private async readNow(): Promise<JsonText | null> {
    return (await this.effects.readReport(this.execution.task.id)).checkpoint?.state ?? null;
  }
}

/** @throws TickwheelError `VALIDATION_FAILED`: the state has no JSON, or too much of it */
export function checkpointText(state: unknown): JsonText {
  const text = textOf(state);
  // A character is one byte at least: of what is far too long not even the bytes are counted.
  const bytes = text.length > CHECKPOINT_LIMIT_BYTES ? text.length : Buffer.byteLength(text, "utf8");
  if (bytes > CHECKPOINT_LIMIT_BYTES)
    throw invalid(`is larger than ${CHECKPOINT_LIMIT_BYTES} bytes of JSON: it has at least ${bytes}`);
  if (isTooDeep(text)) throw invalid(`is nested deeper than ${MAX_RESULT_DEPTH} levels`);
  return text as JsonText;
}

function textOf(state: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(state) as string | undefined;
  } catch (cause) {
    throw invalid("has no JSON", cause);
  }
  if (text === undefined) throw invalid("has no JSON");
  return text;
}

function invalid(fault: string, cause?: unknown): TickwheelError {
  return new TickwheelError("VALIDATION_FAILED", `The checkpoint ${fault}.`, { cause });
}
