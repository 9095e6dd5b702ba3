import { describe, expect, test } from "@jest/globals";
import { definitionOf } from "../../test-support/definitions.js";
import { at, inputOf, liveAt, runOf, stateAt } from "../../test-support/scenes.js";
import type { Misfire } from "../definition/schedule.js";
import { decide, decideResume } from "./decide.js";
import { decideTrigger } from "./interventions.js";
import type { PlanningInput, PlanningOutput } from "./planning.js";

const MINUTE = 60_000;
const LAST: Misfire = { kind: "last" };
const upTo = (limit: number): Misfire => ({ kind: "all", limit });

describe("overlap allow", () => {
  const open = (now: number, misfire: Misfire = LAST): PlanningOutput =>
    decide(inputOf({ cron: "*/10 * * * * *", now, policies: { overlap: "allow", misfire } }));

  test("overlap allow makes rows half a minute ahead, and looks again in time for the row behind them", () => {
    const output = open(at("10:00"));
    expect(output.insert.map((each) => each.at)).toEqual([at("10:00:10"), at("10:00:20"), at("10:00:30")]);
    expect(output.lookAt).toBe(at("10:00:10"));
  });

  test("overlap allow settles the instants that passed without a row by misfire, together", () => {
    expect(
      open(at("10:01:05"))
        .insert.map((each) => [each.at, each.missed])
        .slice(0, 2),
    ).toEqual([
      [at("10:01"), 5],
      [at("10:01:10"), 0],
    ]);
    const all = open(at("10:01:05"), upTo(2));
    expect(all.insert.slice(0, 2)).toMatchObject([
      { at: at("10:00:50"), dueAt: at("10:01:05") },
      { at: at("10:01"), dueAt: at("10:01:05") },
    ]);
    expect(all.skips).toMatchObject([{ count: 4, reason: "CATCH_UP_LIMIT" }]);
  });

  const within = (places: number, misfire: Misfire = LAST): PlanningOutput =>
    decide(inputOf({ cron: "*/10 * * * * *", now: at("10:01:05"), policies: { overlap: "allow", misfire }, places }));

  test("overlap allow makes as many rows as may live, the newest of the instants that passed first", () => {
    const instants = (output: PlanningOutput): number[] => output.insert.map((each) => each.at);
    expect(instants(within(2))).toEqual([at("10:01"), at("10:01:10")]);
    const few = within(2, upTo(4));
    expect(instants(few)).toEqual([at("10:00:50"), at("10:01")]);
    expect(few.skips).toMatchObject([
      { count: 2, reason: "CATCH_UP_LIMIT" },
      { count: 2, reason: "LIVE_LIMIT" },
    ]);
    expect(few.state).toMatchObject({ plannedUntil: at("10:01"), settledUntil: at("10:01") });
  });

  test("overlap allow skips what passes while as many rows live as may, whatever misfire says, and looks again seldom", () => {
    for (const misfire of [LAST, upTo(4)]) {
      const full = within(0, misfire);
      expect(full.insert).toEqual([]);
      expect(full.skips).toMatchObject([{ from: at("10:00:10"), to: at("10:01"), count: 6, reason: "LIVE_LIMIT" }]);
      expect(full.lookAt).toBe(at("10:01:25"));
    }
  });

  test("a schedule with overlap allow is not triggered by hand while as many rows live as may", () => {
    const input = inputOf({ now: at("10:01:05"), policies: { overlap: "allow" }, places: 0 });
    expect([decideTrigger(input), decideTrigger({ ...input, places: 1 })?.insert.length]).toEqual([null, 1]);
  });
});

describe("a fixed delay", () => {
  const delayed = (rest: Partial<PlanningInput>): PlanningInput => ({
    definition: definitionOf({ createdAt: at("10:00"), spec: { kind: "after", afterMs: 5 * MINUTE } }),
    state: stateAt(at("10:00")),
    now: at("10:00"),
    live: null,
    last: null,
    ...rest,
  });
  const ended = { state: stateAt(at("10:05")), last: runOf(at("10:05"), at("10:07:30")) };

  test("a fixed delay counts from the creation, then from each end", () => {
    expect(decide(delayed({})).insert).toMatchObject([{ at: at("10:05"), dueAt: at("10:05") }]);
    expect(decide(delayed({ now: at("10:07:31"), ...ended })).insert).toMatchObject([
      { at: at("10:12:30"), missed: 0 },
    ]);
  });

  test("a fixed delay that has passed is due now, and counts from now where the last end is not known", () => {
    expect(decide(delayed({ now: at("12:00"), ...ended })).insert).toMatchObject([
      { at: at("10:12:30"), dueAt: at("12:00") },
    ]);
    expect(decide(delayed({ now: at("12:00"), ...ended, last: null })).insert).toMatchObject([{ at: at("12:05") }]);
  });

  test("a fixed delay plans nothing beside a run", () => {
    const live = liveAt(at("10:05"), { state: "running", startedAt: at("10:05") });
    expect(decide(delayed({ now: at("10:20"), live, state: stateAt(at("10:05")) }))).toMatchObject({
      insert: [],
      live: "keep",
    });
  });

  test("a fixed delay begins anew after a pause that let it pass", () => {
    const pause = { since: at("10:10"), until: null, reason: "REQUESTED" as const };
    const scene = { now: at("12:00"), last: ended.last, state: stateAt(at("10:05"), { pause }) };
    expect(decideResume(delayed(scene)).insert).toMatchObject([{ at: at("12:05") }]);
  });

  test("a fixed delay moves to the first moment of the next day that is not excluded", () => {
    const { definition } = delayed({});
    const excluding = { ...definition, exclude: ["2024-10-17", "2024-10-18"], timeZone: "Europe/Berlin" };
    const last = runOf(at("21:50"), at("21:57"));
    const output = decide(delayed({ definition: excluding, now: at("21:57"), last, state: stateAt(at("21:50")) }));
    expect(output.insert).toMatchObject([{ at: at("22:00", 18) }]);
  });
});
