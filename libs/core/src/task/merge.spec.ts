import { describe, expect, test } from "@jest/globals";
import type { JsonText } from "./json-text.js";
import { haveSameReducers, mergeFault, plainReducers } from "./merge.js";
import type { Reducers } from "./task.js";

const REDUCERS: Reducers = { n: "add", m: "max", f: "append" };
const faultOf = (payload: string): string | null => {
  const fault = mergeFault(payload as JsonText, REDUCERS);
  return fault && `${fault.code} ${fault.path}`;
};

describe("what makes a payload unfit for a merge", () => {
  test.each([
    ["null", null],
    ["{}", null],
    [' {"n": 1, "f": [], "other": "x"}', null],
    ['{"n":"1"}', "MERGE_CONFLICT payload.n"],
    ['{"n":null}', "MERGE_CONFLICT payload.n"],
    ['{"f":"a"}', "MERGE_CONFLICT payload.f"],
    ['{"n":"x","f":1}', "MERGE_CONFLICT payload.f"],
    ['{"n":"x","n":1}', null],
    ['{"n":1,"n":"x"}', "MERGE_CONFLICT payload.n"],
    ["[1]", "MERGE_CONFLICT payload"],
    ["5", "MERGE_CONFLICT payload"],
    ['"text"', "MERGE_CONFLICT payload"],
    [String.raw`{"s":"a\u0000"}`, "VALIDATION_FAILED payload"],
    [String.raw`{"s":"a\\u0000"}`, null],
    [String.raw`{"s":"\ud800"}`, "VALIDATION_FAILED payload"],
    [String.raw`{"s":"\ude00\ud83d"}`, "VALIDATION_FAILED payload"],
    [String.raw`{"s":"\ud83d\ude00"}`, null],
    [`{"x":${"9".repeat(100)}}`, null],
    [`{"x":${"9".repeat(101)}}`, "VALIDATION_FAILED payload"],
    [`{"x":"${"9".repeat(101)}"}`, null],
    ['{"x":1e99}', null],
    ['{"x":1e100}', "VALIDATION_FAILED payload"],
    ['{"x":"1e100"}', null],
    ['{"x":1e-99}', null],
    ['{"x":1e-100}', "VALIDATION_FAILED payload"],
    ['{"x":[{"y":-1E+200}]}', "VALIDATION_FAILED payload"],
    ['{"x":1e999999999999999999999}', "VALIDATION_FAILED payload"],
  ])("a payload is fit or unfit for a merge: %s", (payload, expected) => {
    expect(faultOf(payload)).toBe(expected);
  });

  test("a merged field named as a property of every object has no reducer of its own", () => {
    expect(mergeFault('{"__proto__":"x","constructor":"y"}' as JsonText, REDUCERS)).toBeNull();
  });
});

describe("reducers in one form", () => {
  test("reducers in one form are sorted, without replace", () => {
    expect(JSON.stringify(plainReducers({ b: "max", x: "replace", a: "add" }))).toBe('{"a":"add","b":"max"}');
  });

  test("reducers of two tasks are the same if each field has the same reducer", () => {
    expect(
      haveSameReducers({ reducers: { b: "max", a: "add" } }, { reducers: { a: "add", b: "max", c: "replace" } }),
    ).toBe(true);
    expect(haveSameReducers({}, { reducers: { c: "replace" } })).toBe(true);
    expect(haveSameReducers({}, { reducers: { c: "add" } })).toBe(false);
  });
});
