// Preloaded into a process (`node --import`): OpenTelemetry with an exporter that writes each span as a line of JSON to
// the file in SPANS_FILE as soon as it has ended, so that a kill loses none that has.
import { appendFileSync } from "node:fs";
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";

const file = process.env.SPANS_FILE;

const exporter = {
  export(spans, done) {
    for (const span of spans) appendFileSync(file, `${JSON.stringify(lineOf(span))}\n`);
    done({ code: 0 });
  },
  shutdown: () => Promise.resolve(),
};

function lineOf(span) {
  const { traceId, spanId } = span.spanContext();
  const links = span.links.map((link) => link.context.spanId);
  return {
    name: span.name,
    traceId,
    spanId,
    parentId: span.parentSpanContext?.spanId ?? null,
    links,
    pid: process.pid,
    attributes: span.attributes,
  };
}

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
