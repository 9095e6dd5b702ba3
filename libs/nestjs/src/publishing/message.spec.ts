import { describe, expect, test } from "@jest/globals";
import { dataFaults, type DelayedPattern, givenKey, nameFaults, patternFaults, taskKey } from "./message.js";

const pathsOf = (faults: readonly { path: string }[]): string[] => faults.map(({ path }) => path);

describe("the key of a message's task", () => {
  test.each<[DelayedPattern, string]>([
    ["order.expired", "order.expired:42"],
    [{ cmd: "expire", at: { b: [2, { y: 1, x: 2 }], a: 1 } }, '{"at":{"a":1,"b":[2,{"x":2,"y":1}]},"cmd":"expire"}:42'],
    ["orders:expired", String.raw`orders\:expired:42`],
  ])("the key of a message's task of the pattern %j begins with the pattern", (pattern, key) => {
    expect(taskKey(pattern, "42")).toBe(key);
    expect(givenKey(pattern, key)).toBe("42");
  });

  test("the key of a message's task does not depend on the order of a pattern's fields", () => {
    expect(taskKey({ a: 1, b: 2 }, "k")).toBe(taskKey({ b: 2, a: 1 }, "k"));
  });

  test.each<[[string, string], [string, string]]>([
    [
      ["a", "b:c"],
      ["a:b", "c"],
    ],
    [
      ["a\\", "b:c"],
      ["a:b", "c"],
    ],
    [
      ["a:", "b"],
      ["a", ":b"],
    ],
  ])("the key of a message's task is another one for %j than for %j", (one, other) => {
    expect(taskKey(...one)).not.toBe(taskKey(...other));
  });

  test("the key of a message's task that does not begin with the pattern is told as it is", () => {
    expect(givenKey("a", "made by hand")).toBe("made by hand");
    expect(givenKey("a", null)).toBeNull();
  });
});

describe("faults", () => {
  test("a right message has no faults", () => {
    expect(nameFaults("order.expired", "42")).toEqual([]);
    expect(nameFaults({ cmd: "expire", version: 1, live: true, by: null, tags: ["a"] }, "42")).toEqual([]);
    expect(dataFaults(0)).toEqual([]);
  });

  test.each<[unknown, string]>([
    ["", "must not be an empty text"],
    [{}, "must not be an empty object"],
    [undefined, "must be a text or a plain JSON object: it is undefined"],
    [7, "must be a text or a plain JSON object: it is a number"],
    [["a"], "must be a text or a plain JSON object: it is a list"],
    [new Date(0), "must be a text or a plain JSON object: it is an object of Date"],
  ])("the faults of the message pattern %p are told", (pattern, message) => {
    expect(patternFaults(pattern)).toEqual([{ path: "pattern", message }]);
  });

  test("faults within a message pattern are told at their places", () => {
    const faults = patternFaults({ at: new Date(0), deep: { of: [1, Number.NaN] }, call: () => 1, none: undefined });
    expect(pathsOf(faults)).toEqual(["pattern.at", "pattern.deep.of.1", "pattern.call", "pattern.none"]);
  });

  test("the faults of a message pattern that contains itself end", () => {
    const pattern: Record<string, unknown> = { cmd: "expire" };
    pattern["self"] = pattern;
    expect(patternFaults(pattern)).toEqual([
      { path: "pattern.self.self.self.self.self.self.self.self", message: "must be nested at most 8 levels deep" },
    ]);
  });

  test.each([[undefined], [null], [""], [7], ["x".repeat(243)]])("the faults of the message key %p are told", (key) => {
    expect(nameFaults("order.expired", key)).toEqual([
      { path: "key", message: expect.stringContaining("must be a string of 1 to 242 characters beside this pattern") },
    ]);
  });

  test("the faults of a message pattern that leaves no place for a key are told", () => {
    expect(nameFaults("x".repeat(255), "a")).toEqual([
      { path: "pattern", message: "is too long: with a key it has at most 256 characters" },
    ]);
  });

  test("the faults of a message pattern and its key are told together", () => {
    expect(pathsOf(nameFaults(7, undefined))).toEqual(["pattern", "key"]);
  });

  test.each([[undefined], [null]])("the faults of the message data %p are told", (data) => {
    expect(dataFaults(data)).toEqual([
      { path: "data", message: `must be JSON and not null, for ClientProxy.emit refuses that: it is ${String(data)}` },
    ]);
  });
});
