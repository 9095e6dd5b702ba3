import { traceContextOf, type TraceContext, type TraceHeaders } from "../task/trace-context.js";

/**
 * Traces of tasks: a span for what creates them, and one for each of their runs. Implemented by the OpenTelemetry
 * adapter of the observability library, and by {@link headersAlone} and {@link NO_TRACING}, which make no spans. The
 * traced work never fails by it, and no call throws but what its work throws.
 */
export interface Tracing {
  /** Whether it makes spans now: else nothing needs to call `run`. Asked for each run. */
  readonly tracesRuns: boolean;
  /**
   * Does `work` in the span of a create, and gives it the context that its tasks are to carry; null: none.
   *
   * @param end what the span tells of the result
   */
  create<T>(
    facts: CreateFacts,
    work: (trace: TraceContext | null) => Promise<T>,
    end: (result: T) => CreateEnd,
  ): Promise<T>;
  /**
   * Does `work` in the span of one run, which is the active one meanwhile.
   *
   * @param end what the span tells of the result
   */
  run<T>(facts: RunFacts, work: () => Promise<T>, end: (result: T) => RunEnd): Promise<T>;
  /** The context of the span in which it is called; null: there is none, or spans are not made. */
  current(): TraceContext | null;
}

/** What the span of a create tells. */
export interface CreateFacts {
  namespace: string;
  /** Null: the call makes tasks of several types, or of none. */
  type: string | null;
  /** For a call that may make many tasks: how many it was asked for. Absent: it makes one. */
  count?: number;
  /** What came with the request: its parent, where no span is active. Absent: it is a call in code. */
  headers?: TraceHeaders;
}

export interface CreateEnd {
  /** Absent: there are many tasks. */
  taskId?: string;
  /** Such as `created`. For many tasks: absent. */
  outcome?: string;
}

/** What the span of a run tells. Never the payload nor the key. */
export interface RunFacts {
  taskId: string;
  namespace: string;
  type: string;
  attempt: number;
  fence: number;
  /** The label of the node that runs it. */
  node: string;
  /** The trace of the task's creation: the run belongs to it. Null: to a trace of its own. */
  trace: TraceContext | null;
  /** The signal of the run. A time-out ends its span: whatever the handler does afterwards counts no more. */
  signal(): AbortSignal;
}

export interface RunEnd {
  /** Such as `succeeded`. */
  outcome: string;
  /** For a failure: what is stored as its text. Absent: it did not fail. */
  errorText?: string;
  /** What was thrown. */
  error?: unknown;
}

/** Neither reads headers nor makes spans. */
export const NO_TRACING: Tracing = {
  tracesRuns: false,
  create: (_facts, work) => work(null),
  run: (_facts, work) => work(),
  current: () => null,
};

/**
 * For a process without OpenTelemetry: a task carries the headers of the request that created it.
 *
 * @param baggage keys of the baggage that travels
 */
export function headersAlone(baggage: readonly string[]): Tracing {
  return {
    ...NO_TRACING,
    create: ({ headers }, work) => work(headers ? traceContextOf(headers, baggage) : null),
  };
}
