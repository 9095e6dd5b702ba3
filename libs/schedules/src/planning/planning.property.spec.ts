import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { ScheduleDefinition } from "../definition/schedule.js";
import { definitionOf } from "../../test-support/definitions.js";
import { PlayedSchedule } from "../../test-support/played-schedule.js";

/** The night before Berlin's clocks go back, so that histories cross a fold and several days. */
const START = Date.UTC(2024, 9, 26, 20);
const MINUTE = 60_000;
/** The share of the runs: all before a release (`run-tests.mjs --whole`), two of five otherwise. */
const SHARE = process.env["TICKWHEEL_TEST_DEPTH"] === "whole" ? 1 : 0.4;

const specs = fc.oneof(
  fc
    .constantFrom(60_000, 600_000, 3_600_000)
    .map((everyMs) => ({ kind: "every" as const, everyMs, anchorAt: START + 7 })),
  fc
    .constantFrom("*/10 * * * *", "0 * * * *", "*/20 1-3 * * *", "30 2 * * *", "*/30 * * * * *")
    .map((cron) => ({ kind: "cron" as const, cron })),
);

const policies = fc.record({
  misfire: fc.oneof(
    fc.constantFrom({ kind: "last" as const }, { kind: "skip" as const }),
    fc.integer({ min: 1, max: 4 }).map((limit) => ({ kind: "all" as const, limit })),
  ),
  overlap: fc.constantFrom("skip" as const, "buffer" as const, "cancel-other" as const),
  onResume: fc.constantFrom("skip" as const, "last" as const),
  gap: fc.constantFrom("shift" as const, "skip" as const),
  fold: fc.constantFrom("first" as const, "last" as const, "both" as const),
  jitterMs: fc.constantFrom(0, 0, 4 * MINUTE),
  catchUpLimitMs: fc.constantFrom(null, null, 30 * MINUTE),
  pauseAfterFailures: fc.constantFrom(null, 2),
  holdForRetry: fc.boolean(),
});

const definitions = fc
  .record({
    spec: specs,
    policies,
    exclude: fc.constantFrom([], ["2024-10-27"]),
    endsAt: fc.constantFrom(null, START + 20 * 60 * MINUTE),
  })
  .map(({ endsAt, ...wanted }) =>
    definitionOf({ ...wanted, createdAt: START, timeZone: "Europe/Berlin", window: { startsAt: null, endsAt } }),
  );

/** What happens next; most of the time it passes, and a planner comes by. */
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 40 * MINUTE }).map((ms) => ({ does: "wait" as const, ms })) },
    { weight: 5, arbitrary: fc.constantFrom("decide", "start", "end").map((does) => ({ does, ms: 0 })) },
    {
      weight: 1,
      arbitrary: fc.constantFrom("fail", "start", "pause", "resume", "trigger").map((does) => ({ does, ms: 0 })),
    },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 8 * 60 * MINUTE }).map((ms) => ({ does: "pauseFor", ms })) },
  ),
  { minLength: 5, maxLength: 80 },
);

type Step = { does: string; ms: number };

function act(played: PlayedSchedule, { does, ms }: Step): void {
  if (does === "wait") played.now += ms;
  else if (does === "pauseFor") played.pause(played.now + ms);
  else played[does as "decide" | "start" | "end" | "fail" | "pause" | "resume" | "trigger"]();
}

/** All that runs ends, and what waits gets its turn, until only the future is left. */
function windDown(played: PlayedSchedule): void {
  played.resume();
  for (let turn = 0; turn < 50; turn += 1) {
    if (played.live && played.live.dueAt > played.now) return;
    played.start();
    played.end();
    played.decide();
  }
}

describe("the decisions about a chain", () => {
  test("decisions about a chain give every instant one fate, rise, and change nothing when asked twice, in any order of events", () => {
    fc.assert(
      fc.property(definitions, steps, (definition, history) => {
        const played = new PlayedSchedule(definition, START);
        for (const step of history) {
          act(played, step);
          expect(played.unaccounted()).toEqual([]);
        }
        windDown(played);
        expect(played.unaccounted()).toEqual([]);
      }),
      { numRuns: 600 * SHARE },
    );
  });

  test("decisions about a chain run nothing twice and settle nothing twice across edits", () => {
    fc.assert(
      fc.property(definitions, definitions, fc.tuple(steps, steps, steps), (one, other, histories) => {
        const played = new PlayedSchedule(one, START);
        const [before, between, after] = histories as [Step[], Step[], Step[]];
        for (const step of before) act(played, step);
        played.edit(other);
        for (const step of between) act(played, step);
        played.edit(one);
        for (const step of after) act(played, step);
        windDown(played);
      }),
      { numRuns: 300 * SHARE },
    );
  });

  test("decisions about a chain keep the live occurrence where an edit changes nothing", () => {
    fc.assert(
      fc.property(definitions, steps, (definition: ScheduleDefinition, history) => {
        const edited = new PlayedSchedule(definition, START);
        const decided = new PlayedSchedule(definition, START);
        for (const step of history) [edited, decided].forEach((each) => act(each, step));
        edited.edit(structuredClone(definition));
        decided.decide();
        expect(edited.output).toEqual(decided.output);
      }),
      { numRuns: 200 * SHARE },
    );
  });
});
