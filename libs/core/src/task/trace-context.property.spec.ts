import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { MAX_TRACE_BYTES, traceContextOf, traceIdsOf } from "./trace-context.js";

const hex = (length: number): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom(...Array.from("0123456789abcdef")), { minLength: length, maxLength: length })
    .map((digits) => digits.join(""))
    .filter((text) => !/^0+$/.test(text));
const traceparent = fc.tuple(hex(32), hex(16), fc.constantFrom("00", "01")).map((ids) => `00-${ids.join("-")}`);
const KEYS = ["tenant", "user", "plan"];
const member = fc
  .tuple(fc.constantFrom(...KEYS, "other"), fc.string({ maxLength: 900 }))
  .map(([key, value]) => `${key}=${value}`);
const state = fc
  .tuple(fc.stringMatching(/^[a-z][a-z0-9]{0,9}$/), fc.stringMatching(/^[!-+\--<>-~]{1,256}$/))
  .map(([key, value]) => `${key}=${value}`);
const listOf = (item: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.array(item, { maxLength: 12 }).map((items) => items.join(","));

describe("whatever the headers of a trace are", () => {
  test("reading the headers of a trace throws nothing, and what is kept is bounded and reads as the same again", () => {
    const anything = fc.oneof(fc.anything(), fc.string(), traceparent, listOf(member), listOf(state));
    fc.assert(
      fc.property(fc.record({ traceparent: anything, tracestate: anything, baggage: anything }), (headers) => {
        const trace = traceContextOf(headers, KEYS);
        if (trace === null) return;
        expect(Object.values(trace).join("").length).toBeLessThanOrEqual(MAX_TRACE_BYTES);
        expect(traceContextOf(trace, KEYS)).toEqual(trace);
      }),
    );
  });

  test("a sound traceparent is kept as it is, and baggage never has a key that is not allowed", () => {
    fc.assert(
      fc.property(traceparent, listOf(state), listOf(member), (parent, tracestate, baggage) => {
        const trace = traceContextOf({ traceparent: parent, tracestate, baggage }, ["tenant", "plan"]);
        expect(trace?.traceparent).toBe(parent);
        expect(traceIdsOf(parent)).not.toBeNull();
        const keys = (trace?.baggage ?? "tenant=").split(",").map((kept) => kept.split("=", 1)[0]!.trim());
        expect(keys.filter((key) => key !== "tenant" && key !== "plan")).toEqual([]);
      }),
    );
  });
});
