import { describe, expect, test } from "@jest/globals";
import { definitionOf, type Wanted } from "../../test-support/definitions.js";
import { decide } from "./decide.js";
import { decideNewRules } from "./new-rules.js";
import { type LiveOccurrence, newPlanningState, type PlanningInput } from "./planning.js";

const HOUR = 3_600_000;
/** In Berlin it is 13:00. */
const NOW = Date.UTC(2026, 10, 24, 12);

function inputOf(wanted: Wanted, live: Partial<LiveOccurrence> & { at: number }): PlanningInput {
  const occurrence: LiveOccurrence = {
    dueAt: live.at,
    state: "scheduled",
    startedAt: null,
    attemptEndedAt: null,
    hasAttemptsLeft: true,
    isCancelRequested: false,
    isTrigger: false,
    ...live,
  };
  const state = { ...newPlanningState(NOW - HOUR), plannedUntil: live.at };
  return {
    definition: definitionOf({ timeZone: "Europe/Berlin", ...wanted }),
    state,
    now: NOW,
    live: occurrence,
    last: null,
  };
}

const daily = { spec: { kind: "cron" as const, cron: "0 3 * * *" } };
/** 03:00 in Berlin, as this process has it. */
const three = Date.UTC(2026, 10, 25, 2);
const wall = (day: number, hour: number): number => Date.UTC(2026, 10, day, hour);

describe("a schedule that was planned under an older tzdata", () => {
  test("a schedule planned under an older tzdata moves its occurrence to where its wall time is now", () => {
    const input = inputOf(daily, { at: three + HOUR });
    const { live, insert, state, skips } = decideNewRules(input, wall(25, 3));
    expect([live, skips]).toEqual(["withdraw", []]);
    expect(insert).toMatchObject([{ at: three, dueAt: three, missed: 0 }]);
    expect(state.plannedUntil).toBe(three);
    const after = { ...input, state, live: { ...input.live!, at: three, dueAt: three } };
    expect(decideNewRules(after, wall(25, 3))).toEqual(decide(after));
  });

  test("a schedule planned under an older tzdata runs at once what would have been by now", () => {
    const noon = { spec: { kind: "cron" as const, cron: "30 12 * * *" } };
    const { insert, state } = decideNewRules(inputOf(noon, { at: NOW + HOUR / 2 }), wall(24, 12) + HOUR / 2);
    expect(insert).toMatchObject([{ at: NOW - HOUR / 2, dueAt: NOW }]);
    expect(state.plannedUntil).toBe(NOW - HOUR / 2);
  });

  test("a schedule planned under an older tzdata leaves all as it is where nothing has moved", () => {
    const input = inputOf(daily, { at: three });
    expect(decideNewRules(input, wall(25, 3))).toEqual(decide(input));
  });

  test("a schedule planned under an older tzdata leaves what has started, what is overdue, a trigger and a pause as they are", () => {
    for (const live of [
      { at: three + HOUR, state: "running" as const, startedAt: NOW - 5 },
      { at: NOW - 5, state: "overdue" as const },
      { at: three + HOUR, isTrigger: true },
    ]) {
      const input = inputOf(daily, live);
      expect(decideNewRules(input, wall(25, 3))).toEqual(decide(input));
    }
    const input = inputOf(daily, { at: three + HOUR });
    const pause = { since: NOW, until: null, reason: "REQUESTED" as const };
    const paused = { ...input, state: { ...input.state, pause } };
    expect(decideNewRules(paused, wall(25, 3))).toEqual(decide(paused));
    expect(decideNewRules(input, null)).toEqual(decide(input));
  });

  test("under a newer tzdata, an occurrence by elapsed time is kept where its instant still matches, and else moved", () => {
    const hourly = { spec: { kind: "cron" as const, cron: "0 * * * *" } };
    const kept = inputOf(hourly, { at: NOW + HOUR });
    expect(decideNewRules(kept, wall(24, 15))).toEqual(decide(kept));
    const { insert } = decideNewRules(inputOf(hourly, { at: NOW + HOUR / 2 }), wall(24, 14));
    expect(insert).toMatchObject([{ at: NOW + HOUR }]);
  });

  test("a schedule planned under an older tzdata never goes behind what is settled", () => {
    const input = inputOf(daily, { at: three + HOUR });
    const settled = { ...input, state: { ...input.state, settledUntil: three } };
    expect(decideNewRules(settled, wall(25, 3))).toEqual(decide(settled));
  });

  test("a schedule planned under an older tzdata plans the next instant where a wall time has fallen into a skipped gap", () => {
    const spring = Date.UTC(2026, 2, 28, 12);
    const base = inputOf(
      { spec: { kind: "cron", cron: "30 2 * * *" }, policies: { gap: "skip" } },
      { at: Date.UTC(2026, 2, 29, 0, 30) },
    );
    const input = { ...base, now: spring, state: { ...base.state, settledUntil: spring - HOUR } };
    const { live, insert } = decideNewRules(input, Date.UTC(2026, 2, 29, 2, 30));
    expect([live, insert.map(({ at }) => at)]).toEqual(["withdraw", [Date.UTC(2026, 2, 30, 0, 30)]]);
  });
});
