import { describe, expect, test } from "@jest/globals";
import { MAX_RESULT_DEPTH, resultText } from "./result-text.js";

describe("resultText", () => {
  test.each([
    [{ a: [1, "ü"] }, '{"a":[1,"ü"]}'],
    [undefined, null],
    [null, null],
    [() => 1, null],
    [Symbol("s"), null],
    [{ toJSON: () => undefined }, null],
    [{ toJSON: () => null }, null],
    [Number.NaN, null],
    ["a\0b\uD800\n", '"a\\u0000b\\ud800\\n"'],
  ])("resultText of %p is %p", (value, expected) => {
    expect(resultText(value, 1_000)).toBe(expected);
  });

  test("resultText counts bytes, not characters", () => {
    expect(resultText("é".repeat(4), 10)).toBe('"éééé"');
    expect(() => resultText("é".repeat(5), 10)).toThrow("larger than 10 bytes");
  });

  test("resultText refuses what is nested too deeply, and no text that only looks so", () => {
    const nested = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));
    expect(resultText(nested(MAX_RESULT_DEPTH), 100_000)).toHaveLength(2 * MAX_RESULT_DEPTH);
    expect(() => resultText(nested(MAX_RESULT_DEPTH + 1), 100_000)).toThrow("nested deeper");
    expect(resultText(`"\\${"[".repeat(3_000)}`, 100_000)).toHaveLength(3_006);
  });

  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const circle: unknown[] = [];
  circle.push(circle);
  const getter = {
    get field(): never {
      throw new Error("no");
    },
  };
  test.each([
    ["a BigInt", 5n],
    ["a cycle", circle],
    ["a revoked proxy", revoked.proxy],
    ["a getter that throws", getter],
    ["a toJSON that throws", { toJSON: () => getter.field }],
  ])("resultText says of %s that it has no JSON", (_what, value) => {
    expect(() => resultText(value, 1_000)).toThrow("The result has no JSON");
  });
});
