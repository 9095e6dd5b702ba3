import { describe, expect, test } from "@jest/globals";
import { definitionOf } from "../../test-support/definitions.js";
import type { ScheduleRun } from "../store/schedule-store.js";
import { backfillFates, type BackfillScene, instantsIn } from "./backfill.js";

const HOUR = 3_600_000;

describe("the instants of a range", () => {
  test("the instants of a range have its start with it and its end not, without excluded days", () => {
    const definition = definitionOf({ spec: { kind: "cron", cron: "0 0 * * *" }, exclude: ["2024-10-02"] });
    const range = { from: Date.UTC(2024, 9, 1), to: Date.UTC(2024, 9, 4), limit: 10 };
    const instants = [Date.UTC(2024, 9, 1), Date.UTC(2024, 9, 3)];
    expect(instantsIn(definition, range)).toEqual({ instants, hasMore: false });
  });

  test("the instants of a range end at the limit, and say that there are more", () => {
    const exactly = instantsIn(definitionOf(), { from: 0, to: 5 * HOUR, limit: 5 });
    expect([exactly.instants.length, exactly.hasMore]).toEqual([5, false]);
    const beyond = instantsIn(definitionOf(), { from: 0, to: 5 * HOUR + 1, limit: 5 });
    expect([beyond.instants.length, beyond.hasMore]).toEqual([5, true]);
  });

  test("a fixed delay has no instants in a range: they follow from the ends of its runs", () => {
    const definition = definitionOf({ spec: { kind: "after", afterMs: 5_000 } });
    expect(instantsIn(definition, { from: 0, to: HOUR, limit: 5 })).toEqual({ instants: [], hasMore: false });
  });
});

const run = (seq: number, at: number, more: Partial<Extract<ScheduleRun, { taskId: string }>> = {}): ScheduleRun => ({
  kind: "spec",
  seq,
  taskId: `task ${seq}`,
  at,
  missed: 0,
  hasMissedMore: false,
  startedAt: at + 5,
  stoodFor: null,
  dueAt: at,
  outcome: "succeeded",
  reason: null,
  finishedAt: at + 10,
  ...more,
});

const skip = (seq: number, from: number, to: number): ScheduleRun => ({
  kind: "skip",
  seq,
  from,
  to,
  count: 1,
  hasMore: false,
  reason: "MISSED",
});

function fates(at: number[], scene: Partial<BackfillScene["planning"]> & { runs?: ScheduleRun[]; areAll?: boolean }) {
  const { runs = [], areAll = true, ...planning } = scene;
  const state = { plannedUntil: 20 * HOUR, backlog: [], backfilled: [], ...planning };
  const told = backfillFates(at, { createdAt: 10 * HOUR, planning: state, past: { runs, areAll } });
  return told.map(({ fate, skipped }) => (skipped === null ? fate : `${fate} ${skipped}`));
}

describe("the fate of an instant", () => {
  test("an instant before the creation is ready, whatever a schedule of the same name did before", () => {
    expect(fates([9 * HOUR, 10 * HOUR], {})).toEqual(["ready BEFORE_CREATION", "ready BEFORE_CREATION"]);
  });

  test("an instant that had a run is ran: under its own instant, the one it stood for, or by an earlier backfill", () => {
    const runs = [
      run(1, 11 * HOUR, { stoodFor: 13 * HOUR }),
      run(2, 14 * HOUR, { outcome: null, startedAt: null }),
      run(3, 15 * HOUR, { outcome: "dead" }),
      run(4, 16 * HOUR, { kind: "backfill" }),
    ];
    const hours = [11, 13, 14, 15, 16].map((hour) => hour * HOUR);
    expect(fates(hours, { runs })).toEqual(["ready", "ran", "ran", "ran", "ran"]);
  });

  test("an instant whose occurrence ended before it began is ready, and a trigger at the same time does not count", () => {
    const runs = [
      run(1, 11 * HOUR, { outcome: "cancelled", startedAt: null }),
      run(2, 12 * HOUR, { outcome: "expired", startedAt: null }),
      run(3, 13 * HOUR, { outcome: "cancelled" }),
      run(4, 14 * HOUR, { kind: "trigger" }),
    ];
    const hours = [11, 12, 13, 14].map((hour) => hour * HOUR);
    expect(fates(hours, { runs })).toEqual(["ready", "ready", "ran", "ready"]);
  });

  test("an instant that was skipped is ready, and tells why it was skipped", () => {
    expect(fates([12 * HOUR, 15 * HOUR], { runs: [skip(1, 11 * HOUR, 14 * HOUR)] })).toEqual(["ready MISSED", "ready"]);
  });

  test("an instant that is not decided, or waits for its turn, is pending", () => {
    const backlog = [{ at: 12 * HOUR, reason: "MISSED" as const }];
    expect(fates([12 * HOUR, 20 * HOUR, 21 * HOUR], { backlog })).toEqual(["pending", "ready", "pending"]);
  });

  test("an instant older than the kept runs is unknown, since it may have run", () => {
    const runs = [run(250, 15 * HOUR), skip(251, 16 * HOUR, 17 * HOUR), run(252, 2 * HOUR, { kind: "backfill" })];
    const hours = [9, 14, 15, 16].map((hour) => hour * HOUR);
    expect(fates(hours, { runs, areAll: false })).toEqual(["ready BEFORE_CREATION", "unknown", "ran", "ready MISSED"]);
    expect(fates([14 * HOUR], { runs: [], areAll: false })).toEqual(["unknown"]);
  });

  test("an instant of an earlier backfill whose run is kept no more is unknown", () => {
    const backfilled = [{ from: 3 * HOUR, to: 5 * HOUR }];
    expect(fates([4 * HOUR, 5 * HOUR], { backfilled })).toEqual(["unknown", "ready BEFORE_CREATION"]);
  });
});
