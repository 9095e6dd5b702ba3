import {
  type Clock,
  type Execution,
  type ExecutionResult,
  type Executor,
  type Json,
  NonRetryableError,
  RetryAtError,
  type TaskStore,
  type TaskType,
  TickwheelError,
} from "@tickwheel/core";
import { ExecutionContext, type HandlerContext, type TransactionRunner } from "./handler-context.js";

/** What a handler is called for. The rest of the execution is in its context. */
export type HandledExecution = Pick<Execution, "task" | "type">;

/** An in-process handler. What it returns is the task's result. */
export interface Handler {
  namespace: string;
  type: string;
  /** At most so many at once on this node; default: the node's limit. */
  concurrency?: number;
  // A method signature, so that applications may narrow payload and transaction.
  handle(execution: HandledExecution, context: HandlerContext): Promise<Json | void> | Json | void;
}

/**
 * Runs tasks by functions of this process. Never throws: what a handler throws becomes a failure, `NonRetryableError` a final one, and
 * `RetryAtError` one with its own time. Once the handler's transaction has committed, nothing that it does afterwards changes the outcome.
 */
export class HandlerExecutor implements Executor {
  private readonly handlers = new Map<string, Handler>();

  constructor(
    private readonly tasks: Pick<TaskStore, "completeWithin">,
    private readonly clock: Clock,
    private readonly runTransaction: TransactionRunner | null,
  ) {}

  /** @throws TickwheelError `CONFIGURATION_INVALID` when the type has a handler already */
  register(handler: Handler): void {
    const name = nameOf(handler);
    if (this.handlers.has(name))
      throw new TickwheelError(
        "CONFIGURATION_INVALID",
        `There are two handlers for the type "${handler.type}" of the namespace "${handler.namespace}" in this process; one is allowed.`,
      );
    this.handlers.set(name, handler);
  }

  /** The registered handlers' types. */
  types(): { namespace: string; type: string }[] {
    return [...this.handlers.values()].map(({ namespace, type }) => ({ namespace, type }));
  }

  canRun(type: TaskType): boolean {
    return type.delivery === "handler" && this.handlers.has(nameOf(type));
  }

  limits(type: TaskType): { concurrency?: number } {
    return { concurrency: this.handlers.get(nameOf(type))?.concurrency };
  }

  async run(execution: Execution): Promise<ExecutionResult> {
    const handler = this.handlers.get(nameOf(execution.type));
    if (!handler) return { kind: "failed", error: `No handler for ${execution.type.type}`, retryable: true };
    const context = new ExecutionContext(execution, this.tasks, this.runTransaction);
    const startedMonoMs = this.clock.monotonicMs();
    try {
      const result = await handler.handle(execution, context);
      return { kind: "succeeded", result: result ?? null };
    } catch (error) {
      if (context.committed) return { kind: "succeeded", result: null };
      return failureOf(error, execution.startedAt + this.clock.monotonicMs() - startedMonoMs);
    }
  }
}

/** What an error that a handler threw means, at the database's estimated `nowMs`. */
export function failureOf(error: unknown, nowMs: number): ExecutionResult {
  const text = error instanceof Error ? error.message || error.name : String(error);
  if (error instanceof NonRetryableError) return { kind: "failed", error: text, retryable: false };
  if (error instanceof RetryAtError)
    return { kind: "failed", error: text, retryable: true, retryAfterMs: Math.max(0, error.retryAt.getTime() - nowMs) };
  return { kind: "failed", error: text, retryable: true };
}

function nameOf(type: { namespace: string; type: string }): string {
  return `${type.namespace}\0${type.type}`;
}
