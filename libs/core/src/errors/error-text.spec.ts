import { describe, expect, test } from "@jest/globals";
import { runInNewContext } from "node:vm";
import { errorText, framesText, MAX_ERROR_BYTES, storableText } from "./error-text.js";

function withFields(fields: object): Error {
  return Object.assign(new Error("as it was"), fields);
}

describe("errorText", () => {
  test("is the name, the message and the stack", () => {
    expect(errorText(new TypeError("no luck"))).toMatch(/^TypeError: no luck\n {4}at .*error-text\.spec/);
  });

  test("takes the message as it is now, and the stack's frames", () => {
    expect(errorText(withFields({ message: "changed" }))).toMatch(/^Error: changed\n {4}at /);
    expect(errorText(withFields({ name: "Renamed" }))).toMatch(/^Renamed: as it was\n {4}at /);
  });

  test("knows an error of another realm", () => {
    expect(errorText(runInNewContext("new RangeError('far away')"))).toMatch(/^RangeError: far away\n/);
  });

  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const throwing = {
    get message(): string {
      throw new Error("no");
    },
    get stack(): string {
      throw new Error("no");
    },
    toString(): string {
      throw new Error("no");
    },
  };
  test.each([
    ["a text", "plain", "plain"],
    ["undefined", undefined, ""],
    ["a symbol", Symbol("s"), "Symbol(s)"],
    ["a BigInt", 5n, "5"],
    ["a message that is a number", withFields({ message: 42, stack: 1 }), "Error: 42"],
    ["a message that is an object", withFields({ message: { code: 1 }, stack: null }), "Error: [object Object]"],
    ["a name that is no text", withFields({ name: 5, stack: "" }), "Error: as it was"],
    ["an empty message", withFields({ message: "", stack: "" }), "Error"],
    ["something without a prototype", Object.create(null), "something was thrown that cannot be described"],
    ["a revoked proxy", revoked.proxy, "something was thrown that cannot be described"],
    ["getters that throw", throwing, "something was thrown that cannot be described"],
  ])("describes %s", (_what, thrown, expected) => {
    expect(errorText(thrown)).toBe(expected);
  });

  test("of a huge error is no longer than what is kept", () => {
    expect(errorText(new Error("x".repeat(50_000_000)))).toHaveLength(MAX_ERROR_BYTES + 1);
  });
});

describe("framesText", () => {
  test("is where an error comes from, without its words", () => {
    expect(framesText(new Error("secret"))).toMatch(/^\n {4}at .*error-text\.spec/);
    expect(framesText(new Error("secret"))).not.toContain("secret");
  });

  test.each([undefined, "text", {}, withFields({ stack: 5 })])("is empty where there is none: %p", (thrown) => {
    expect(framesText(thrown)).toBe("");
  });
});

describe("storableText", () => {
  test("loses NULs and lone surrogates", () => {
    expect(storableText("a\0b\uD800c")).toBe("a\uFFFDb\uFFFDc");
  });

  test("is at most 4 KiB of UTF-8, cut between characters", () => {
    expect(storableText("x".repeat(9_999))).toHaveLength(MAX_ERROR_BYTES);
    expect(Buffer.byteLength(storableText("é".repeat(9_999)))).toBe(MAX_ERROR_BYTES);
    expect(storableText(`${"x".repeat(MAX_ERROR_BYTES - 1)}😀`)).toBe("x".repeat(MAX_ERROR_BYTES - 1));
    expect(storableText(`${"x".repeat(MAX_ERROR_BYTES - 4)}😀 and more`)).toMatch(/x😀$/);
  });

  test("describes what is no text at all", () => {
    expect(storableText({ message: "no luck" })).toBe("Error: no luck");
  });
});
