import { describe, expect, test } from "@jest/globals";
import { type ClaimedTask, jsonTextOf, type TraceContext, withTrace } from "@tickwheel/core";
import { webhookRequest } from "./webhook-request.js";

const TRACE = { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01`, tracestate: "rojo=1", baggage: "tenant=7" };
const TYPE = { id: 1, namespace: "default", type: "invoice.send", delivery: "webhook" } as const;
const WEBHOOK = { kind: "webhook", url: "https://shop.example/hook" } as const;

function sent(trace: TraceContext | null, headers?: Record<string, string>): Record<string, string> {
  const webhook = withTrace({ ...WEBHOOK, headers }, TRACE);
  const task = { id: "0198", payload: jsonTextOf({}), delivery: webhook } as ClaimedTask;
  const {
    "content-type": _type,
    "webhook-id": _id,
    "webhook-timestamp": _at,
    ...rest
  } = webhookRequest({ task, type: TYPE, trace }, [], 0).headers;
  return rest;
}

describe("the request of a webhook", () => {
  test("the request of a webhook carries a trace on in W3C's headers", () => {
    expect(sent(TRACE)).toEqual(TRACE);
  });

  test("the request of a webhook has no trace headers where there is no trace", () => {
    expect(sent(null)).toEqual({});
  });

  test("the request of a webhook leaves to the task's creator what he has named himself: with his trace goes its state", () => {
    expect(sent(TRACE, { Traceparent: "own" })).toEqual({ Traceparent: "own", baggage: "tenant=7" });
    expect(sent(TRACE, { BAGGAGE: "own" })).toEqual({
      traceparent: TRACE.traceparent,
      tracestate: TRACE.tracestate,
      BAGGAGE: "own",
    });
  });
});
