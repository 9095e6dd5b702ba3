import type { CreateEnd, TraceHeaders, Tracing } from "@tickwheel/core";
import type { BatchRequest, TaskRequest, TaskResult } from "@tickwheel/engine";

/** A call that creates tasks. */
export interface CreateCall {
  tracing: Tracing;
  namespace: string;
  /** The trace is written into them. */
  requests: readonly TaskRequest[];
  /** How many tasks were asked for. Absent: the call is for one. */
  count?: number;
  /** What came with it over HTTP. Absent: it is a call in code. */
  headers?: TraceHeaders;
}

/** Writes tasks in the span of their creation: they carry its context. It is no part of what idempotency keys hash. */
export function createTraced<T>(
  { tracing, namespace, requests, count, headers }: CreateCall,
  write: () => Promise<T>,
  end: (result: T) => CreateEnd = tellNothing,
): Promise<T> {
  const facts = { namespace, type: onlyTypeOf(requests), count, headers };
  return tracing.create(
    facts,
    (trace) => {
      if (trace) for (const request of requests) request.trace = trace;
      return write();
    },
    end,
  );
}

/** What the span of one task's creation tells. */
export function endOfCreate({ outcome, task }: TaskResult): CreateEnd {
  return { outcome, taskId: task.id };
}

/** All tasks that a batch will have made. */
export function requestsOfBatch({ tasks, onComplete, onSuccess }: BatchRequest): TaskRequest[] {
  return [...tasks, ...[onComplete, onSuccess].filter((request) => request !== null)];
}

function tellNothing(): CreateEnd {
  return {};
}

function onlyTypeOf(requests: readonly TaskRequest[]): string | null {
  const [first] = requests;
  return first && requests.every(({ type }) => type === first.type) ? first.type : null;
}
