import { expect, test } from "@jest/globals";
import { batch, counts } from "../../test-support/batch-example.js";
import { actionsFor, typedBefore } from "./batch-actions.js";
import {
  batchesSentence,
  batchMark,
  batchName,
  cancelQuestion,
  deadlineWords,
  endsWords,
  expectedEndAt,
  followUpWords,
  isOverdue,
  needsYou,
  percentText,
  progressLabel,
  progressParts,
  standingSentence,
  stopWords,
} from "./batch-words.js";

const deadlineAt = "2026-11-24T06:00:00.000Z";
const leftovers = { count: 4, named: [] };
const left = batch({
  state: "complete",
  counts: counts(100, { succeeded: 96, dead: 4 }),
  deadlineAt,
  overdue: true,
  leftovers,
});
const filling = batch({ state: "filling", sealedAt: null });

test("a batch is called by its name, or by the end of its id", () => {
  expect([batch(), batch({ name: null })].map(batchName)).toEqual(["settle-2026-11-23", "…0badcafe"]);
});

test("a batch whose members end says when all will have ended at this pace, once enough of them have ended", () => {
  const createdAt = "2026-11-23T00:00:00.000Z";
  const made = Date.parse(createdAt);
  const half = batch({ createdAt, counts: counts(1_000, { succeeded: 400, dead: 100 }) });
  const hour = 3_600_000;
  expect(expectedEndAt(half, made + hour)).toBe(made + 2 * hour);
  expect(expectedEndAt(half, made + hour + 1)! % 60_000).toBe(0);
  const untold = [
    batch({ createdAt, counts: counts(1_000, { succeeded: 19 }) }),
    batch({ createdAt, counts: counts(1_000, { succeeded: 1_000 }) }),
    { ...half, state: "filling" as const },
    { ...half, isStopping: true },
  ];
  expect(untold.map((one) => expectedEndAt(one, made + hour))).toEqual([null, null, null, null]);
  expect(expectedEndAt(half, made + 59_999)).toBeNull();
  expect(expectedEndAt(half, made + 31 * 24 * hour)).toBeNull();
});

test("a batch that ended with members that were not done at its deadline says so, until all have succeeded", () => {
  const settled = { ...left, counts: counts(100, { succeeded: 100 }) };
  expect([batch(), filling, left, settled, batch({ state: "cancelled" })].map(batchMark)).toEqual([
    { state: "running", text: "open" },
    { state: "scheduled", text: "filling" },
    { state: "expired", text: "leftovers" },
    { state: "succeeded", text: "complete" },
    { state: "cancelled", text: "cancelled" },
  ]);
  const open = batch({ overdue: true, leftovers });
  expect([left, settled, open, { ...left, state: "cancelled" as const }].map(needsYou)).toEqual([
    true,
    false,
    true,
    false,
  ]);
});

test("a batch's deadline is passed as soon as its time is over, also before anybody has looked", () => {
  const before = Date.parse(deadlineAt) - 1;
  const after = Date.parse(deadlineAt);
  const open = batch({ deadlineAt });
  const inTime = { ...open, leftovers: { count: 0, named: [] } };
  expect([isOverdue(open, before), isOverdue(open, after)]).toEqual([false, true]);
  expect([inTime, batch(), { ...open, state: "complete" as const }].map((one) => isOverdue(one, after))).toEqual([
    false,
    false,
    false,
  ]);
  expect(isOverdue(left, before)).toBe(true);
});

test.each([
  [batch(), "2 of 400 members live; it completes when they have ended."],
  [batch({ counts: counts(400, { succeeded: 399 }) }), "1 of 400 members lives; it completes when it has ended."],
  [batch({ counts: counts(4, { succeeded: 4 }) }), "All 4 members ended; it completes within moments."],
  [batch({ counts: counts(0) }), "It has no member; it completes within moments."],
  [
    batch({ counts: counts(4, { succeeded: 3, dead: 1 }), retryDead: true, deadlineAt }),
    "All have ended; it waits for its deadline: 1 dead one is retried once then.",
  ],
  [
    batch({ counts: counts(4, { succeeded: 3 }), retryDead: true, leftovers, retryingSince: deadlineAt }),
    "Its dead members are being retried. 1 of 4 members lives; it completes when it has ended.",
  ],
  [
    filling,
    "2 of 400 members live. It is not sealed yet: members can be added, and it completes only when it is sealed.",
  ],
  [{ ...filling, counts: counts(0) }, "It has no member yet. It is not sealed: members can be added."],
  [
    batch({ isStopping: true }),
    "It is being stopped. 2 members live: those that have not started are taken back, the others are asked to stop.",
  ],
  [batch({ isStopping: true, counts: counts(1, { dead: 1 }) }), "It is being stopped; all of its members have ended."],
  [left, "All 100 members ended: 96 succeeded, 4 dead."],
  [{ ...left, counts: counts(1, { succeeded: 1 }) }, "Its one member succeeded."],
  [{ ...left, counts: counts(0) }, "It is complete: it was sealed without a member."],
  [
    { ...left, counts: counts(100, { succeeded: 96, dead: 3 }) },
    "It is complete. 1 of 100 members lives again: a later retry opens nothing.",
  ],
  [
    batch({ state: "cancelled", counts: counts(10, { succeeded: 4, cancelled: 5 }) }),
    "It was cancelled. Of 10 members: 4 succeeded, 5 cancelled. 1 still lives and is asked to stop.",
  ],
  [batch({ state: "cancelled", counts: counts(2, { cancelled: 2 }) }), "It was cancelled. Of 2 members: 2 cancelled."],
  [batch({ state: "cancelled", counts: counts(0) }), "It was cancelled before it had a member."],
])("one sentence says what a batch waits for: %#", (one, sentence) => {
  expect(standingSentence(one)).toBe(sentence);
});

test("a batch's bar shows what has ended, and is told in words", () => {
  expect(progressParts(counts(8, { succeeded: 4, expired: 2 }))).toEqual([
    { state: "succeeded", share: 0.5 },
    { state: "expired", share: 0.25 },
  ]);
  expect(progressParts(counts(0))).toEqual([]);
  expect(endsWords(counts(3))).toBe("none has ended");
  expect(progressLabel(batch())).toBe("99.5 % of 400 members ended: 398 succeeded");
  expect(progressLabel(batch({ counts: counts(0), progress: null }))).toBe("It has no member");
});

test("a batch's progress is 100 % only when all of it has ended, and 0 only when nothing has", () => {
  expect([null, 0, 0.000_001, 0.834, 0.999_999, 1].map((progress) => percentText({ progress }))).toEqual([
    "–",
    "0",
    "0.1",
    "83.4",
    "99.9",
    "100",
  ]);
});

test("a batch that was stopped tells why, and by whom", () => {
  const stop = { at: deadlineAt, by: "key:1" };
  expect(stopWords({ ...stop, reason: "REQUESTED" })).toBe("Cancelled by key:1");
  expect(stopWords({ ...stop, reason: "FAIL_FAST" })).toContain("a member ended dead");
  expect(stopWords({ ...stop, reason: "TOO_MANY_MEMBERS" })).toContain("more than a batch may have");
});

test("a batch's deadline says what will be done, or what was seen", () => {
  const none = { count: 0, named: [] };
  const all = [batch(), batch({ retryDead: true }), left, batch({ leftovers: none }), batch({ state: "cancelled" })];
  expect(all.map(deadlineWords)).toEqual([
    "then leftovers are named",
    "then leftovers are named, and dead ones are retried once",
    "4 members had not succeeded by then",
    "every member had succeeded by then",
    "it was cancelled before anybody looked",
  ]);
});

test("a batch's follow-up task that is not made says what will come of it", () => {
  const failing = batch({ counts: counts(4, { dead: 1, expired: 1 }) });
  expect(followUpWords(batch(), "complete")).toBe("not made yet");
  expect(followUpWords(batch(), "success")).toBe("not made yet");
  expect(followUpWords(failing, "success")).toBe("not made: 2 ended otherwise; made as soon as all have succeeded");
  expect(followUpWords(failing, "complete")).toBe("not made yet");
  expect(followUpWords(left, "complete")).toBe("about to be made");
  expect(followUpWords({ ...left, counts: counts(1, { succeeded: 1 }) }, "success")).toBe("about to be made");
  expect(followUpWords(batch({ state: "cancelled" }), "complete")).toBe("never made: the batch was cancelled");
});

test("one sentence says how all batches stand", () => {
  const facts = { isPart: false, isFiltered: false };
  const late = batch({ overdue: true, leftovers });
  expect(batchesSentence([batch(), late, filling, left], facts)).toBe(
    "2 open, 1 filling, 1 ended, 1 of them with leftovers, 1 past its deadline.",
  );
  expect(batchesSentence([left], { ...facts, isPart: true })).toBe("Of these 1: 1 ended, 1 of them with leftovers.");
  expect(batchesSentence([], facts)).toBe("There is no batch yet.");
  expect(batchesSentence([], { ...facts, isFiltered: true })).toBe("No batch matches this filter.");
});

test("a batch's cancel tells which members it reaches; where they are many, their number must be typed", () => {
  expect(cancelQuestion(batch())).toMatch(/^2 members live: those that have not started are taken back/);
  expect(cancelQuestion(batch({ counts: counts(0) }))).toMatch(/^None of its 0 members lives\./);
  expect([99, 100].map((live) => typedBefore(batch({ counts: counts(live) })))).toEqual([null, "100"]);
  expect([filling, batch(), left].map(actionsFor)).toEqual([["seal", "cancel"], ["cancel"], ["retry"]]);
});
