import fc from "fast-check";

const MAX_DEPTH = 32;
const TREE_DEPTH = 5;

const spaces = fc.constantFrom("", "", "", "", " ", "  ", "\n", "\t", "\r\n ");
const digits = (maxLength: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(..."0123456789".split("")), { minLength: 1, maxLength }).map((list) => list.join(""));
const whole = fc.oneof(
  fc.constant("0"),
  fc.tuple(fc.constantFrom(..."123456789".split("")), digits(40)).map((parts) => parts.join("")),
);
const numbers = fc.oneof(
  fc.constantFrom("-0", "0", "1e400", "-1E+400", "1E-7", "0.10", "1.0", "12345678901234567890", "9007199254740993"),
  fc.integer().map(String),
  fc
    .tuple(
      fc.constantFrom("", "-"),
      whole,
      fc.option(digits(30), { nil: null }),
      fc.option(fc.tuple(fc.constantFrom("e", "E", "e-", "E+"), digits(3)), { nil: null }),
    )
    .map(
      ([sign, int, fraction, exponent]) =>
        `${sign}${int}${fraction === null ? "" : `.${fraction}`}${exponent?.join("") ?? ""}`,
    ),
);
const pieces = fc.constantFrom(
  '\\"',
  "\\\\",
  "\\/",
  "\\b",
  "\\f",
  "\\n",
  "\\r",
  "\\t",
  "\\u0000",
  "\\u001F",
  "\\ud83d\\ude00",
  "\\uD800",
  "\\udc00\\ud800",
  "\\u005f_proto__",
  "ž",
  "😀",
  "\u2028",
  "\u007f",
  "\u00a0",
  "\ufeff",
  "a",
  "Z",
  "0",
  " ",
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  "'",
  "$1",
  "%s",
  "payload",
);
const strings = fc.array(pieces, { maxLength: 12 }).map((parts) => `"${parts.join("")}"`);
const names = fc.oneof(
  strings,
  fc.constantFrom(
    '"__proto__"',
    '"constructor"',
    '"prototype"',
    '"toString"',
    '"toJSON"',
    '"payload"',
    '""',
    '"a"',
    '"a"',
    '"1"',
  ),
);
const padded = (value: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(spaces, value, spaces).map((parts) => parts.join(""));

const { tree } = fc.letrec<{ tree: string; list: string; object: string }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: TREE_DEPTH },
    fc.oneof(numbers, strings, fc.constantFrom("null", "true", "false", "{}", "[]", "[ ]", "{\n}")),
    tie("list"),
    tie("object"),
  ),
  list: fc.array(padded(tie("tree")), { maxLength: 5 }).map((items) => `[${items.join(",")}]`),
  object: fc
    .array(fc.tuple(padded(names), padded(tie("tree"))), { maxLength: 5 })
    .map((members) => `{${members.map((member) => member.join(":")).join(",")}}`),
}));

const shells = fc.array(fc.constantFrom(["[", "]"], ['{"a":', "}"], ["[0, ", "]"], ['{"__proto__":', "}"]), {
  maxLength: MAX_DEPTH - TREE_DEPTH - 2,
});

/**
 * Random texts of JSON that no program writes, but any program may receive: numbers beyond every double, duplicate
 * fields, awkward names, characters escaped in every way, spaces wherever JSON allows them, up to 32 levels deep. There
 * are no spaces around the whole text.
 */
export const jsonTexts: fc.Arbitrary<string> = fc
  .tuple(fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: shells }), tree)
  .map(([around, inner]) => around.reduce((text, [open, close]) => `${open!}${text}${close!}`, inner));
