import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { type BackfillState, RUNS_KEPT, type ScheduleRun } from "../store/schedule-store.js";
import { backfillFates } from "./backfill.js";
import { backfillTurn, endedBackfill } from "./backfill-turn.js";

/** Instants are 1, 2, 3 …; the schedule was created at this one. */
const CREATED = 50;

const steps = fc.array(
  fc.oneof(
    fc.record({ does: fc.constantFrom("run" as const, "skip" as const), count: fc.integer({ min: 1, max: 40 }) }),
    fc.record({
      does: fc.constant("backfill" as const),
      from: fc.integer({ min: 1, max: 300 }),
      count: fc.integer({ min: 1, max: 80 }),
      turns: fc.integer({ min: 0, max: 90 }),
      isBegun: fc.boolean(),
    }),
  ),
  { maxLength: 25 },
);

/** A schedule's past as its row and its kept runs have it, and beside it what really ran. */
class Past {
  readonly ran = new Map<number, number>();
  state: BackfillState = { backfill: null, backfilled: [] };
  plannedUntil = CREATED;
  private runs: ScheduleRun[] = [];
  private lastSeq = 0;

  fates(instants: number[]) {
    const planning = { plannedUntil: this.plannedUntil, backlog: [], backfilled: this.state.backfilled };
    return backfillFates(instants, {
      createdAt: CREATED,
      planning,
      past: { runs: this.runs, areAll: this.lastSeq <= RUNS_KEPT },
    });
  }

  /** Settles the next instants. */
  settle(does: "run" | "skip", count: number): void {
    const from = this.plannedUntil + 1;
    this.plannedUntil += count;
    if (does === "skip") this.skip(from, this.plannedUntil);
    else for (let at = from; at <= this.plannedUntil; at++) this.run(at, "spec");
  }

  /** A backfill that ends by hand after some turns, unless it is over before; its last run has begun then, or not. */
  backfill({ from, count, turns, isBegun }: { from: number; count: number; turns: number; isBegun: boolean }): void {
    const told = this.fates(Array.from({ length: count }, (_, index) => from + index));
    for (const { at, fate } of told) {
      if (this.ran.has(at)) expect(fate).not.toBe("ready");
      else if (at > this.plannedUntil) expect(fate).toBe(at > CREATED ? "pending" : "ready");
    }
    const left = told.filter(({ fate }) => fate === "ready").map(({ at }) => at);
    if (left.length === 0) return;
    const to = told.find(({ fate }) => fate === "pending")?.at ?? from + count;
    this.state = { ...this.state, backfill: { from, to, count: left.length, left, since: 0, by: "ann" } };
    let taken: number | null = null;
    for (let turn = 0; turn < turns && this.state.backfill !== null; turn++) {
      if (taken !== null) this.run(taken, "backfill");
      ({ state: this.state, at: taken } = backfillTurn(this.state, false));
    }
    if (taken !== null && isBegun) this.run(taken, "backfill");
    this.state = endedBackfill(this.state, isBegun ? null : taken);
  }

  private run(at: number, kind: "spec" | "backfill"): void {
    this.ran.set(at, (this.ran.get(at) ?? 0) + 1);
    const told = { at, dueAt: at, startedAt: at, finishedAt: at, missed: 0, hasMissedMore: false };
    this.add({ kind, seq: 0, taskId: "t", ...told, stoodFor: null, outcome: "succeeded", reason: null });
  }

  private skip(from: number, to: number): void {
    this.add({ kind: "skip", seq: 0, from, to, count: to - from + 1, hasMore: false, reason: "MISSED" });
  }

  private add(run: ScheduleRun): void {
    this.lastSeq += 1;
    this.runs = [{ ...run, seq: this.lastSeq }, ...this.runs].filter(({ seq }) => seq > this.lastSeq - RUNS_KEPT);
  }
}

test("no instant runs twice over any history of runs, skips and backfills that end early", () => {
  fc.assert(
    fc.property(steps, (history) => {
      const past = new Past();
      for (const step of history) {
        if (step.does === "backfill") past.backfill(step);
        else past.settle(step.does, step.count);
      }
      for (const count of past.ran.values()) expect(count).toBe(1);
    }),
    { numRuns: process.env["TICKWHEEL_TEST_DEPTH"] === "whole" ? 300 : 120 },
  );
});

test("a backfill runs each instant of its range that had no run, as long as all runs are kept", () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 60 }), (didRun) => {
      const past = new Past();
      for (const ran of didRun) past.settle(ran ? "run" : "skip", 1);
      const instants = Array.from({ length: past.plannedUntil }, (_, index) => index + 1);
      for (const { at, fate } of past.fates(instants)) expect(fate).toBe(past.ran.has(at) ? "ran" : "ready");
    }),
  );
});
