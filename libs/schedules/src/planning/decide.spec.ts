import { describe, expect, test } from "@jest/globals";
import { at, inputOf, liveAt, runOf, type Scene, stateAt, told } from "../../test-support/scenes.js";
import type { Misfire, Overlap } from "../definition/schedule.js";
import { decide } from "./decide.js";
import { standIn } from "./stand-in.js";

const SECOND = 1_000;
const HOUR = 3_600_000;
const LAST: Misfire = { kind: "last" };
const SKIP: Misfire = { kind: "skip" };
const upTo = (limit: number): Misfire => ({ kind: "all", limit });

describe("instants that passed while nothing was there to run them", () => {
  const outage = (misfire: Misfire, now = at("10:55:30")): object =>
    told(decide(inputOf({ cron: "*/10 * * * *", policies: { misfire }, now, last: runOf(at("10:00"), at("10:01")) })));

  test("missed instants come to one run of the newest by default, which is told how many were missed", () => {
    expect(outage(LAST)).toMatchObject({ insert: ["10:50 at 10:55:30 missed 4"], skips: ["10:10-10:40 4 MISSED"] });
  });

  test("missed instants are all skipped by misfire skip, if the newest is later than the grace", () => {
    expect(outage(SKIP)).toMatchObject({ insert: ["11:00 at 11:00 missed 5"], skips: ["10:10-10:50 5 MISSED"] });
  });

  test("missed instants lose no run to misfire skip where the planner is only a little late", () => {
    expect(outage(SKIP, at("10:51"))).toMatchObject({ insert: ["10:50 at 10:51 missed 4"] });
    expect(outage(SKIP, at("10:51:01"))).toMatchObject({ insert: ["11:00 at 11:00 missed 5"] });
  });

  test("missed instants run in a row by misfire all, the newest up to its limit, the oldest first", () => {
    expect(outage(upTo(3))).toMatchObject({
      insert: ["10:30 at 10:55:30 missed 2"],
      skips: ["10:10-10:20 2 CATCH_UP_LIMIT"],
      backlog: ["10:40", "10:50"],
    });
  });

  test("missed instants are not caught up when they are older than the limit", () => {
    const policies = { catchUpLimitMs: 6 * HOUR };
    const late = decide(inputOf({ cron: "30 3 * * *", policies, now: at("12:30"), state: stateAt(at("03:00")) }));
    expect(late.skips).toMatchObject([{ from: at("03:30"), count: 1, reason: "CATCH_UP_LIMIT" }]);
    expect(late.insert).toMatchObject([{ at: at("03:30", 17), startDeadlineAt: at("09:30", 17) }]);
  });

  test("missed instants are counted up to a thousand; older ones belong to the same stretch, uncounted", () => {
    const { insert, skips } = decide(inputOf({ cron: "* * * * * *", now: at("12:00") }));
    expect(insert).toMatchObject([{ at: at("12:00"), missed: 1_000, hasMissedMore: true }]);
    expect(skips).toEqual([
      { from: at("10:00:01"), to: at("11:59:59"), count: 1_000, hasMore: true, reason: "MISSED" },
    ]);
  });

  test("a row that was there and starts late stands for the missed instants, and the node says the same at its start", () => {
    const live = liveAt(at("10:00"), { state: "running", startedAt: at("10:00:30") });
    const input = inputOf({ cron: "* * * * * *", now: at("10:00:30"), live });
    const output = decide(input);
    expect(output.standIn).toEqual({ occurrenceAt: at("10:00:30"), missed: 30, hasMissedMore: false });
    expect(output.skips).toMatchObject([{ from: at("10:00"), to: at("10:00:29"), count: 30, reason: "MISSED" }]);
    const start = { at: at("10:00"), startedAt: at("10:00:30"), plannedUntil: at("10:00") };
    expect(standIn(input.definition, start)).toEqual(output.standIn);
  });

  test("missed instants are told to the late run that stands for them, and not to the run behind it", () => {
    const last = runOf(at("10:00"), at("10:56"), at("10:55:30"));
    expect(told(decide(inputOf({ cron: "*/10 * * * *", now: at("10:56"), last })))).toMatchObject({
      insert: ["11:00 at 11:00 missed 0"],
      skips: ["10:00-10:40 5 MISSED"],
    });
    const long = runOf(at("10:00"), at("12:00"), at("12:00"));
    const uncounted = decide(inputOf({ cron: "* * * * * *", now: at("12:00"), last: long }));
    expect(uncounted.insert).toMatchObject([{ missed: 0, hasMissedMore: false }]);
  });

  test("missed instants wait for the end of a row that starts late under misfire all, and are missed under skip", () => {
    const scene = { cron: "*/10 * * * *", now: at("10:45"), last: runOf(at("10:00"), at("10:45"), at("10:31")) };
    expect(told(decide(inputOf({ ...scene, policies: { misfire: upTo(9) } })))).toMatchObject({
      insert: ["10:10 at 10:45 missed 1"],
      skips: ["10:40-10:40 1 OVERLAP"],
      backlog: ["10:20", "10:30"],
    });
    expect(told(decide(inputOf({ ...scene, policies: { misfire: SKIP } })))).toMatchObject({
      insert: ["10:50 at 10:50 missed 4"],
      skips: ["10:10-10:30 3 MISSED", "10:40-10:40 1 OVERLAP"],
    });
  });

  test("the row that is always there gets the start deadline that lets misfire skip reach it", () => {
    const { insert } = decide(inputOf({ policies: { misfire: SKIP, startDeadlineMs: HOUR }, now: at("10:05") }));
    expect(insert).toMatchObject([{ at: at("11:00"), startDeadlineAt: at("11:01") }]);
  });
});

describe("instants that passed while a run executed", () => {
  const after = (overlap: Overlap, rest: Partial<Scene> = {}): object =>
    told(
      decide(
        inputOf({
          now: at("12:20"),
          last: runOf(at("10:00"), at("12:20")),
          ...rest,
          policies: { overlap, ...rest.policies },
        }),
      ),
    );

  test("instants that passed during a run are dropped by default when the run ends, and the next run is told of them", () => {
    expect(after("skip")).toMatchObject({ insert: ["13:00 at 13:00 missed 2"], skips: ["11:00-12:00 2 OVERLAP"] });
  });

  test("instants that passed during a run leave the newest waiting with overlap buffer", () => {
    expect(after("buffer")).toMatchObject({ insert: ["12:00 at 12:20 missed 1"], skips: ["11:00-11:00 1 OVERLAP"] });
  });

  test("instants that passed during a run make cancel-other ask it to stop, once, and run the newest when it has ended", () => {
    const live = liveAt(at("10:00"), { state: "running", startedAt: at("10:00") });
    const scene = { now: at("11:00"), policies: { overlap: "cancel-other" as const } };
    expect(decide(inputOf({ ...scene, now: at("10:30"), live }))).toMatchObject({ live: "keep", lookAt: at("11:00") });
    const asked = decide(inputOf({ ...scene, live }));
    expect(asked).toMatchObject({ live: "cancel", insert: [], lookAt: null });
    const ignored = { ...live, isCancelRequested: true };
    expect(decide(inputOf({ ...scene, now: at("12:10"), live: ignored, state: asked.state })).live).toBe("keep");
    expect(after("cancel-other", { state: asked.state })).toMatchObject({
      insert: ["12:00 at 12:20 missed 1"],
      skips: ["11:00-11:00 1 OVERLAP"],
    });
  });

  test("instants that passed during a run are one decision with the missed ones", () => {
    const gone = { now: at("14:30"), last: runOf(at("10:00"), at("12:20")) };
    expect(after("skip", gone)).toMatchObject({ insert: ["14:00 at 14:30 missed 3"] });
    expect(after("skip", gone)).toMatchObject({ skips: ["11:00-12:00 2 OVERLAP", "13:00-13:00 1 MISSED"] });
    expect(after("buffer", gone)).toMatchObject({
      insert: ["14:00 at 14:30 missed 3"],
      skips: ["11:00-12:00 2 OVERLAP", "13:00-13:00 1 MISSED"],
      backlog: [],
    });
    expect(after("buffer", { ...gone, policies: { misfire: SKIP } })).toMatchObject({
      insert: ["12:00 at 14:30 missed 3"],
    });
    expect(after("buffer", { ...gone, policies: { misfire: upTo(5) } })).toMatchObject({
      insert: ["12:00 at 14:30 missed 1"],
      backlog: ["13:00", "14:00"],
    });
  });

  test("instants that passed during a run drop the backlog of misfire all with cancel-other", () => {
    const backlog = [at("08:00"), at("09:00")].map((instant) => ({ at: instant, reason: "MISSED" as const }));
    const scene = { now: at("11:20"), state: stateAt(at("10:00"), { backlog }), last: runOf(at("07:00"), at("11:20")) };
    expect(after("cancel-other", { ...scene, policies: { misfire: upTo(5) } })).toMatchObject({
      insert: ["11:00 at 11:20 missed 2"],
      skips: ["08:00-09:00 2 OVERLAP"],
      backlog: [],
    });
  });
});

describe("a row that has not started", () => {
  test.each(["scheduled", "overdue", "paused"] as const)(
    "a row that has not started settles nothing while it is %s",
    (state) => {
      const input = inputOf({ now: at("12:20"), live: liveAt(at("10:00"), { state }) });
      expect(decide(input)).toMatchObject({ insert: [], skips: [], live: "keep", state: input.state, lookAt: null });
    },
  );
});

describe("a run between two attempts", () => {
  const waiting = {
    state: "retrying" as const,
    startedAt: at("10:00"),
    attemptEndedAt: at("10:20"),
    hasAttemptsLeft: true,
  };
  const live = liveAt(at("10:00"), waiting);

  test("a run between two attempts is looked at when the next is due, and gives up its retries for it, as a failure", () => {
    expect(decide(inputOf({ now: at("10:30"), live }))).toMatchObject({
      live: "keep",
      insert: [],
      lookAt: at("11:00"),
    });
    const output = decide(inputOf({ now: at("11:00"), live }));
    expect(told(output)).toEqual({ insert: ["11:00 at 11:00 missed 0"], skips: [], live: "end-retries", backlog: [] });
    expect(output.state.failures).toBe(1);
  });

  test("a run between two attempts keeps its retries with holdForRetry, and the instants that pass are overlapped", () => {
    const output = decide(inputOf({ now: at("11:00"), live, policies: { holdForRetry: true } }));
    expect(told(output)).toEqual({ insert: [], skips: ["11:00-11:00 1 OVERLAP"], live: "keep", backlog: [] });
  });

  test("a run between two attempts is cancelled at once by cancel-other with holdForRetry, since nothing executes", () => {
    const output = decide(
      inputOf({ now: at("11:00"), live, policies: { holdForRetry: true, overlap: "cancel-other" } }),
    );
    expect(told(output)).toMatchObject({ insert: ["11:00 at 11:00 missed 0"], live: "cancel" });
  });

  test("a run that executes a retry when the next is due may finish but gets no further attempt", () => {
    const running = { ...live, state: "running" as const, attemptEndedAt: null };
    expect(decide(inputOf({ now: at("10:30"), live: running })).lookAt).toBe(at("11:00"));
    expect(told(decide(inputOf({ now: at("11:00"), live: running })))).toMatchObject({
      insert: [],
      live: "end-retries",
    });
  });
});

describe("an excluded day", () => {
  test("an excluded day is told once it lies behind, and is not missed", () => {
    const input = inputOf({ cron: "30 3 * * *", now: at("04:00"), state: stateAt(at("03:30")) });
    const definition = { ...input.definition, exclude: ["2024-10-17"] };
    const planned = decide({ ...input, definition });
    expect(planned).toMatchObject({ insert: [{ at: at("03:30", 18), missed: 0 }], skips: [] });
    const ended = { definition, now: at("03:40", 18), state: planned.state, live: null };
    expect(decide({ ...ended, last: runOf(at("03:30", 18), at("03:40", 18)) })).toMatchObject({
      insert: [{ at: at("03:30", 19), missed: 0 }],
      skips: [{ from: at("03:30", 17), to: at("03:30", 17), count: 1, reason: "EXCLUDED" }],
    });
  });
});

describe("the end of the window", () => {
  test("the end of the window finishes a schedule, when nothing waits", () => {
    const input = inputOf({ now: at("10:20") });
    const definition = { ...input.definition, window: { startsAt: null, endsAt: at("11:00") } };
    expect(decide({ ...input, definition })).toMatchObject({ insert: [], isFinished: true, lookAt: null });
    expect(decide({ ...input, definition, now: at("09:20"), state: stateAt(at("09:00")) })).toMatchObject({
      insert: [{ at: at("10:00") }],
      isFinished: false,
    });
  });
});

test("a schedule of every second makes a task for the very next second", () => {
  const { insert } = decide(inputOf({ cron: "* * * * * *", now: at("10:00") + 250 }));
  expect(insert).toMatchObject([{ at: at("10:00") + SECOND }]);
});
