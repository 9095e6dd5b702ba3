import { describe, expect, test } from "@jest/globals";
import { handlerDelivery, payloadVersionOf, traceOf, webhookOf, withTrace } from "./delivery.js";
import { MAX_TRACE_BYTES, traceContextOf } from "./trace-context.js";

const TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

describe("the headers of a trace", () => {
  test.each([
    ["it is missing", undefined],
    ["it came twice", `${TRACEPARENT}, ${TRACEPARENT}`],
    ["it is a list", [TRACEPARENT]],
    ["its trace id is all zeros", `00-${"0".repeat(32)}-b7ad6b7169203331-01`],
    ["its span id is all zeros", `00-0af7651916cd43dd8448eb211c80319c-${"0".repeat(16)}-01`],
    ["its letters are large", TRACEPARENT.toUpperCase()],
    ["its version is ff", `ff${TRACEPARENT.slice(2)}`],
    ["more follows than its version has", `${TRACEPARENT}-what`],
    ["it is short", TRACEPARENT.slice(0, -1)],
  ])("the headers of a trace are ignored where %s", (_why, traceparent) => {
    expect(traceContextOf({ traceparent, tracestate: "a=1", baggage: "tenant=7" }, ["tenant"])).toBeNull();
  });

  test("the headers of a trace of a later version are read as far as ours goes", () => {
    expect(traceContextOf({ traceparent: `cc${TRACEPARENT.slice(2)}-what` }, [])).toEqual({ traceparent: TRACEPARENT });
  });

  test("the headers of a trace keep a tracestate that is sound, whether it came as one header or as several", () => {
    const tracestate = ["rojo=00f067aa0ba902b7", "congo=t61rcWkgMzE, fw529a3039@dt=x y"];
    expect(traceContextOf({ traceparent: TRACEPARENT, tracestate }, [])).toEqual({
      traceparent: TRACEPARENT,
      tracestate: "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE,fw529a3039@dt=x y",
    });
  });

  test.each(["rojo", "Rojo=1", "a=b=c", "a=", "é=1", Array.from({ length: 33 }, (_, n) => `k${n}=1`).join(",")])(
    "the headers of a trace lose a tracestate that is none: %j",
    (tracestate) => {
      expect(traceContextOf({ traceparent: TRACEPARENT, tracestate }, [])).toEqual({ traceparent: TRACEPARENT });
    },
  );

  test("the headers of a trace keep of the baggage what is allowed, with its properties", () => {
    const baggage = 'tenant=7;secret=no , user=42,plan = "gold",region=eu';
    const headers = { traceparent: TRACEPARENT, baggage };
    expect(traceContextOf(headers, ["tenant", "region", "plan"])?.baggage).toBe("tenant=7;secret=no,region=eu");
    expect(traceContextOf(headers, [])).toEqual({ traceparent: TRACEPARENT });
    expect(traceContextOf(headers, ["other"])).toEqual({ traceparent: TRACEPARENT });
  });

  test("headers of a trace that are too long lose their baggage first, and then their tracestate", () => {
    const tracestate = `a=${"s".repeat(250)}`;
    const long = `tenant=${"b".repeat(MAX_TRACE_BYTES)}`;
    expect(traceContextOf({ traceparent: TRACEPARENT, tracestate, baggage: long }, ["tenant"])).toEqual({
      traceparent: TRACEPARENT,
      tracestate,
    });
    const states = Array.from({ length: 9 }, (_, n) => `k${n}=${"s".repeat(250)}`).join(",");
    expect(traceContextOf({ traceparent: TRACEPARENT, tracestate: states, baggage: "tenant=7" }, ["tenant"])).toEqual({
      traceparent: TRACEPARENT,
    });
  });
});

describe("a delivery with a trace", () => {
  const trace = { traceparent: TRACEPARENT };

  test("a delivery with a trace shows a webhook as its creator said it", () => {
    const webhook = { kind: "webhook", url: "https://shop.example/hook" } as const;
    const task = { delivery: withTrace(webhook, trace) };
    expect(webhookOf(task)).toEqual(webhook);
    expect(traceOf(task)).toEqual(trace);
  });

  test("a delivery with a trace is one of a handler where it has neither a webhook nor a version", () => {
    const task = { delivery: withTrace(null, trace) };
    expect(task.delivery).toEqual({ kind: "handler", trace });
    expect([webhookOf(task), payloadVersionOf(task), traceOf(task)]).toEqual([null, null, trace]);
  });

  test("a delivery with a trace keeps the version of its payload", () => {
    expect(payloadVersionOf({ delivery: withTrace(handlerDelivery(3), trace) })).toBe(3);
  });

  test("a delivery is as it was where there is no trace", () => {
    expect([withTrace(null, null), withTrace(handlerDelivery(3), undefined)]).toEqual([null, handlerDelivery(3)]);
  });
});
