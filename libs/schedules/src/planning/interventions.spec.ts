import { describe, expect, test } from "@jest/globals";
import { at, inputOf, liveAt, runOf, type Scene, stateAt, told } from "../../test-support/scenes.js";
import { decide, decideResume } from "./decide.js";
import { decideEdit } from "./edit.js";
import { decidePause, decideTrigger } from "./interventions.js";
import type { PlanningOutput } from "./planning.js";

const HOUR = 3_600_000;

describe("a pause", () => {
  const daily = {
    cron: "30 3 * * *",
    now: at("18:02"),
    state: stateAt(at("03:30", 17), { settledUntil: at("03:30") }),
  };
  const paused = decidePause(inputOf({ ...daily, live: liveAt(at("03:30", 17)) }), { until: null });
  const back = { ...daily, now: at("08:11", 18), state: paused.state };

  test("a pause takes back the occurrence that is ahead: its instant is open again", () => {
    expect(paused).toMatchObject({ live: "withdraw", skips: [], insert: [], state: { plannedUntil: at("03:30") } });
  });

  test("a pause skips the instants that were due in it, by default", () => {
    const output = decideResume(inputOf(back));
    expect(output.skips).toMatchObject([{ from: at("03:30", 17), to: at("03:30", 18), count: 2, reason: "PAUSED" }]);
    expect(output.insert).toMatchObject([{ at: at("03:30", 19), missed: 0 }]);
  });

  test("a pause with onResume last runs the newest instant that was due in it, however old", () => {
    const output = decideResume(inputOf({ ...back, policies: { onResume: "last", catchUpLimitMs: HOUR } }));
    expect(output.insert).toMatchObject([
      { at: at("03:30", 18), dueAt: at("08:11", 18), missed: 1, startDeadlineAt: null },
    ]);
  });

  test("a pause loses an overdue occurrence and all that passed since, and what waits", () => {
    const state = stateAt(at("10:00"), { backlog: [{ at: at("09:00"), reason: "MISSED" }] });
    const output = decidePause(inputOf({ now: at("12:20"), state, live: liveAt(at("10:00"), { state: "overdue" }) }), {
      until: at("20:00"),
    });
    expect(told(output)).toMatchObject({ skips: ["09:00-12:00 4 PAUSED"], live: "withdraw", backlog: [] });
    expect(output.lookAt).toBe(at("20:00"));
  });

  test("a pause with an end is over by itself, and what was due after it is missed", () => {
    const pause = { since: at("10:10"), until: at("11:30"), reason: "REQUESTED" as const };
    const scene = { now: at("13:10"), state: stateAt(at("10:00"), { pause }) };
    expect(told(decide(inputOf(scene)))).toMatchObject({ skips: ["11:00-11:00 1 PAUSED", "12:00-12:00 1 MISSED"] });
    expect(told(decide(inputOf(scene)))).toMatchObject({ insert: ["13:00 at 13:10 missed 1"] });
  });

  test("a pause comes by itself after as many failures in a row as the schedule bears, and a resume begins at 0", () => {
    const scene = {
      now: at("10:20"),
      state: stateAt(at("10:00"), { failures: 3 }),
      policies: { pauseAfterFailures: 3 },
    };
    const output = decide(inputOf(scene));
    expect(output).toMatchObject({ insert: [], state: { pause: { reason: "FAILURES", since: at("10:20") } } });
    const resumed = decideResume(inputOf({ ...scene, now: at("10:40"), state: output.state }));
    expect(resumed).toMatchObject({ insert: [{ at: at("11:00") }], state: { pause: null, failures: 0 } });
  });
});

describe("an edit", () => {
  const edited = (scene: Scene, cron: string): PlanningOutput => {
    const input = inputOf(scene);
    return decideEdit(input, { ...input.definition, spec: { kind: "cron", cron } });
  };

  test("an edit takes back what is ahead and plans anew, without running what the new expression would have had before", () => {
    const output = edited(
      { now: at("10:20"), state: stateAt(at("11:00"), { settledUntil: at("10:00") }), live: liveAt(at("11:00")) },
      "*/5 * * * *",
    );
    expect(told(output)).toEqual({ insert: ["10:25 at 10:25 missed 0"], skips: [], live: "withdraw", backlog: [] });
  });

  test("an edit lets a run go on, and the new expression counts from the edit", () => {
    const live = liveAt(at("10:00"), { state: "running", startedAt: at("10:00") });
    const output = edited({ now: at("11:18"), live }, "*/5 * * * *");
    expect(told(output)).toEqual({ insert: [], skips: ["11:00-11:00 1 OVERLAP"], live: "keep", backlog: [] });
    const ended = { cron: "*/5 * * * *", now: at("11:19"), state: output.state, last: runOf(at("10:00"), at("11:19")) };
    expect(told(decide(inputOf(ended)))).toMatchObject({ insert: ["11:20 at 11:20 missed 0"], skips: [] });
  });

  test("an edit keeps what waits only where the new definition has the same instant", () => {
    const backlog = [at("09:00"), at("10:00")].map((instant) => ({ at: instant, reason: "MISSED" as const }));
    const scene = {
      now: at("10:20"),
      state: stateAt(at("10:00"), { backlog }),
      policies: { misfire: { kind: "all" as const, limit: 5 } },
    };
    expect(told(edited(scene, "0 */2 * * *"))).toMatchObject({
      insert: ["10:00 at 10:20 missed 0"],
      skips: ["09:00-09:00 1 SCHEDULE_CHANGED"],
    });
  });

  test("an edit never plans an instant again that was cancelled by hand before it was due", () => {
    const cancelled = { at: at("11:00"), startedAt: null, endedAt: at("10:10"), isTrigger: false };
    const output = edited(
      { now: at("10:20"), state: stateAt(at("11:00"), { settledUntil: at("10:00") }), last: cancelled },
      "0 * * * 1-5",
    );
    expect(output.insert).toMatchObject([{ at: at("12:00") }]);
  });
});

describe("a run by hand", () => {
  test("a run by hand takes the place of the occurrence ahead, and what passes meanwhile is overlapped", () => {
    const scene = {
      now: at("10:50"),
      state: stateAt(at("11:00"), { settledUntil: at("10:00") }),
      live: liveAt(at("11:00")),
    };
    const output = decideTrigger(inputOf(scene))!;
    expect(told(output)).toMatchObject({ insert: ["10:50 at 10:50 missed 0"], live: "withdraw" });
    // It started late, after 11:00 had come: the call is what counts.
    const trigger = { state: "running" as const, startedAt: at("11:05"), isTrigger: true };
    const running = inputOf({ now: at("11:06"), state: output.state, live: liveAt(at("10:50"), trigger) });
    expect(told(decide(running))).toMatchObject({ insert: [], skips: ["11:00-11:00 1 OVERLAP"] });
    const last = { at: at("10:50"), startedAt: at("11:05"), endedAt: at("11:10"), isTrigger: true };
    expect(told(decide(inputOf({ now: at("11:10"), state: output.state, last })))).toMatchObject({
      insert: ["12:00 at 12:00 missed 1"],
      skips: ["11:00-11:00 1 OVERLAP"],
    });
  });

  test("a run by hand is refused while the chain's own run is due or under way", () => {
    const live = liveAt(at("10:00"), { state: "running", startedAt: at("10:00") });
    expect(decideTrigger(inputOf({ now: at("10:20"), live }))).toBeNull();
    expect(decideTrigger(inputOf({ now: at("10:20"), live: liveAt(at("10:00"), { state: "overdue" }) }))).toBeNull();
  });
});
