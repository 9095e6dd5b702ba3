import { describe, expect, test } from "@jest/globals";
import { departureOf, nameOfTransition, type TaskFacts, type TaskMove, transitionOf } from "./task-move.js";

const scheduled: TaskFacts = {
  state: "scheduled",
  key: "k",
  keyLive: true,
  owner: null,
  cancelRequestedAt: null,
  fence: 4,
  attempt: 1,
  crashCount: 1,
  snoozeCount: 1,
  version: 2,
};
const running: TaskFacts = { ...scheduled, state: "running", owner: "9", fence: 5, attempt: 2 };
const asked: TaskFacts = { ...running, cancelRequestedAt: 7 };

describe("a change of a row", () => {
  test.each<[string, TaskMove, string]>([
    [
      "a create",
      {
        by: "create",
        before: null,
        after: { ...scheduled, fence: 0, version: 1, attempt: 0, crashCount: 0, snoozeCount: 0 },
      },
      "create: (none) → scheduled",
    ],
    ["a claim", { by: "claim", before: scheduled, after: running }, "claim: scheduled → running"],
    [
      "an end within the handler's transaction",
      { by: "completeWithin", before: running, after: { ...running, state: "succeeded", keyLive: false } },
      "complete: running → succeeded",
    ],
    [
      "a success after a request",
      { by: "settle", before: asked, after: { ...asked, state: "succeeded", keyLive: false } },
      "complete: running → succeeded",
    ],
    [
      "a release after a request",
      { by: "release", before: asked, after: { ...asked, state: "cancelled", keyLive: false } },
      "release: running → cancelled, a cancel was requested",
    ],
    [
      "a reap",
      { by: "reap", before: running, after: { ...scheduled, fence: 6, crashCount: 2 } },
      "reap: running → scheduled",
    ],
    [
      "a key that goes to the next cycle",
      { by: "create", before: asked, after: { ...asked, keyLive: false } },
      "next cycle: running → running",
    ],
  ])("%s is a transition of a task", (_, move, expected) => {
    expect(departureOf(move)).toBeNull();
    expect(nameOfTransition(transitionOf(move)!)).toBe(expected);
  });

  test.each<[string, TaskMove, string]>([
    [
      "an edit that takes a task from its node",
      { by: "edit", before: running, after: scheduled },
      "edit took running to scheduled: there is no such transition",
    ],
    [
      "a release that keeps fence and owner",
      { by: "release", before: running, after: { ...scheduled, fence: 5, owner: "9" } },
      "release took running to scheduled: fence 5 → 5, not +1, owner 9 → 9",
    ],
    [
      "a retry of what was asked to be cancelled",
      { by: "settle", before: asked, after: { ...scheduled, fence: 6, attempt: 2 } },
      "settle took running to scheduled: a cancel was requested",
    ],
    [
      "a claim by nobody",
      { by: "claim", before: scheduled, after: { ...running, owner: null } },
      "claim took scheduled to running: owner null → null",
    ],
    [
      "a success that keeps the key",
      { by: "settle", before: running, after: { ...running, state: "succeeded" } },
      "settle took running to succeeded: its key is taken",
    ],
    [
      "an edit that forgets a crash and leaves the version",
      { by: "edit", before: scheduled, after: { ...scheduled, crashCount: 0 } },
      "edit took scheduled to scheduled: crashCount 1 → 0, not the same, version 2 → 2, not +1",
    ],
  ])("%s is no transition of a task", (_, move, expected) => {
    expect(departureOf(move)).toBe(expected);
    expect(transitionOf(move)).toBeNull();
  });
});
