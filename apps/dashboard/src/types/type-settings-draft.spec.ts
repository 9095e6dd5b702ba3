import { expect, test } from "@jest/globals";
import { draftOf, readDraft } from "./type-settings-draft.js";

const UNSET = {
  settings: { concurrency: null, keepSucceeded: null, keepCancelled: null, keepDead: null },
  limits: null,
};
const EMPTY = draftOf(UNSET);
const NOTHING = {
  concurrency: null,
  maxRunning: null,
  rate: null,
  keepSucceeded: null,
  keepCancelled: null,
  keepDead: null,
};

test("the draft of a type without settings is empty, but that a rate is of a second", () => {
  expect(EMPTY).toEqual({
    concurrency: "",
    maxRunning: "",
    count: "",
    per: "1s",
    burst: "",
    keepSucceeded: "",
    keepCancelled: "",
    keepDead: "",
  });
  expect(readDraft(EMPTY)).toEqual({ ok: true, body: NOTHING });
});

test("a type's settings that are set are shown, and sent again as they are", () => {
  const draft = draftOf({
    settings: { concurrency: 5, keepSucceeded: 0, keepCancelled: 7_200_000, keepDead: 129_600_000 },
    limits: { maxRunning: 20, running: 3, rate: { count: 100, perMs: 60_000, burst: 7 }, tokens: 2 },
  });
  expect(readDraft(draft)).toEqual({
    ok: true,
    body: {
      concurrency: 5,
      maxRunning: 20,
      rate: { count: 100, per: "1m", burst: 7 },
      keepSucceeded: "0s",
      keepCancelled: "2h",
      keepDead: "1d12h",
    },
  });
});

test.each([
  [{ concurrency: "0" }, "At once on each node: give a whole number from 1 to 10,000, or nothing."],
  [{ maxRunning: "1001" }, "At once in the whole cluster: give a whole number from 1 to 1,000, or nothing."],
])("the typed settings %j are not sent", (typed, why) => {
  expect(readDraft({ ...EMPTY, ...typed })).toEqual({ ok: false, why });
});
