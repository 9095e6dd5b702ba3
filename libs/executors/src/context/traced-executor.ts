import type { AttemptJudge, Execution, ExecutionResult, Executor, RunEnd, TaskType, Tracing } from "@tickwheel/core";
import { traceOf } from "@tickwheel/core";

/** An executor whose runs have spans, while spans are made. */
export class TracedExecutor implements Executor {
  /** @param node the label of the node that runs it */
  constructor(
    private readonly executor: Executor,
    private readonly tracing: Tracing,
    private readonly node: string,
  ) {}

  canRun(type: TaskType): boolean {
    return this.executor.canRun(type);
  }

  limits(type: TaskType): { concurrency?: number } {
    return this.executor.limits(type);
  }

  judge(type: TaskType, opens: () => void): AttemptJudge | null {
    return this.executor.judge?.(type, opens) ?? null;
  }

  run(execution: Execution): Promise<ExecutionResult> {
    if (!this.tracing.tracesRuns) return this.executor.run(execution);
    const { task, type } = execution;
    const { id: taskId, attempt, fence } = task;
    const { node } = this;
    const facts = {
      taskId,
      namespace: type.namespace,
      type: type.type,
      attempt,
      fence,
      node,
      trace: traceOf(task),
      // Made when it is asked for, which few executions are.
      signal: () => execution.signal,
    };
    return this.tracing.run(facts, () => this.executor.run(execution), endOf);
  }
}

function endOf(result: ExecutionResult): RunEnd {
  if (result.kind !== "failed") return { outcome: result.kind };
  return { outcome: "failed", errorText: result.error, error: result.thrown };
}
