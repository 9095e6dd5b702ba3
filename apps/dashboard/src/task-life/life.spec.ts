import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { entry, parts, T0, taskOf } from "../../test-support/task-scene.js";
import { drawnRuns, lifeOf } from "./life.js";
import { runsOf } from "./runs.js";
import { splitOf } from "./split-words.js";
import { journalWords } from "./journal-words.js";

const TAKEN = {
  node: "tw-c",
  silentSince: new Date(T0 - 300).toISOString(),
  takenOverAt: new Date(T0 + 7_121).toISOString(),
};
/** Due at the beginning, taken over from tw-c, failed on tw-a and succeeded there. */
const journal = [
  entry(0, { from: null, to: "scheduled", actor: "shop-api" }),
  entry(7_701, { from: "scheduled", to: "running", fence: 1, attempt: 1, node: "tw-a" }),
  entry(12_800, {
    from: "running",
    to: "scheduled",
    fence: 1,
    attempt: 1,
    node: "tw-a",
    reason: "FAILED",
    error: "GatewayTimeoutError: x\n at y",
    startedAt: 7_712,
    latenessParts: parts({ knownMs: 7_505, wheelMs: 8, placeMs: 147, claimMs: 41, startMs: 11, takenFrom: TAKEN }),
  }),
  entry(35_300, { from: "scheduled", to: "running", fence: 3, attempt: 2, node: "tw-a" }),
  entry(38_204, {
    from: "running",
    to: "succeeded",
    fence: 3,
    attempt: 2,
    node: "tw-a",
    startedAt: 35_300,
    latenessParts: parts(),
  }),
];
const task = taskOf({ state: "succeeded", finishedAt: T0 + 38_204, dueAt: T0 + 35_300, attempt: 2 });
const runs = runsOf(journal);

describe("the life of a task", () => {
  test("the life of a task jumps from lane to lane where it was taken over, to scale from its due time on", () => {
    const { lanes, label, axis } = lifeOf(task, runs, T0 + 100_000);
    expect(lanes.map(({ who }) => who)).toEqual(["tw-c", "tw-a"]);
    const [silent] = lanes[0]!.segments;
    expect(silent).toMatchObject({ from: 0, look: "hatch", mark: "overdue", text: "silent 7.1 s" });
    expect(silent!.share).toBeCloseTo(7_121 / 38_204, 6);
    expect(lanes[0]!.flags).toMatchObject([{ mark: "dead", text: "taken over by tw-a" }]);
    expect(lanes[1]!.segments.map(({ text }) => text)).toEqual(
      ["until its start, 591 ms", "attempt 1, 5.1 s", "attempt 2, 2.9 s", "waits for its next run, 22.5 s"].toSorted(
        (a, b) =>
          lanes[1]!.segments.findIndex(({ text }) => text === a) -
          lanes[1]!.segments.findIndex(({ text }) => text === b),
      ),
    );
    expect(lanes[1]!.flags.map(({ mark }) => mark)).toEqual(["failing", "succeeded"]);
    expect(label).toContain("tw-c: silent 7.1 s. tw-a:");
    expect(axis.at(-1)).toEqual({ at: 1, text: "+38.2 s" });
  });

  test("the life of a task has six stages, counted from its due time", () => {
    const { stages } = lifeOf(task, runs, T0 + 100_000);
    expect(stages.map(({ name, at }) => [name, at === null ? null : at - T0])).toEqual([
      ["Created", 0],
      ["Due", 0],
      ["Known to a node", 7_505],
      ["Claimed", 7_701],
      ["Started", 7_712],
      ["Ended", 38_204],
    ]);
    expect(
      lifeOf(taskOf(), [], T0 - 5_000)
        .stages.filter(({ at }) => at === null)
        .map(({ name }) => name),
    ).toEqual(["Known to a node", "Claimed", "Started"]);
  });

  test("the life of a task that nobody runs is one hatched lane up to now", () => {
    const { lanes } = lifeOf(taskOf({ waitingFor: "HANDLER" }), [], T0 + 61_000);
    expect(lanes).toMatchObject([
      { who: "no node", segments: [{ from: 0, share: 1, text: "overdue, 1 min 1 s so far" }] },
    ]);
    expect(lifeOf(taskOf(), [], T0 - 1).lanes).toEqual([]);
  });

  test("the life of a task never leaves its frame, whatever clocks and journal say, and draws a bounded number of runs", () => {
    const instant = fc.integer({ min: -5_000, max: 90_000 });
    fc.assert(
      fc.property(fc.array(fc.tuple(instant, instant, instant), { maxLength: 30 }), instant, (times, now) => {
        const entries = times.flatMap(([claimed, started, ended], index) => [
          entry(claimed, {
            from: "scheduled",
            to: "running",
            fence: 2 * index + 1,
            attempt: index + 1,
            node: `n${index % 3}`,
          }),
          entry(ended, {
            from: "running",
            to: "scheduled",
            reason: "FAILED",
            startedAt: started,
            latenessParts: parts({ claimMs: 40 }),
          }),
        ]);
        const life = lifeOf(taskOf(), runsOf(entries), T0 + now);
        for (const { segments, flags } of life.lanes) {
          for (const { from, share } of segments) {
            expect(from >= 0 && from + share <= 1.000001).toBe(true);
          }
          for (const { at } of flags) expect(at >= 0 && at <= 1).toBe(true);
        }
        const drawn = life.lanes.flatMap(({ segments }) => segments).filter(({ look }) => look === "solid");
        expect(drawn.length).toBeLessThanOrEqual(drawnRuns);
      }),
    );
  });
});

describe("the lateness in parts", () => {
  const [run] = runs;

  test("a task's lateness in parts tells the wait for a silent node apart, and adds up", () => {
    const shown = splitOf(run!.parts!, run!.startedAt!, run!.node);
    expect(shown.map(({ name, ms }) => [name, ms])).toEqual([
      ["Waiting for tw-c", 7_121],
      ["Taking over", 384],
      ["Wheel", 8],
      ["Waiting for a place", 147],
      ["Claim", 41],
      ["Start", 11],
    ]);
    expect(shown[0]!.why).toBe("The last beat of tw-c came 300 ms before its due time.");
    expect(shown.at(-1)!.from + shown.at(-1)!.share).toBeCloseTo(1, 9);
  });

  test("a task's lateness has no bars where there was none", () => {
    expect(splitOf(parts(), T0, "n1").every(({ ms, share }) => ms === 0 && share === 0)).toBe(true);
  });
});

test("a task's journal is told in words", () => {
  const told = journal.map((one) => journalWords(one, 3));
  expect(told.map(({ text, detail }) => `${text} | ${detail}`)).toEqual([
    "Created | by shop-api",
    "Claimed, attempt 1 of 3 | tw-a, fence 1",
    "Failed: GatewayTimeoutError: x | tw-a, fence 1",
    "Claimed, attempt 2 of 3 | tw-a, fence 3",
    "Succeeded | tw-a, fence 3",
  ]);
  const other = (from: "scheduled" | "running" | "paused", to: "scheduled" | "paused" | "dead", more: object = {}) =>
    journalWords(entry(0, { from, to, ...more }), 3).text;
  expect(other("scheduled", "paused")).toBe("Paused");
  expect(other("paused", "scheduled")).toBe("Resumed");
  expect(other("running", "scheduled", { reason: "CRASHED" })).toBe("Its node died: taken back");
  expect(other("scheduled", "scheduled", { reason: "EDITED", count: 7 })).toBe("Edited (7 changes, this is the last)");
  expect(other("running", "dead", { reason: "CRASHES" })).toBe("Dead (CRASHES)");
});
