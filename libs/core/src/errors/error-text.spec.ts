import { describe, expect, test } from "@jest/globals";
import { runInNewContext } from "node:vm";
import { errorChainOf } from "./error-causes.js";
import { shownValue } from "./shown-value.js";
import { errorText, framesText, MAX_ERROR_BYTES, storableText } from "./error-text.js";

function withFields(fields: object): Error {
  return Object.assign(new Error("as it was"), fields);
}

describe("errorText", () => {
  test("errorText is the name, the message and the stack", () => {
    expect(errorText(new TypeError("no luck"))).toMatch(/^TypeError: no luck\n {4}at .*error-text\.spec/);
  });

  test("errorText takes the message as it is now, and the stack's frames", () => {
    expect(errorText(withFields({ message: "changed" }))).toMatch(/^Error: changed\n {4}at /);
    expect(errorText(withFields({ name: "Renamed" }))).toMatch(/^Renamed: as it was\n {4}at /);
  });

  test("errorText knows an error of another realm", () => {
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
    ["undefined", undefined, "undefined was thrown"],
    ["null", null, "null was thrown"],
    ["an empty text", "", "an empty text was thrown"],
    [
      "an object without a message",
      { status: 502, detail: { at: "acquirer" } },
      '{"status":502,"detail":{"at":"acquirer"}}',
    ],
    ["an object with a message", { message: "no", status: 502 }, 'Error: no {"status":502}'],
    ["a list", ["a", { b: 1 }], '["a",{"b":1}]'],
    ["an object with words of its own", { toString: () => "my words", status: 1 }, "my words"],
    ["an object of a class without fields", new (class Fault {})(), "[object Object]"],
    ["a Map", new Map([[1, 2]]), "[object Map]"],
    ["bytes", { body: new Uint8Array(50_000_000), toJSON: () => "no" }, '{"body":"…"}'],
    [
      "a system error without a message",
      withFields({ message: "", stack: "", code: "ECONNREFUSED" }),
      "Error [ECONNREFUSED]",
    ],
    ["a symbol", Symbol("s"), "Symbol(s)"],
    ["a BigInt", 5n, "5"],
    ["a message that is a number", withFields({ message: 42, stack: 1 }), "Error: 42"],
    ["a message that is an object", withFields({ message: { code: 1 }, stack: null }), "Error: [object Object]"],
    ["a name that is no text", withFields({ name: 5, stack: "" }), "Error: as it was"],
    ["an empty message", withFields({ message: "", stack: "" }), "Error"],
    ["something without a prototype", Object.create(null), "something was thrown that cannot be described"],
    ["a revoked proxy", revoked.proxy, "something was thrown that cannot be described"],
    ["getters that throw", throwing, "something was thrown that cannot be described"],
  ])("errorText describes %s", (_what, thrown, expected) => {
    expect(errorText(thrown)).toBe(expected);
  });

  test("errorText of a huge error is no longer than what is kept", () => {
    expect(errorText(new Error("x".repeat(50_000_000)))).toHaveLength(MAX_ERROR_BYTES + 1);
  });
});

describe("errorText of an error with causes", () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:9"), { code: "ECONNREFUSED" });

  test("errorText has an error's cause with its frames", () => {
    const text = errorText(new TypeError("fetch failed", { cause: refused }));
    expect(text).toMatch(
      /^TypeError: fetch failed\n {4}at [^]*\n {2}caused by Error: connect ECONNREFUSED 127.0.0.1:9\n {4}at /,
    );
  });

  test("errorText has an error's cause whatever it is", () => {
    expect(errorText(new Error("a", { cause: "timeout" }))).toMatch(/\n {2}caused by timeout$/);
    expect(errorText(new Error("a", { cause: { status: 502 } }))).toMatch(/\n {2}caused by \{"status":502\}$/);
    expect(errorText({ message: "a", cause: refused })).toMatch(/^Error: a\n {2}caused by Error: connect/);
    expect(errorText(new Error("a", { cause: undefined }))).not.toContain("caused by");
  });

  test("errorText has the first errors that an AggregateError has gathered, and their causes", async () => {
    const failures = ["one", "two", "three", "four", "five"].map(
      (message) => new Error(message, { cause: message.length }),
    );
    const thrown: unknown = await Promise.any(failures.map((error) => Promise.reject(error))).catch(
      (error: unknown) => error,
    );
    const text = errorText(thrown);
    expect(text).toMatch(/^AggregateError: All promises were rejected/);
    expect(text.match(/one of 5 errors: Error: \w+/g)).toEqual(
      ["one", "two", "three"].map((message) => `one of 5 errors: Error: ${message}`),
    );
    expect(text).toMatch(/Error: one\n[^]*caused by 3\n[^]*and 2 more$/);
    const foreign: unknown = runInNewContext("new AggregateError([new Error('far')], 'away')");
    expect(errorText(foreign)).toContain("one of 1 errors: Error: far");
  });

  test("errorText ends where a chain of causes bites its tail", () => {
    const first = new Error("first");
    first.cause = new Error("second", { cause: first });
    expect(errorText(first).match(/caused by/g)).toHaveLength(1);
    first.cause = first;
    expect(errorText(first)).not.toContain("caused by");
  });

  test("errorText of an error with causes is bounded in depth and bytes, and keeps what was thrown itself", () => {
    const chain = Array.from({ length: 1_000 }).reduce<Error>((cause, _, at) => new Error(`${at}`, { cause }), refused);
    expect(errorText(chain).match(/caused by/g)!.length).toBeLessThanOrEqual(8);
    const long = errorText(new Error("é".repeat(9_999), { cause: new Error("ü".repeat(9_999)) }));
    expect(Buffer.byteLength(long)).toBeLessThanOrEqual(MAX_ERROR_BYTES);
    expect(long).toMatch(/^Error: é{900}[^]*\n {2}caused by Error: ü{400}/);
    expect(storableText(long)).toBe(long);
  });

  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  test.each<[string, PropertyDescriptor]>([
    ["a revoked proxy", { value: revoked.proxy }],
    [
      "a getter that throws",
      {
        get: () => {
          throw new Error("no");
        },
      },
    ],
    ["a text where a list should be", { value: "five" }],
  ])("errorText outlives a cause that is %s", (_what, descriptor) => {
    const thrown = Object.defineProperty(new Error("as it was"), "cause", descriptor);
    expect(errorText(thrown)).toMatch(/^Error: as it was\n/);
    const errors = Object.defineProperty(new AggregateError([], "many"), "errors", descriptor);
    expect(errorText(errors)).toMatch(/^AggregateError: many\n/);
  });

  test("errorText outlives causes without end", () => {
    const endless = (): Error => Object.defineProperty(new Error("next"), "cause", { get: endless });
    expect(errorText(endless()).match(/caused by/g)!.length).toBeLessThanOrEqual(8);
    expect(errorChainOf(endless())).toHaveLength(8);
  });
});

describe("shownValue", () => {
  test("shownValue is bounded in depth, entries and characters", () => {
    let deep: object = {};
    for (let at = 0; at < 10_000; at++) deep = { deep };
    expect(shownValue(deep)).toBe('{"deep":{"deep":{"deep":{"deep":"…"}}}}');
    const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`f${at}`, "x".repeat(10_000)]));
    expect(shownValue(wide)!.length).toBeLessThanOrEqual(2_001);
    expect(shownValue(Array.from({ length: 10_000_000 }))!.length).toBeLessThan(300);
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    expect(shownValue(circle)).toContain("…");
  });

  test("shownValue leaves out what cannot be read, and that alone", () => {
    const value = {
      get bad(): number {
        throw new Error("no");
      },
      when: new Date(Number.NaN),
      big: 5n,
      good: 1,
    };
    expect(shownValue(value)).toBe('{"when":"NaN","big":"5","good":1}');
  });
});

describe("framesText", () => {
  test("framesText is where an error comes from, without its words", () => {
    expect(framesText(new Error("secret"))).toMatch(/^\n {4}at .*error-text\.spec/);
    expect(framesText(new Error("secret"))).not.toContain("secret");
  });

  test.each([undefined, "text", {}, withFields({ stack: 5 })])(
    "framesText is empty where there are no frames: %p",
    (thrown) => {
      expect(framesText(thrown)).toBe("");
    },
  );
});

describe("storableText", () => {
  test("storableText loses NULs and lone surrogates", () => {
    expect(storableText("a\0b\uD800c")).toBe("a\uFFFDb\uFFFDc");
  });

  test("storableText is at most 4 KiB of UTF-8, cut between characters", () => {
    expect(storableText("x".repeat(9_999))).toHaveLength(MAX_ERROR_BYTES);
    expect(Buffer.byteLength(storableText("é".repeat(9_999)))).toBe(MAX_ERROR_BYTES);
    expect(storableText(`${"x".repeat(MAX_ERROR_BYTES - 1)}😀`)).toBe("x".repeat(MAX_ERROR_BYTES - 1));
    expect(storableText(`${"x".repeat(MAX_ERROR_BYTES - 4)}😀 and more`)).toMatch(/x😀$/);
  });

  test("storableText describes what is no text at all", () => {
    expect(storableText({ message: "no luck" })).toBe("Error: no luck");
  });
});
