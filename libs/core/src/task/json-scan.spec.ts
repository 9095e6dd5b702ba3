import { describe, expect, test } from "@jest/globals";
import { endOfValue, isDeeperThan, type JsonShape, keepSources, nestingOf } from "./json-scan.js";
import { JsonSource } from "./json-text.js";

const TASK: JsonShape = { fields: (name) => (name === "payload" ? "text" : undefined) };
const BULK: JsonShape = { fields: (name) => (name === "tasks" ? { items: TASK } : undefined) };

function kept(text: string, shape: JsonShape): unknown {
  return keepSources(text, JSON.parse(text), shape);
}

describe("the places that a shape names", () => {
  test("the places that a shape names stay text, and the rest is what JSON.parse makes of it", () => {
    const text = ' { "type" : "t" , "payload" : [ 1.0, { "payload" : 1e400 } ] , "x": [{"payload":1}], "delay":5 } ';
    expect(kept(text, TASK)).toEqual({
      type: "t",
      delay: 5,
      x: [{ payload: 1 }],
      payload: new JsonSource('[ 1.0, { "payload" : 1e400 } ]' as never),
    });
  });

  test.each([
    ['{"payload":""}', '""'],
    ['{"payload":-0}', "-0"],
    ['{"payload":null\n}', "null"],
    ['{"payload":"a\\\\"}', '"a\\\\"'],
    ['{"payload":"\\\\\\"}]"}', '"\\\\\\"}]"'],
    ['{"a":"payload","b":{"payload":1},"payload":{}}', "{}"],
    ['{"payload":1,"p\\u0061yload":2}', "2"],
    ['{"payload":[{"a":1}],"payload":"last"}', '"last"'],
  ])("the places that a shape names in %s are %s", (text, payload) => {
    expect((kept(text, TASK) as { payload: JsonSource }).payload.text).toBe(payload);
  });

  test("the places that a shape names are found in every item of a list, in the list that counts", () => {
    const text = '{"tasks":[{"payload":1}],"tasks":[ {"payload":2} , 7, {}, [], {"payload" :\t[3 ] } ]}';
    const { tasks } = kept(text, BULK) as { tasks: unknown[] };
    expect(JSON.stringify(tasks)).toBe('[{"payload":2},7,{},[],{"payload":[3]}]');
    expect((tasks[4] as { payload: JsonSource }).payload.text).toBe("[3 ]");
  });

  test.each(["null", "7", '"payload"', "[]", '[{"payload":1}]', "{}"])(
    "the places that a shape names are not in %s",
    (text) => {
      expect(kept(text, TASK)).toEqual(JSON.parse(text));
    },
  );

  test("the places that a shape names change no prototype", () => {
    const value = kept('{"__proto__":{"payload":1},"payload":{"__proto__":2}}', TASK) as Record<string, unknown>;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect((value["payload"] as JsonSource).text).toBe('{"__proto__":2}');
  });
});

test.each([
  ["1", 0],
  ['"[["', 0],
  ["[]", 1],
  ['{"a":[1]}', 2],
  ['[[],[[{}]],"\\"[[[[["]', 4],
])("the JSON %s has %i levels: brackets in a text are none", (text, levels) => {
  expect(isDeeperThan(text, levels)).toBe(false);
  if (levels > 0) expect(isDeeperThan(text, levels - 1)).toBe(true);
});

test("a JSON value ends where its last character is, however long it is", () => {
  const text = `[${"[".repeat(1_000_000)}${"]".repeat(1_000_000)},"${"\\\\".repeat(1_000_000)}"] `;
  expect(endOfValue(text, 0)).toBe(text.length - 1);
});

test.each([
  ['{"a":[1,{"b":"[[[,"}],"c":null}', { depth: 3, values: 5 }],
  ["[{},{},{}]", { depth: 2, values: 6 }],
  ["7", { depth: 0, values: 0 }],
  ["[[[[", { depth: 4, values: 4 }],
  ["]]]]", { depth: 0, values: 0 }],
])("the nesting and the values of the JSON %s are counted", (text, expected) => {
  expect(nestingOf(text, { depth: 10, values: 10 })).toEqual(expected);
});

test("the nesting and the values of JSON are counted until one is beyond its limit", () => {
  expect(nestingOf("[".repeat(1_000_000), { depth: 40, values: 1_000 })).toEqual({ depth: 41, values: 41 });
  expect(nestingOf("[1,".repeat(1_000_000), { depth: 2_000_000, values: 1_000 })).toMatchObject({ values: 1_001 });
});
