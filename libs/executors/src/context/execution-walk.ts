import {
  type CallerTransaction,
  type EffectStore,
  type Execution,
  type JsonText,
  type TaskStore,
  TickwheelError,
} from "@tickwheel/core";
import { checkpointText, type ExecutionCheckpoint } from "./execution-checkpoint.js";
import { requireKept } from "./lost-attempt.js";
import type { TransactionRunner } from "./execution-steps.js";

type WalkStep = (from: unknown, handle: unknown) => Promise<unknown>;

type PageStep = (from: unknown) => Promise<unknown>;

/** Where a walk stands, and the checkpoint that says so. */
interface Place {
  /** Null: no page has been done. */
  checkpoint: JsonText | null;
  /** What the page before has answered; null: there was none. */
  from: unknown;
  isDone: boolean;
}

/**
 * The walk of one execution (`ctx.walk`). Each page runs in a transaction of its own that also stores, as the task's
 * checkpoint, where the next one begins, under a lock of the task's row: so it counts exactly once, whatever dies when.
 * The checkpoint must still be the one that the page has begun at: a page that another try has done meanwhile is rolled
 * back, and the walk goes on behind it.
 */
export class ExecutionWalk {
  private stage: "open" | "under way" | "over" = "open";

  constructor(
    private readonly execution: Execution,
    private readonly ports: {
      tasks: Pick<TaskStore, "beginWithin">;
      effects: Pick<EffectStore, "storeCheckpoint">;
      runTransaction: TransactionRunner | null;
      checkpoint: Pick<ExecutionCheckpoint, "readText" | "take" | "forget">;
    },
    /** Hears that a second walk is refused, which the attempt does not survive. */
    private readonly refusal: (error: TickwheelError) => TickwheelError,
  ) {}

  async walk(step: WalkStep): Promise<void> {
    const { runTransaction } = this.ports;
    if (!runTransaction)
      throw new TickwheelError(
        "TRANSACTION_UNAVAILABLE",
        "ctx.walk needs the application's own database: pass `dataSource` or `transactions` to DelayTaskModule.",
      );
    // A second walk would find that the task's walk is done, and leave out all of its own pages.
    if (this.stage !== "open")
      throw this.refusal(
        new TickwheelError("VALIDATION_FAILED", `A task has one walk, and its ctx.walk is ${this.stage}.`),
      );
    this.stage = "under way";
    try {
      await this.walkOn(runTransaction, step);
      this.stage = "over";
    } finally {
      if (this.stage !== "over") this.stage = "open";
    }
  }

  private async walkOn(runTransaction: TransactionRunner, step: WalkStep): Promise<void> {
    for (;;) {
      const place = placeOf(await this.ports.checkpoint.readText());
      if (place.isDone) return;
      requireKept(this.execution, "walk");
      await this.doPage(place, (page) =>
        runTransaction((transaction, handle = transaction) =>
          this.doPageIn(transaction, page, (from) => step(from, handle)),
        ),
      );
    }
  }

  private async doPage(place: Place, run: (place: Place) => Promise<JsonText>): Promise<void> {
    const { checkpoint } = this.ports;
    try {
      checkpoint.take(await run(place));
    } catch (error) {
      // Whether it was committed is not known here, unless the store has said so.
      checkpoint.forget();
      if (!(error instanceof MovedMeanwhile)) throw error;
    }
  }

  private async doPageIn(transaction: CallerTransaction, place: Place, step: PageStep): Promise<JsonText> {
    const { tasks, effects } = this.ports;
    const { id, owner, fence, timeoutMs } = this.execution.task;
    await tasks.beginWithin({ id, owner, fence, timeoutMs }, transaction);
    // A listener for an abort that has been there before hears nothing any more.
    requireKept(this.execution, "walk");
    const next = await step(place.from);
    requireKept(this.execution, "walk");
    const state = stateOf(next);
    // Such a walk has no end, and of two tries of a page one could not be told from the other.
    if (state === place.checkpoint) throw invalid("answers where it began");
    const reply = await effects.storeCheckpoint(
      { id, owner, fence, before: place.checkpoint, state, isBegun: true },
      transaction,
    );
    if (reply === "moved") throw new MovedMeanwhile();
    if (reply === "stale")
      throw new TickwheelError(
        "LEASE_LOST",
        "The task is no longer this execution's; the transaction of the page is rolled back.",
      );
    return state;
  }
}

/** A try of the page whose answer was lost has been committed after all: what this try did is rolled back. */
class MovedMeanwhile extends TickwheelError {
  constructor() {
    super("INTERNAL", "The page is done already, and its checkpoint is not read");
  }
}

const DONE = checkpointText({ walk: { done: true } });

/** The checkpoint behind a page, by what it has answered. */
function stateOf(next: unknown): JsonText {
  if (next === null) return DONE;
  const state = checkpointText({ walk: { from: next } });
  // For undefined, a function and NaN, JSON makes nothing, or the null that would begin the walk again.
  if (walkOf(state) === null) throw invalid("answers what has no JSON; null ends the walk");
  return state;
}

function placeOf(checkpoint: JsonText | null): Place {
  if (checkpoint === null) return { checkpoint, from: null, isDone: false };
  const walk = walkOf(checkpoint);
  if (walk === null)
    throw new TickwheelError(
      "VALIDATION_FAILED",
      "The task has a checkpoint that is not of ctx.walk: a handler uses either ctx.checkpoint or ctx.walk.",
    );
  return { checkpoint, from: walk.from ?? null, isDone: walk.done === true };
}

/** Null: it says no place. */
function walkOf(checkpoint: JsonText): { from?: unknown; done?: unknown } | null {
  const { walk } = (JSON.parse(checkpoint) ?? {}) as { walk?: { from?: unknown; done?: unknown } };
  return walk?.done === true || (walk?.from ?? null) !== null ? walk! : null;
}

function invalid(fault: string): TickwheelError {
  return new TickwheelError("VALIDATION_FAILED", `A page of ctx.walk ${fault}.`);
}
