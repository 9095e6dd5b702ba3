import { expect, test } from "@jest/globals";
import type { Pause, TypeFigures } from "../api/wire.js";
import {
  changeText,
  endedText,
  limitUse,
  needOf,
  pauseWords,
  runningText,
  shareText,
  typesSentence,
  waitsText,
} from "./type-words.js";

const type = (fields: Partial<TypeFigures> = {}): TypeFigures => {
  return { waitsFor: null, failedShare: null, pause: null, limits: null, ...fields } as TypeFigures;
};
const PAUSE: Pause = {
  ...{ type: "mail", key: null, since: "2026-11-21T08:00:00Z", until: null, reason: "a bad deploy", by: "key:7" },
};
const [none, failing, waiting, paused] = [
  type({ waitsFor: "HANDLER", failedShare: 1 }),
  type({ failedShare: 0.63 }),
  type({ waitsFor: "CAPACITY", failedShare: 0.1 }),
  type({ waitsFor: "PAUSE", pause: PAUSE }),
];

test("a need is the worst that holds", () => {
  const needs = ["no node", "failing", "waiting", "paused", "paused", "well"];
  expect([none, failing, waiting, paused, type({ pause: PAUSE }), type()].map(needOf)).toEqual(needs);
});

test("what was skipped is told beside what succeeded", () => {
  expect(endedText({ succeeded: 1_132, skipped: 12 })).toBe("1,132 succeeded, 12 of them skipped");
  expect(endedText({ succeeded: 120, skipped: 0 })).toBe("120 succeeded");
});

test("what a type waits for is told in words", () => {
  expect([none, waiting, type()].map(waitsText)).toEqual(["no node runs it", "a place: all are taken", ""]);
  expect(waitsText(paused)).toBe("the end of its pause");
});

test("a type that waits for its turn names its own limit, where that is the full one", () => {
  const rate = { count: 100, perMs: 1_000, burst: 20 };
  const text = (limits: TypeFigures["limits"]): string => waitsText({ waitsFor: "LIMIT", limits });
  expect([
    text({ maxRunning: 20, running: 20, rate: null, tokens: null }),
    text({ maxRunning: 20, running: 3, rate, tokens: 0 }),
    text({ maxRunning: 20, running: 3, rate, tokens: 7 }),
    text(null),
  ]).toEqual(["its limit of 20", "its limit of 100 in 1 s", "its turn: a limit is full", "its turn: a limit is full"]);
});

test("one sentence says how all of them stand", () => {
  expect(typesSentence([none, failing, waiting, type(), type()], false)).toBe(
    "5 types. One waits for a node, one fails, one waits its turn; two run as they should.",
  );
  expect(typesSentence([paused, type()], false)).toBe("2 types. One is paused; one runs as it should.");
  expect(typesSentence([failing], false)).toBe("1 type. One fails.");
  expect(typesSentence([type(), type()], true)).toBe("The first 2 types. All run as they should.");
  expect(typesSentence([], false)).toContain("no type yet");
});

test("a share says where there is none", () => {
  expect([shareText(null), shareText(0), shareText(0.0042), shareText(0.63)]).toEqual(["–", "0 %", "0.4 %", "63 %"]);
});

test("a pause says who and why, and whose it is where it is the namespace's", () => {
  expect(pauseWords(PAUSE)).toBe("paused by key:7: “a bad deploy”");
  expect(pauseWords({ ...PAUSE, type: null, reason: null })).toBe("its namespace is paused by key:7");
});

test("what runs is told of its limit", () => {
  const limits = { maxRunning: 5, running: 4, rate: null, tokens: null };
  expect(runningText({ running: 3, limits: null })).toBe("3");
  expect(runningText({ running: 3, limits })).toBe("4 of 5");
  expect(runningText({ running: 3, limits: { ...limits, running: null } })).toBe("3 of 5");
  expect(runningText({ running: 3, limits: { ...limits, maxRunning: null } })).toBe("3");
});

test("a limit says how much of it is used, as far as that is known", () => {
  const rate = { count: 100, perMs: 1_000, burst: 20 };
  const use = (limits: TypeFigures["limits"]) => limitUse({ limits });
  expect(use(null)).toBeNull();
  expect(use({ maxRunning: 5, running: 5, rate, tokens: 7 })).toEqual({
    running: { text: "5 of 5 run", share: 1 },
    rate: "100 in 1 s, 20 at once after a rest; 7 may start now",
  });
  expect(use({ maxRunning: 1_000, running: null, rate: null, tokens: null })).toEqual({
    running: { text: "at most 1,000", share: 0 },
    rate: null,
  });
  expect(use({ maxRunning: null, running: null, rate, tokens: null })).toEqual({
    running: null,
    rate: "100 in 1 s, 20 at once after a rest",
  });
});

test("a change says which nodes do not obey it yet", () => {
  expect(changeText("Paused.", { waitingFor: [] })).toBe("Paused.");
  expect(changeText("Paused.", { waitingFor: ["a:1", "b:2"] })).toBe("Paused. Not obeyed yet by a:1, b:2.");
  expect(changeText("Paused.", { waitingFor: null })).toContain("not known");
});
