import type { Context, ProxyTracerProvider, Span, SpanOptions, Tracer } from "@opentelemetry/api";
import {
  type CreateEnd,
  type CreateFacts,
  errorText,
  type RunEnd,
  type RunFacts,
  TICKWHEEL_VERSION,
  traceContextOf,
  type TraceContext,
  type Tracing,
} from "@tickwheel/core";
import { ATTRIBUTE, createAttributes, runAttributes } from "./attributes.js";
import { carriedOf, contextOf, spanContextOf } from "./carried-context.js";
import type { TracingOptions } from "./tracing-options.js";

type Api = typeof import("@opentelemetry/api");

/**
 * Spans of tasks by OpenTelemetry's API: `create {type}` where tasks are created, `process {type}` for each run, which
 * links to the span that created its task. What an SDK throws is its own fault: it is not to throw, and nothing here
 * catches it.
 *
 * Until the application registers an SDK the API's spans would do nothing, at some microseconds each: none are made,
 * and the headers of requests travel as without the API. The API is there more often than it is used: others bring it,
 * such as prom-client.
 */
export class OpenTelemetryTracing implements Tracing {
  private readonly tracer: Tracer;
  private hasSdk = false;

  constructor(
    private readonly api: Api,
    private readonly options: Required<TracingOptions>,
  ) {
    this.tracer = api.trace.getTracer("tickwheel", TICKWHEEL_VERSION);
  }

  /** Asked for each run until there is an SDK, since it may be registered late; one that is there stays. */
  get tracesRuns(): boolean {
    return (this.hasSdk ||= isRegistered(this.api));
  }

  create<T>(
    facts: CreateFacts,
    work: (trace: TraceContext | null) => Promise<T>,
    end: (result: T) => CreateEnd,
  ): Promise<T> {
    const { api } = this;
    if (!this.tracesRuns) return work(this.carriedOf(this.parentOf(facts)));
    const name = facts.type === null ? "create" : `create ${facts.type}`;
    const parent = this.parentOf(facts);
    const kind = api.SpanKind.PRODUCER;
    const span = this.tracer.startSpan(name, { kind, attributes: createAttributes(facts) }, parent);
    const context = api.trace.setSpan(parent, span);
    return this.ended(span, api.context.with(context, work, undefined, this.carriedOf(context)), (result) => {
      const { taskId, outcome } = end(result);
      if (taskId !== undefined) span.setAttribute(ATTRIBUTE.messageId, taskId);
      if (outcome !== undefined) span.setAttribute(ATTRIBUTE.outcome, outcome);
    });
  }

  run<T>(facts: RunFacts, work: () => Promise<T>, end: (result: T) => RunEnd): Promise<T> {
    const { api } = this;
    const creation = contextOf(api, api.ROOT_CONTEXT, facts.trace);
    const span = this.tracer.startSpan(`process ${facts.type}`, this.runOptions(facts), creation);
    const context = api.trace.setSpan(creation, span);
    if (span.isRecording()) this.watch(span, facts.signal());
    return this.ended(span, api.context.with(context, work), (result) => {
      const { outcome, errorText: text, error } = end(result);
      span.setAttribute(ATTRIBUTE.outcome, outcome);
      if (text !== undefined) this.tellError(span, error, text);
    });
  }

  current(): TraceContext | null {
    return this.carriedOf(this.api.context.active());
  }

  /** What is active; in a process whose requests are not traced, what came with the request. */
  private parentOf({ headers }: CreateFacts): Context {
    const { api } = this;
    const active = api.context.active();
    if (!headers || api.trace.getSpanContext(active)) return active;
    return contextOf(api, active, traceContextOf(headers, this.options.baggage));
  }

  private runOptions(facts: RunFacts): SpanOptions {
    const created = facts.trace && spanContextOf(this.api, facts.trace);
    return {
      kind: this.api.SpanKind.CONSUMER,
      attributes: runAttributes(facts),
      links: created ? [{ context: created }] : [],
      root: this.options.runs === "own-trace",
    };
  }

  /** The signal lives no longer than its run. */
  private watch(span: Span, signal: AbortSignal): void {
    signal.addEventListener("abort", () => this.tellAbort(span, signal), { once: true });
  }

  /**
   * A time-out's end is the one that counts. Once a run has returned its signal may still abort: that tells nothing.
   */
  private tellAbort(span: Span, { reason }: AbortSignal): void {
    if (!span.isRecording()) return;
    const { name, message = "" } = (reason ?? {}) as Partial<Error>;
    span.addEvent("aborted", { [ATTRIBUTE.reason]: message });
    if (name !== TIMED_OUT) return;
    span.setAttribute(ATTRIBUTE.outcome, "timed_out");
    this.tellError(span, reason, message);
    span.end();
  }

  /** A span that nobody records needs no end, and costs no promise. */
  private ended<T>(span: Span, work: Promise<T>, tell: (result: T) => void): Promise<T> {
    return span.isRecording() ? this.recorded(span, work, tell) : work;
  }

  /** It may have ended before its work: see `tellAbort`. */
  private async recorded<T>(span: Span, work: Promise<T>, tell: (result: T) => void): Promise<T> {
    try {
      const result = await work;
      if (span.isRecording()) tell(result);
      return result;
    } catch (error) {
      if (span.isRecording()) this.tellError(span, error, errorText(error));
      throw error;
    } finally {
      if (span.isRecording()) span.end();
    }
  }

  /** The first line alone is the status: the whole text is the exception's. */
  private tellError(span: Span, error: unknown, text: string): void {
    const [message = ""] = text.split("\n", 1);
    const type = errorTypeOf(error);
    span.recordException({ name: type, message, stack: text });
    span.setAttribute(ATTRIBUTE.errorType, type);
    span.setStatus({ code: this.api.SpanStatusCode.ERROR, message });
  }

  private carriedOf(context: Context): TraceContext | null {
    return carriedOf(this.api, context, this.options.baggage);
  }
}

/** Whether the application has registered an SDK: without one the API's own provider has nobody to hand on to. */
function isRegistered(api: Api): boolean {
  const provider = api.trace.getTracerProvider() as Partial<ProxyTracerProvider>;
  return provider.getDelegateTracer === undefined || provider.getDelegateTracer("tickwheel") !== undefined;
}

/** The reason of a signal whose run took too long; see the engine. */
const TIMED_OUT = "ExecutionTimeoutError";

/** What the conventions call a class of errors that has no name. */
const OTHER_ERROR = "_OTHER";

/** The code of an error, else its name. Anything can be thrown, with getters that throw themselves. */
function errorTypeOf(error: unknown): string {
  try {
    const { name, code } = Object(error) as { name?: unknown; code?: unknown };
    return [code, name].find(isWord) ?? OTHER_ERROR;
  } catch {
    return OTHER_ERROR;
  }
}

function isWord(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
