import { expect, test } from "@jest/globals";
import { TickwheelError } from "../errors/errors.js";
import { MAX_RANGES, splitRange } from "./split-range.js";

test("a range is cut into parts of nearly one size, or into parts of a given size", () => {
  expect(splitRange({ from: 1, to: 11 }, { parts: 3 })).toEqual([
    { from: 1, to: 4 },
    { from: 4, to: 7 },
    { from: 7, to: 11 },
  ]);
  expect(splitRange({ from: -5n, to: 6n }, { size: 5 })).toEqual([
    { from: -5n, to: 0n },
    { from: 0n, to: 5n },
    { from: 5n, to: 6n },
  ]);
});

test("a range has no more parts than numbers, and an empty range has none", () => {
  expect(splitRange({ from: 7, to: 9 }, { parts: 100 })).toEqual([
    { from: 7, to: 8 },
    { from: 8, to: 9 },
  ]);
  for (const cut of [{ parts: 4 }, { size: 4 }]) expect(splitRange({ from: 7, to: 7 }, cut)).toEqual([]);
});

test("the whole range that a number can tell is cut exactly", () => {
  const range = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };
  expect(splitRange(range, { parts: 2 })).toEqual([
    { from: range.from, to: 0 },
    { from: 0, to: range.to },
  ]);
});

test("a split gives as many ranges as are allowed, and one more is refused", () => {
  expect(splitRange({ from: 0, to: MAX_RANGES }, { size: 1 })).toHaveLength(MAX_RANGES);
  expect(() => splitRange({ from: 0, to: MAX_RANGES + 1 }, { size: 1 })).toThrow(
    "splitRange: size gives 1001 ranges, and at most 1000 are allowed.",
  );
});

test.each<[string, [unknown, unknown], string[]]>([
  ["bounds that are no whole numbers", [{ from: 0.5, to: Number.NaN }, { parts: 1 }], ["from", "to"]],
  ["bounds that are not safe", [{ from: -(2 ** 53), to: 2 ** 53 }, { parts: 1 }], ["from", "to"]],
  ["bounds that are texts, as drivers give a bigint", [{ from: "1", to: "9" }, { parts: 1 }], ["from", "to"]],
  ["bounds of two kinds", [{ from: 1, to: 9n }, { parts: 1 }], ["to"]],
  ["bounds of two kinds that fall", [{ from: 9n, to: 1 }, { parts: 1 }], ["to", "from"]],
  ["bounds that fall", [{ from: 9, to: 1 }, { parts: 1 }], ["from"]],
  ["no part", [{ from: 1, to: 9 }, { parts: 0 }], ["parts"]],
  ["half a part", [{ from: 1, to: 9 }, { parts: 1.5 }], ["parts"]],
  ["too many parts, also where the range is short", [{ from: 1, to: 9 }, { parts: MAX_RANGES + 1 }], ["parts"]],
  ["no size", [{ from: 1, to: 9 }, { size: 0 }], ["size"]],
  ["a size that is none", [{ from: 1, to: 9 }, { size: Number.NaN }], ["size"]],
  [
    "parts and size",
    [
      { from: 1, to: 9 },
      { parts: 2, size: 2 },
    ],
    ["parts"],
  ],
  ["neither", [{ from: 1, to: 9 }, {}], ["parts"]],
  ["nothing at all", [undefined, undefined], ["from", "to", "parts"]],
  [
    "all of it",
    [
      { from: 1.5, to: null },
      { parts: -1, size: 0n },
    ],
    ["from", "to", "parts", "parts", "size"],
  ],
])("every fault of a split range is named by one error: %s", (_what, [range, cut], paths) => {
  const call = (): unknown => splitRange(range as never, cut as never);
  expect(call).toThrow(TickwheelError);
  expect(call).toThrow(
    expect.objectContaining({
      code: "VALIDATION_FAILED",
      faults: paths.map((path) => ({ path, message: expect.any(String) })),
    }),
  );
});
