import { expect, test } from "@jest/globals";
import { headersAlone, NO_TRACING, type Tracing } from "./tracing.js";

const TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const HEADERS = { traceparent: TRACEPARENT, baggage: "tenant=7,user=42" };

/** What a task carries that is created by a call with these headers. */
async function carried(tracing: Tracing, headers?: object): Promise<unknown> {
  const facts = { namespace: "default", type: "order.cancel", headers };
  return tracing.create(
    facts,
    (trace) => Promise.resolve(trace),
    () => ({}),
  );
}

test("a task without OpenTelemetry carries the headers of its request, and nothing of a call in code", async () => {
  const tracing = headersAlone(["tenant"]);
  expect(await carried(tracing, HEADERS)).toEqual({ traceparent: TRACEPARENT, baggage: "tenant=7" });
  expect([await carried(tracing), tracing.current(), tracing.tracesRuns]).toEqual([null, null, false]);
});

test("no header is read where tracing is switched off", async () => {
  expect(await carried(NO_TRACING, HEADERS)).toBeNull();
});
