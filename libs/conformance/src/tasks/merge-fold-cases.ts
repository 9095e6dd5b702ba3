import assert from "node:assert/strict";
import type { Reducers } from "@tickwheel/core";
import { Scenario } from "../subject/scenario.js";
import type { ConformanceCase } from "../subject/subject.js";
import { hold, KEY, mergeOf, told } from "../subject/merge-scene.js";

const NINES = "9".repeat(100);

interface FoldCase {
  name: string;
  /** The payload of the task that holds the key; absent: the key is free. */
  held?: string;
  /** Default: `n` is added. */
  reducers?: Reducers;
  items: string[];
  told: string[];
  payload: string;
  version: number;
}

const merged = { told: ["merged"], version: 2 };
const x = (count: number): string => "x".repeat(count);
/** The payload cannot be taken, and stays as it is. */
const unmergeable = (name: string, held: string): FoldCase => {
  return { name, held, items: ['{"n":1}'], told: ["MERGE_CONFLICT payload"], payload: held, version: 1 };
};

const FOLDS: FoldCase[] = [
  {
    name: "the first of a free key, as it is received",
    items: ['{"n": 0.10}'],
    told: ["created"],
    payload: '{"n": 0.10}',
    version: 1,
  },
  {
    name: "two of a free key",
    items: ['{"n":1}', '{"n":2}'],
    told: ["created", "merged"],
    payload: '{"n": 3}',
    version: 2,
  },
  { ...merged, name: "0.1 + 0.2, exactly", held: '{"n":0.1}', items: ['{"n":0.2}'], payload: '{"n": 0.3}' },
  { ...merged, name: "a sum without zeros at its end", held: '{"n":1.10}', items: ['{"n":0.90}'], payload: '{"n": 2}' },
  {
    ...merged,
    name: "beyond 2^53",
    held: '{"n":9007199254740993}',
    items: ['{"n":2}'],
    payload: '{"n": 9007199254740995}',
  },
  {
    ...merged,
    name: "an absent field as nothing",
    held: '{"x":"y"}',
    items: ['{"n":5}'],
    payload: '{"n": 5, "x": "y"}',
  },
  { ...merged, name: "an absent payload of the holder", held: "null", items: ['{"n":5}'], payload: '{"n": 5}' },
  {
    ...merged,
    name: "an absent payload of a merge, which only moves the due time",
    held: '{"n":1}',
    items: ["null"],
    payload: '{"n": 1}',
  },
  {
    name: "a field of the holder of the wrong kind, beside a good merge",
    held: '{"n":"x","m":1}',
    reducers: { n: "add", m: "add" },
    items: ['{"n":1,"m":1}', '{"m":2}'],
    told: ["MERGE_CONFLICT payload.n", "merged"],
    payload: '{"m": 3, "n": "x"}',
    version: 2,
  },
  {
    name: "a null field of the holder, which is of the wrong kind",
    held: '{"n":null}',
    items: ['{"n":1}', '{"n":2}'],
    told: ["MERGE_CONFLICT payload.n", "MERGE_CONFLICT payload.n"],
    payload: '{"n":null}',
    version: 1,
  },
  {
    ...merged,
    name: "lists",
    held: '{"f":["a"]}',
    reducers: { f: "append" },
    items: ['{"f":["b","c"]}', '{"f":[["d"]]}', '{"f":[]}'],
    told: ["merged", "merged", "merged"],
    payload: '{"f": ["a", "b", "c", ["d"]]}',
  },
  {
    ...merged,
    name: "an empty list to none",
    held: "{}",
    reducers: { f: "append" },
    items: ['{"f":[]}'],
    payload: '{"f": []}',
  },
  {
    ...merged,
    name: "the greatest and the smallest",
    held: '{"a":5,"b":5}',
    reducers: { a: "max", b: "min" },
    items: ['{"a":3,"b":7}', '{"a":9.50,"b":1}', '{"a":4}'],
    told: ["merged", "merged", "merged"],
    payload: '{"a": 9.5, "b": 1}',
  },
  {
    ...merged,
    name: "the last of fields that are replaced, as a whole",
    held: '{"a":{"x":1,"y":2},"z":1}',
    reducers: {},
    items: ['{"a":{"q":1}}', '{"a":{"r":2}}'],
    told: ["merged", "merged"],
    payload: '{"a": {"r": 2}, "z": 1}',
  },
  {
    ...merged,
    name: "the last of two fields of one name",
    held: '{"n":1,"n":5}',
    items: ['{"n":1,"n":2}'],
    payload: '{"n": 7}',
  },
  unmergeable("into a text with a NUL", String.raw`{"s":"a\u0000b","n":1}`),
  {
    ...merged,
    name: "into a text with a backslash before u0000",
    held: String.raw`{"s":"a\\u0000b","n":1}`,
    items: ['{"n":1}'],
    payload: String.raw`{"n": 2, "s": "a\\u0000b"}`,
  },
  unmergeable("into a text with half of a surrogate pair", String.raw`{"s":"\ud800","n":1}`),
  {
    ...merged,
    name: "into a text with a surrogate pair",
    held: String.raw`{"s":"\ud83d\ude00","n":1}`,
    items: ['{"n":1}'],
    payload: '{"n": 2, "s": "😀"}',
  },
  unmergeable("into a text with a reversed surrogate pair", String.raw`{"s":"\ude00\ud83d","n":1}`),
  unmergeable("into a number that no database holds", '{"s":1e400000,"n":1}'),
  {
    ...merged,
    name: "into a text that looks like one",
    held: '{"s":"1e400000","n":1}',
    items: ['{"n":1}'],
    payload: '{"n": 2, "s": "1e400000"}',
  },
  {
    ...merged,
    name: "into a text of 300 digits",
    held: `{"s":"${"9".repeat(300)}","n":1}`,
    items: ['{"n":1}'],
    payload: `{"n": 2, "s": "${"9".repeat(300)}"}`,
  },
  unmergeable("into a number of 300 digits", `{"s":${"9".repeat(300)},"n":1}`),
  {
    ...merged,
    name: "into a text with quotes and backslashes",
    held: String.raw`{"s":"a\\","t":"\"1e999\"","n":1}`,
    items: ['{"n":1}'],
    payload: String.raw`{"n": 2, "s": "a\\", "t": "\"1e999\""}`,
  },
  unmergeable("into a list", "[1]"),
  unmergeable("into a number", "5"),
  {
    name: "a sum of more than 100 digits",
    held: `{"n":${NINES}}`,
    items: ['{"n":1}'],
    told: ["MERGE_CONFLICT payload.n"],
    payload: `{"n":${NINES}}`,
    version: 1,
  },
  {
    ...merged,
    name: "summands that have 100 digits only on the way",
    held: `{"n":${NINES}}`,
    items: ['{"n":-1}', '{"n":2}', '{"n":-5}'],
    told: ["merged", "merged", "merged"],
    payload: `{"n": ${BigInt(NINES) - 4n}}`,
  },
  {
    name: "more than a payload may have",
    held: `{"s":["${x(65_000)}"]}`,
    reducers: { s: "append" },
    items: [`{"s":["${x(600)}"]}`],
    told: ["PAYLOAD_TOO_LARGE"],
    payload: `{"s":["${x(65_000)}"]}`,
    version: 1,
  },
  {
    name: "of several what fits",
    held: `{"s":["${x(65_000)}"]}`,
    reducers: { s: "append" },
    items: [`{"s":["${x(600)}"]}`, '{"s":["a"]}'],
    told: ["PAYLOAD_TOO_LARGE", "merged"],
    payload: `{"s": ["${x(65_000)}", "a"]}`,
    version: 2,
  },
  {
    name: "of many all but the few that do not fit",
    held: `{"n":0,"s":["${x(65_000)}"]}`,
    reducers: { n: "add", s: "append" },
    items: Array.from({ length: 40 }, (_, at) => ([7, 8, 30].includes(at) ? `{"s":["${x(600)}"]}` : '{"n":1}')),
    told: Array.from({ length: 40 }, (_, at) => ([7, 8, 30].includes(at) ? "PAYLOAD_TOO_LARGE" : "merged")),
    payload: `{"n": 37, "s": ["${x(65_000)}"]}`,
    version: 10,
  },
  {
    name: "none beside so many that do not fit",
    held: `{"s":["${x(65_000)}"]}`,
    reducers: { s: "append" },
    items: [...Array<string>(20).fill(`{"s":["${x(600)}"]}`), '{"s":["a"]}'],
    told: Array<string>(21).fill("PAYLOAD_TOO_LARGE"),
    payload: `{"s":["${x(65_000)}"]}`,
    version: 1,
  },
  {
    ...merged,
    name: "exactly as much as a payload may have",
    held: `{"s": "${x(65_536 - 17)}"}`,
    items: ['{"n":1}'],
    payload: `{"n": 1, "s": "${x(65_536 - 17)}"}`,
  },
  {
    name: "a byte more",
    held: `{"s": "${x(65_536 - 16)}"}`,
    items: ['{"n":1}'],
    told: ["PAYLOAD_TOO_LARGE"],
    payload: `{"s": "${x(65_536 - 16)}"}`,
    version: 1,
  },
  { ...merged, name: "negative zeros", held: '{"n":-0}', items: ['{"n":-0.0}'], payload: '{"n": 0}' },
  { ...merged, name: "numbers with exponents", held: '{"n":1e2}', items: ['{"n":1.5e-3}'], payload: '{"n": 100.0015}' },
  {
    ...merged,
    name: "fields with the names of an object's own",
    held: '{"__proto__":1,"":2}',
    reducers: { "": "add" },
    items: ['{"":1}'],
    payload: '{"": 3, "__proto__": 1}',
  },
  {
    ...merged,
    name: "into fields in the order of their lengths, then of their bytes",
    held: '{"bb":1,"a":1,"é":1,"zz":1,"ab":1}',
    items: ['{"n":1}'],
    payload: '{"a": 1, "n": 1, "ab": 1, "bb": 1, "zz": 1, "é": 1}',
  },
];

/** What merges come to, by their payloads and reducers. */
export const mergeFoldCases: ConformanceCase[] = FOLDS.map((fold) => ({
  name: `a merge folds ${fold.name}`,
  async run(subject) {
    const scene = await Scenario.open(subject);
    const { held, reducers = { n: "add" } } = fold;
    if (held !== undefined) await hold(scene, held);
    const items = fold.items.map((item) => mergeOf(scene, item, { reducers }));
    const results = await scene.createAll(...items);
    assert.deepEqual(told(results), fold.told);
    const holder = await scene.holder(KEY);
    assert.deepEqual([holder?.payload, holder?.version], [fold.payload, fold.version]);
    for (const result of results)
      if ("task" in result) assert.deepEqual({ ...result.task }, { ...holder });
      else assert.equal(result.existingId, holder?.id);
    // Where many do not fit together, the last ones were not tried by themselves.
    const isUntried = results.some((result) => "isUntried" in result);
    assert.equal(isUntried, fold.told.filter((outcome) => outcome === "PAYLOAD_TOO_LARGE").length > 8);
  },
}));
