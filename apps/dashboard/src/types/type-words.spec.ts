import { expect, test } from "@jest/globals";
import type { Pause, TypeBreaker, TypeFigures } from "../api/wire.js";
import {
  breakerWords,
  changeText,
  endedText,
  limitUse,
  needOf,
  needsSomebody,
  pausedBy,
  pauseWords,
  runningText,
  shareText,
  typesSentence,
  waitsText,
} from "./type-words.js";

const type = (fields: Partial<TypeFigures> = {}): TypeFigures => {
  return { waitsFor: null, failedShare: null, breaker: null, pause: null, limits: null, ...fields } as TypeFigures;
};
const PAUSE: Pause = {
  type: "mail",
  key: null,
  since: "2026-11-21T08:00:00Z",
  until: null,
  reason: "a bad deploy",
  by: "key:7",
};
const BREAKER: TypeBreaker = {
  ...({ state: "OPEN", since: "2026-11-21T08:00:00Z", until: "2026-11-21T08:01:00Z" } as const),
  failedTrials: 0,
  node: null,
};
const none = type({ waitsFor: "HANDLER", failedShare: 1 });
const failing = type({ failedShare: 0.63 });
const waiting = type({ waitsFor: "CAPACITY", failedShare: 0.1 });
const paused = type({ waitsFor: "PAUSE", pause: PAUSE });
const open = type({ waitsFor: "BREAKER", breaker: BREAKER });

test("a type's need is the worst one that holds", () => {
  const needs = ["no node", "failing", "waiting", "paused", "paused", "well"];
  expect([none, failing, waiting, paused, type({ pause: PAUSE }), type()].map(needOf)).toEqual(needs);
  expect([open, { ...open, failedShare: 0.5 }, { ...open, pause: PAUSE }].map(needOf)).toEqual([
    "breaker open",
    "failing",
    "breaker open",
  ]);
  expect([none, failing, open, waiting, paused, type()].map(needsSomebody)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});

test("skipped tasks of a type are told beside those that succeeded", () => {
  expect(endedText({ succeeded: 1_132, skipped: 12 })).toBe("1,132 succeeded, 12 of them skipped");
  expect(endedText({ succeeded: 120, skipped: 0 })).toBe("120 succeeded");
});

test("the reason why a type waits is told in words", () => {
  expect([none, waiting, paused, open, type()].map(waitsText)).toEqual([
    "no live node runs it",
    "no place is free",
    "a pause holds it back",
    "its breaker is open",
    "",
  ]);
});

test("a type that waits for its turn names its own limit, where that is the full one", () => {
  const rate = { count: 100, perMs: 1_000, burst: 20 };
  const text = (limits: TypeFigures["limits"]): string => waitsText({ waitsFor: "LIMIT", limits });
  expect([
    text({ maxRunning: 20, running: 20, rate: null, tokens: null }),
    text({ maxRunning: 20, running: 3, rate, tokens: 0 }),
    text({ maxRunning: 20, running: 3, rate, tokens: 7 }),
    text(null),
  ]).toEqual([
    "its limit of 20 is full",
    "its limit of 100 in 1 s is full",
    "a limit lets no more start",
    "a limit lets no more start",
  ]);
});

test("one sentence says how all types stand", () => {
  expect(typesSentence([none, failing, waiting, type(), type()], false)).toBe(
    "5 types. One waits for a node, one fails, one waits its turn; two run as they should.",
  );
  expect(typesSentence([open, type()], false)).toBe("2 types. One has an open breaker; one runs as it should.");
  expect(typesSentence([open, open], false)).toBe("2 types. Two have open breakers.");
  expect(typesSentence([paused, type()], false)).toBe("2 types. One is paused; one runs as it should.");
  expect(typesSentence([failing], false)).toBe("1 type. One fails.");
  expect(typesSentence([type(), type()], true)).toBe("The first 2 types. All run as they should.");
  expect(typesSentence([], false)).toContain("no type yet");
});

test("a share that does not exist is told as a dash", () => {
  expect([shareText(null), shareText(0), shareText(0.0042), shareText(0.63)]).toEqual(["–", "0 %", "0.4 %", "63 %"]);
});

test("a type's pause says who made it and why, and that it is the namespace's where it is", () => {
  expect(pauseWords(PAUSE, String)).toBe("paused by key:7: “a bad deploy”");
  const ofNamespace = { ...PAUSE, type: null, reason: null };
  expect(pauseWords(ofNamespace, String)).toBe("its namespace is paused by key:7");
  expect(pausedBy(ofNamespace, String)).toBe("paused by key:7");
});

test("a type's breaker says what it does, what has failed since, and who tries", () => {
  expect(breakerWords(BREAKER)).toMatchObject({
    mark: "breaker open",
    does: "its attempts fail, so no node starts any",
    next: "The next trial, of one task, is due at",
  });
  expect(breakerWords({ ...BREAKER, failedTrials: 2 }).does).toContain("; 2 trials failed since");
  const half = { ...BREAKER, state: "HALF_OPEN", failedTrials: 1 } as const;
  expect(breakerWords({ ...half, node: "10.0.0.1:7" })).toMatchObject({
    mark: "trying one task",
    does: "10.0.0.1:7 tries one task; 1 trial failed since",
  });
  expect(breakerWords(half).does).toBe("a node tries one task; 1 trial failed since");
});

test("a type's running tasks are told as part of its limit", () => {
  const limits = { maxRunning: 5, running: 4, rate: null, tokens: null };
  expect(runningText({ running: 3, limits: null })).toBe("3");
  expect(runningText({ running: 3, limits })).toBe("4 of 5");
  expect(runningText({ running: 3, limits: { ...limits, running: null } })).toBe("3 of 5");
  expect(runningText({ running: 3, limits: { ...limits, maxRunning: null } })).toBe("3");
});

test("a type's limit says how much of it is used, as far as that is known", () => {
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

test("a change to a type says which nodes do not obey it yet", () => {
  expect(changeText("Paused.", { waitingFor: [] })).toBe("Paused.");
  expect(changeText("Paused.", { waitingFor: ["a:1", "b:2"] })).toBe("Paused. Not obeyed yet by a:1, b:2.");
  expect(changeText("Paused.", { waitingFor: null })).toContain("not known");
});
