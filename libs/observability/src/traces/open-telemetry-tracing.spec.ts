import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import type { RunFacts, TraceContext, Tracing } from "@tickwheel/core";
import { openTracing } from "./open-tracing.js";

const exporter = new InMemorySpanExporter();
const TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const CREATE = { namespace: "default", type: "order.cancel" };

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
});
afterEach(() => exporter.reset());
afterAll(() => {
  context.disable();
  trace.disable();
});

function spanCalled(name: string): ReadableSpan {
  return exporter.getFinishedSpans().find((span) => span.name === name)!;
}

function runOf(given: TraceContext | null, signal = new AbortController().signal): RunFacts {
  const ids = { taskId: "an-id", namespace: "default", type: "order.cancel", attempt: 2, fence: 3, node: "here:1" };
  return { ...ids, trace: given, signal: () => signal };
}

async function created(tracing: Tracing, facts = {}): Promise<TraceContext | null> {
  let carried: TraceContext | null = null;
  const work = (given: TraceContext | null) => Promise.resolve((carried = given));
  await tracing.create({ ...CREATE, ...facts }, work, () => ({ taskId: "an-id", outcome: "created" }));
  return carried;
}

const succeeded = () => ({ outcome: "succeeded" });

describe("tracing by OpenTelemetry", () => {
  test("tracing by OpenTelemetry has a span for a create, whose context its task carries", async () => {
    const carried = await created(await openTracing({}));
    const span = spanCalled("create order.cancel");
    const { traceId, spanId } = span.spanContext();
    expect(carried).toEqual({ traceparent: `00-${traceId}-${spanId}-01` });
    expect(span.kind).toBe(SpanKind.PRODUCER);
    expect(span.attributes).toEqual({
      "messaging.system": "tickwheel",
      "messaging.operation.type": "create",
      "messaging.operation.name": "create",
      "messaging.destination.name": "order.cancel",
      "messaging.message.id": "an-id",
      "tickwheel.namespace": "default",
      "tickwheel.outcome": "created",
    });
  });

  test("tracing by OpenTelemetry has a span for a run, which is a child of its creation and links to it", async () => {
    const tracing = await openTracing({});
    const carried = await created(tracing);
    await tracing.run(runOf(carried), () => Promise.resolve(), succeeded);
    const creation = spanCalled("create order.cancel");
    const run = spanCalled("process order.cancel");
    expect(run.kind).toBe(SpanKind.CONSUMER);
    expect(run.spanContext().traceId).toBe(creation.spanContext().traceId);
    expect(run.parentSpanContext?.spanId).toBe(creation.spanContext().spanId);
    expect(run.links.map((link) => link.context.spanId)).toEqual([creation.spanContext().spanId]);
    expect(run.attributes).toEqual({
      "messaging.system": "tickwheel",
      "messaging.operation.type": "process",
      "messaging.operation.name": "process",
      "messaging.destination.name": "order.cancel",
      "messaging.message.id": "an-id",
      "tickwheel.namespace": "default",
      "tickwheel.attempt": 2,
      "tickwheel.fence": 3,
      "tickwheel.node": "here:1",
      "tickwheel.outcome": "succeeded",
    });
  });

  test("tracing has a trace of its own for each run where that is asked for, which links all the same", async () => {
    const tracing = await openTracing({ runs: "own-trace" });
    const carried = await created(tracing);
    await tracing.run(runOf(carried), () => Promise.resolve(), succeeded);
    const creation = spanCalled("create order.cancel");
    const run = spanCalled("process order.cancel");
    expect(run.parentSpanContext).toBeUndefined();
    expect(run.spanContext().traceId).not.toBe(creation.spanContext().traceId);
    expect(run.links.map((link) => link.context.spanId)).toEqual([creation.spanContext().spanId]);
  });

  test("tracing has no link for a task that carries nothing, whatever is active where the node was made", async () => {
    const tracing = await openTracing({});
    await trace.getTracer("test").startActiveSpan("start-up", async (span) => {
      await tracing.run(runOf(null), () => Promise.resolve(), succeeded);
      span.end();
    });
    const run = spanCalled("process order.cancel");
    expect([run.links, run.parentSpanContext]).toEqual([[], undefined]);
  });

  test("tracing has the active span for a create's parent, and where there is none the request's headers", async () => {
    const tracing = await openTracing({ baggage: ["tenant"] });
    const headers = { traceparent: TRACEPARENT, tracestate: "rojo=1", baggage: "tenant=a%20b,user=42" };
    const carried = await created(tracing, { headers });
    expect(spanCalled("create order.cancel").parentSpanContext?.spanId).toBe("b7ad6b7169203331");
    expect(carried).toMatchObject({ tracestate: "rojo=1", baggage: "tenant=a%20b" });
    exporter.reset();
    await trace.getTracer("test").startActiveSpan("request", async (span) => {
      await created(tracing, { headers });
      span.end();
    });
    const request = spanCalled("request").spanContext();
    expect(spanCalled("create order.cancel").parentSpanContext?.spanId).toBe(request.spanId);
  });

  test("tracing tells of a call for many tasks how many, and a type only where they have a single type", async () => {
    await created(await openTracing({}), { type: null, count: 3 });
    const { attributes } = spanCalled("create");
    expect(attributes["messaging.batch.message_count"]).toBe(3);
    expect(attributes).not.toHaveProperty(["messaging.destination.name"]);
  });

  test("tracing by OpenTelemetry is active in a run, with the baggage that travelled", async () => {
    const tracing = await openTracing({ baggage: ["tenant"] });
    const seen: unknown[] = [];
    const work = () => {
      seen.push(tracing.current(), propagation.getActiveBaggage()?.getEntry("tenant")?.value);
      return Promise.resolve();
    };
    await tracing.run(runOf({ traceparent: TRACEPARENT, baggage: "tenant=a%20b" }), work, succeeded);
    const { traceId, spanId } = spanCalled("process order.cancel").spanContext();
    expect(seen).toEqual([{ traceparent: `00-${traceId}-${spanId}-01`, baggage: "tenant=a%20b" }, "a b"]);
    expect(tracing.current()).toBeNull();
  });

  test("tracing by OpenTelemetry records what a run failed with", async () => {
    const tracing = await openTracing({});
    const error = new RangeError("no such order");
    const end = () => ({ outcome: "failed", error, errorText: "RangeError: no such order\n    at handler" });
    await tracing.run(runOf(null), () => Promise.resolve(), end);
    const { status, events, attributes } = spanCalled("process order.cancel");
    expect(status).toEqual({ code: SpanStatusCode.ERROR, message: "RangeError: no such order" });
    expect(events.map(({ name }) => name)).toEqual(["exception"]);
    expect(attributes).toMatchObject({ "error.type": "RangeError", "tickwheel.outcome": "failed" });
  });

  test("tracing by OpenTelemetry survives what a handler throws, whatever it is", async () => {
    const tracing = await openTracing({});
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    await tracing.run(
      runOf(null),
      () => Promise.resolve(),
      () => ({ outcome: "failed", error: proxy, errorText: "?" }),
    );
    expect(spanCalled("process order.cancel").attributes["error.type"]).toBe("_OTHER");
  });

  test("tracing by OpenTelemetry records what a create is refused with, and lets the refusal through", async () => {
    const tracing = await openTracing({});
    const refusal = Object.assign(new Error("no"), { code: "TASK_KEY_CONFLICT" });
    await expect(
      tracing.create(
        CREATE,
        () => Promise.reject(refusal),
        () => ({}),
      ),
    ).rejects.toBe(refusal);
    expect(spanCalled("create order.cancel").attributes["error.type"]).toBe("TASK_KEY_CONFLICT");
  });

  test("tracing ends the span of a run with its time-out, and not again when its handler returns", async () => {
    const tracing = await openTracing({});
    const aborting = new AbortController();
    const work = () => {
      aborting.abort(Object.assign(new Error("timed out after 5 ms"), { name: "ExecutionTimeoutError" }));
      return Promise.resolve();
    };
    await tracing.run(runOf(null, aborting.signal), work, succeeded);
    const { attributes, status } = spanCalled("process order.cancel");
    expect([attributes["tickwheel.outcome"], status.code]).toEqual(["timed_out", SpanStatusCode.ERROR]);
    expect(exporter.getFinishedSpans()).toHaveLength(1);
  });

  test("tracing passes headers on where the application has registered no SDK of OpenTelemetry", async () => {
    trace.disable();
    const carried = await created(await openTracing({}), { headers: { traceparent: TRACEPARENT } });
    expect(carried).toEqual({ traceparent: TRACEPARENT });
    expect(await context.with(ROOT_CONTEXT, async () => created(await openTracing({})))).toBeNull();
  });
});
