import { expect, test } from "@jest/globals";
import type { TypeFigures } from "../api/wire.js";
import { endedText, needOf, shareText, typesSentence, waitsText } from "./type-words.js";

const type = (fields: Partial<TypeFigures> = {}): TypeFigures => {
  return { waitsFor: null, failedShare: null, ...fields } as TypeFigures;
};
const [none, failing, waiting] = [
  type({ waitsFor: "HANDLER", failedShare: 1 }),
  type({ failedShare: 0.63 }),
  type({ waitsFor: "CAPACITY", failedShare: 0.1 }),
];

test("a need is the worst that holds", () => {
  expect([none, failing, waiting, type()].map(needOf)).toEqual(["no node", "failing", "waiting", "well"]);
});

test("what was skipped is told beside what succeeded", () => {
  expect(endedText({ succeeded: 1_132, skipped: 12 })).toBe("1,132 succeeded, 12 of them skipped");
  expect(endedText({ succeeded: 120, skipped: 0 })).toBe("120 succeeded");
});

test("what a type waits for is told in words", () => {
  expect([none, waiting, type()].map(waitsText)).toEqual(["no node runs it", "a place: all are taken", ""]);
});

test("one sentence says how all of them stand", () => {
  expect(typesSentence([none, failing, waiting, type(), type()], false)).toBe(
    "5 types. One waits for a node, one fails, one waits its turn; two run as they should.",
  );
  expect(typesSentence([failing], false)).toBe("1 type. One fails.");
  expect(typesSentence([type(), type()], true)).toBe("The first 2 types. All run as they should.");
  expect(typesSentence([], false)).toContain("no type yet");
});

test("a share says where there is none", () => {
  expect([shareText(null), shareText(0), shareText(0.0042), shareText(0.63)]).toEqual(["–", "0 %", "0.4 %", "63 %"]);
});
