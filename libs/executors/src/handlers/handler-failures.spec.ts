import { describe, expect, test } from "@jest/globals";
import { NonRetryableError, RetryAtError } from "@tickwheel/core";
import { failureOf } from "./handler-executor.js";

const errorOf = (thrown: unknown): unknown => (failureOf(thrown, 0) as { error: unknown }).error;

describe("the failure of a handler", () => {
  test("a handler's failure is what a NonRetryableError or RetryAtError among the causes says, the first of the chain", () => {
    const endOf = (cause: unknown): unknown => failureOf(new Error("outer", { cause }), 1_000);
    const final = new NonRetryableError("never");
    const at = new Date(60_000);
    expect(endOf(final)).toMatchObject({ kind: "failed", retryable: false });
    expect(endOf(new Error("between", { cause: final }))).toMatchObject({ retryable: false });
    expect(endOf(new RetryAtError(at))).toMatchObject({ retryable: true, retryAfterMs: 59_000 });
    expect(endOf(new RetryAtError(at, "x", { cause: final }))).toMatchObject({ retryable: true, retryAfterMs: 59_000 });
    expect(endOf(new AggregateError([final]))).toMatchObject({ retryable: true });
  });

  test("the failure of a handler looks at eight errors of a chain, and no further", () => {
    const chainOf = (length: number): Error =>
      Array.from({ length }).reduce<Error>((cause) => new Error("deep", { cause }), new NonRetryableError("never"));
    expect(failureOf(chainOf(7), 0)).toMatchObject({ retryable: false });
    expect(failureOf(chainOf(8), 0)).toMatchObject({ retryable: true });
    const endless = (): Error => Object.defineProperty(new Error("next"), "cause", { get: endless });
    expect(failureOf(endless(), 0)).toMatchObject({ retryable: true });
  });

  test("the failure of a handler keeps what was thrown, whatever it was, and its causes", () => {
    expect(errorOf(undefined)).toBe("undefined was thrown");
    expect(errorOf({ status: 502, detail: "acquirer" })).toBe('{"status":502,"detail":"acquirer"}');
    const refused = new Error("connect ECONNREFUSED 127.0.0.1:9");
    const failed = new TypeError("fetch failed", { cause: refused });
    expect(errorOf(failed)).toMatch(/^TypeError: fetch failed\n[^]*caused by Error: connect ECONNREFUSED/);
    expect(errorOf(new AggregateError([refused]))).toContain("one of 1 errors: Error: connect ECONNREFUSED");
  });
});
