import { expect, test } from "@jest/globals";
import { didYouMean } from "./did-you-mean.js";
import { corrected, lineOf, lineWith, readLine } from "./query-line.js";

test("a line is read word by word, in any order", () => {
  const line = 'key:order-1 type:mail.send  error:"HttpError 503" due:<1h';
  const filter = { type: "mail.send", key: "order-1", error: "HttpError 503", due: "<1h" };
  expect(readLine(line)).toEqual({ values: filter, faults: [] });
  expect(lineOf(filter)).toBe('type:mail.send key:order-1 error:"HttpError 503" due:<1h');
  expect(readLine(" ")).toEqual({ values: {}, faults: [] });
});

test("a value may hold colons, quotation marks and whatever else", () => {
  expect(readLine(String.raw`key:a:b tag:"say \"no\" \n" error:\d`).values).toEqual({
    ...{ key: "a:b", tag: 'say "no" \n', error: String.raw`\d` },
  });
});

test.each([
  ["typ:mail", "there is no word typ", "type:mail"],
  ["TYPE:mail", "there is no word TYPE", "type:mail"],
  ["erorr:x", "there is no word erorr", "error:x"],
  ["payload.id:4", "there is no word payload.id", null],
  [":x", "there is no word before the colon", null],
  ["order-1", "order-1 has no word before it", "key:order-1"],
  ["type:", "type says nothing", null],
  ['key:""', "key says nothing", null],
  ['error:"Http', "what error says has no end", null],
  ["state:ded", "there is no state ded", "state:dead"],
  ["due:1h", "due is such as <1h, >30m, 2026-11-01..2026-11-08 or 2026-11-01T09:00Z..", null],
])("%s is a fault: %s", (line, detail, instead) => {
  expect(readLine(line)).toEqual({ values: {}, faults: [{ from: 0, to: line.length, detail, instead }] });
});

test("what can be read is, faults are all told with their places, and are put right where they stand", () => {
  const line = "typ:a key:k tga:b";
  const { values, faults } = readLine(line);
  expect(values).toEqual({ key: "k" });
  expect(faults.map(({ from, to }) => line.slice(from, to))).toEqual(["typ:a", "tga:b"]);
  expect(corrected(line, faults[1]!)).toBe("typ:a key:k tag:b");
});

test("a word that is said twice keeps what it said first", () => {
  const { values, faults } = readLine("key:a key:b");
  expect([values, faults[0]?.detail]).toEqual([{ key: "a" }, "key is said twice"]);
  expect(corrected("key:a key:b", faults[0]!)).toBe("key:a");
});

test("one more word is asked for at the end", () => {
  expect([lineWith("", "key"), lineWith("type:a ", "key")]).toEqual(["key:", "type:a key:"]);
});

test("only a word that is like a known one is meant", () => {
  const known = ["type", "key", "created"];
  expect(["cr", "creatd", "tpye", "kye", "x", "", "order"].map((word) => didYouMean(word, known))).toEqual([
    ...["created", "created", "type", "key", null, null, null],
  ]);
});
