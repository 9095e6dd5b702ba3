import { describe, expect, test } from "@jest/globals";
import type { NewTask } from "@tickwheel/core";
import {
  checkSchedule,
  decide,
  decideEdit,
  decidePause,
  newPlanningState,
  type OccurrenceTask,
  type PlanningInput,
  type ScheduleChange,
  type ScheduleInput,
  type ScheduleScene,
  type StoredSchedule,
} from "@tickwheel/schedules";
import { changeOf, type Decision } from "./schedule-decision.js";

const START = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;

function scheduleOf(rules: ScheduleInput, planning: Partial<StoredSchedule["planning"]> = {}): StoredSchedule {
  const { definition, faults } = checkSchedule(rules, { id: "id", createdAt: START, now: START });
  expect(faults).toEqual([]);
  const { id: _id, createdAt: _createdAt, ...rest } = definition!;
  const extras = {
    lookAt: null,
    isFinished: false,
    pauseNote: null,
    pausedBy: null,
    backfill: null,
    backfilled: [],
    zoneRules: null,
    wallAt: null,
  };
  return {
    id: "id",
    namespace: "default",
    name: "s",
    typeId: 1,
    createdAt: START,
    definition: rest,
    planning: { ...newPlanningState(START), ...extras, ...planning },
  } as StoredSchedule;
}

const occurrence = (at: number, more: Partial<OccurrenceTask> = {}): OccurrenceTask => ({
  taskId: `task ${at - START}`,
  kind: "spec",
  at,
  missed: 0,
  hasMissedMore: false,
  startedAt: null,
  state: "scheduled",
  reason: null,
  dueAt: at,
  attemptEndedAt: null,
  attempt: 0,
  maxAttempts: 3,
  isCancelRequested: false,
  finishedAt: null,
  ...more,
});

const ended = (at: number, state: OccurrenceTask["state"], finishedAt = at + 1_000): OccurrenceTask =>
  occurrence(at, { state, startedAt: at + 5, finishedAt, attempt: 1 });

function change(
  schedule: StoredSchedule,
  scene: Partial<ScheduleScene>,
  decision: Partial<Decision> = {},
): ScheduleChange {
  const draft = ({ at }: { at: number }): NewTask => ({ id: `new ${at - START}` }) as NewTask;
  return changeOf(
    { schedule, now: START, open: [], last: null, ...scene },
    { decide, zoneRules: "2026a", liveLimit: 1_000, draft, ...decision },
  )!;
}

const EVERY_MINUTE = { every: "1m" } as const;

describe("a decision about a schedule's rows", () => {
  test("a schedule's decision plans the first occurrence, and looks after it two seconds behind its due time", () => {
    const { insert, planning, concluded, live } = change(scheduleOf(EVERY_MINUTE), { now: START + 1 });
    expect(insert.map(({ at, kind }) => [at, kind])).toEqual([[START + MINUTE, "spec"]]);
    expect(planning).toMatchObject({ plannedUntil: START + MINUTE, lookAt: START + MINUTE + 2_000 });
    expect([concluded, live]).toEqual([[], []]);
  });

  test("a schedule's decision concludes what has ended, counts failures in a row, and a success ends them", () => {
    const planned = { plannedUntil: START + MINUTE, failures: 2 };
    const schedule = scheduleOf(EVERY_MINUTE, planned);
    const now = START + MINUTE + 2_000;
    const dead = change(schedule, { now, open: [ended(START + MINUTE, "dead")] });
    expect(dead.concluded).toMatchObject([{ taskId: "task 60000", stoodFor: null }]);
    expect([dead.planning.failures, dead.insert[0]!.at]).toEqual([3, START + 2 * MINUTE]);
    expect(change(schedule, { now, open: [ended(START + MINUTE, "succeeded")] }).planning.failures).toBe(0);
    expect(change(schedule, { now, open: [ended(START + MINUTE, "cancelled")] }).planning.failures).toBe(2);
    expect(change(schedule, { now, open: [ended(START + MINUTE, "expired")] }).planning.failures).toBe(2);
  });

  test("a schedule's decision pauses it when its occurrences fail too often, and plans nothing then", () => {
    const schedule = scheduleOf({ ...EVERY_MINUTE, pauseAfterFailures: 1 }, { plannedUntil: START + MINUTE });
    const { planning, insert } = change(schedule, {
      now: START + MINUTE + 2_000,
      open: [ended(START + MINUTE, "dead")],
    });
    expect([planning.pause?.reason, insert, planning.lookAt]).toEqual(["FAILURES", [], null]);
  });

  test("a late run of a schedule is told under the instant that it stood for, with what it missed; it stays open while it runs", () => {
    const schedule = scheduleOf(EVERY_MINUTE, { plannedUntil: START + MINUTE });
    const late = { startedAt: START + 5 * MINUTE + 10, attempt: 1 };
    const run = occurrence(START + MINUTE, { ...late, state: "running" });
    const now = START + 6 * MINUTE + 10;
    const told = { stoodFor: START + 5 * MINUTE, missed: 4 };
    expect(change(schedule, { now, open: [run] }).concluded).toMatchObject([told]);
    const done = { ...run, state: "succeeded" as const, finishedAt: now };
    expect(change(schedule, { now, open: [done] }).concluded).toMatchObject([told]);
  });

  test("a fixed delay counts from now where the task is kept no more: nobody knows when it ended", () => {
    const schedule = scheduleOf({ after: "1m" }, { plannedUntil: START + MINUTE });
    const gone = occurrence(START + MINUTE, { state: "gone" });
    const now = START + 10 * MINUTE;
    const { insert, concluded } = change(schedule, { now, open: [gone] });
    expect(insert.map(({ at }) => at)).toEqual([now + MINUTE]);
    expect(concluded).toHaveLength(1);
  });

  test("an occurrence that is kept no more ends a row of failures: its type may keep no success", () => {
    const schedule = scheduleOf(EVERY_MINUTE, { plannedUntil: START + MINUTE, failures: 3 });
    const gone = occurrence(START + MINUTE, { state: "gone" });
    expect(change(schedule, { now: START + 2 * MINUTE, open: [gone] }).planning.failures).toBe(0);
  });

  test("a backfill is outside the chain of a schedule: it is concluded, and nothing is planned for it", () => {
    const schedule = scheduleOf(EVERY_MINUTE, { plannedUntil: START + MINUTE });
    const open = [
      occurrence(START + MINUTE),
      { ...ended(START - MINUTE, "dead", START + 5), kind: "backfill" as const },
    ];
    const { concluded, insert, planning } = change(schedule, { now: START + 10, open });
    expect(concluded.map(({ taskId }) => taskId)).toEqual(["task -60000"]);
    expect([insert, planning.failures]).toEqual([[], 0]);
  });

  test("a schedule's pause takes back what has not started, and tells whose it is; a resume forgets that", () => {
    const schedule = scheduleOf(EVERY_MINUTE, { plannedUntil: START + MINUTE });
    const besides = () => ({ pauseNote: "stocktaking", pausedBy: "key:1" });
    const paused = change(
      schedule,
      { now: START + 5, open: [occurrence(START + MINUTE)] },
      { decide: (input: PlanningInput) => decidePause(input, { until: null }), besides },
    );
    expect(paused.live).toEqual([{ taskId: "task 60000", verdict: "withdraw", reason: "SCHEDULE_CHANGED" }]);
    expect(paused.planning).toMatchObject({ pauseNote: "stocktaking", pausedBy: "key:1", lookAt: null });
    const again = change({ ...schedule, planning: paused.planning }, { now: START + 6 });
    expect(again.planning).toMatchObject({ pauseNote: "stocktaking", pausedBy: "key:1" });
  });

  test("with overlap allow a schedule's pause takes back overdue occurrences too, and leaves those that run", () => {
    const schedule = scheduleOf({ ...EVERY_MINUTE, overlap: "allow" }, { plannedUntil: START + 3 * MINUTE });
    const running = occurrence(START + MINUTE, { state: "running", startedAt: START + MINUTE, attempt: 1 });
    const open = [running, occurrence(START + 2 * MINUTE), occurrence(START + 3 * MINUTE)];
    const pause = (input: PlanningInput) => decidePause(input, { until: null });
    const paused = change(schedule, { now: START + 2.5 * MINUTE, open }, { decide: pause, withdrawsOverdue: true });
    expect(paused.live.map(({ taskId }) => taskId)).toEqual(["task 120000", "task 180000"]);
  });

  test("a schedule's run that is to end for the next run is asked to, with its reason", () => {
    const schedule = scheduleOf({ ...EVERY_MINUTE, overlap: "cancel-other" }, { plannedUntil: START + MINUTE });
    const run = occurrence(START + MINUTE, { state: "running", startedAt: START + MINUTE, attempt: 1 });
    const { live, insert } = change(schedule, { now: START + 2 * MINUTE + 1, open: [run] });
    expect(live).toEqual([{ taskId: "task 60000", verdict: "cancel", reason: "OVERLAP" }]);
    expect(insert).toEqual([]);
  });

  test("an edit makes a schedule's occurrence ahead anew, of the new content, also where its rules stay", () => {
    const schedule = scheduleOf(EVERY_MINUTE, { plannedUntil: START + MINUTE });
    const drafted: string[] = [];
    const scene = { schedule, now: START + 5, open: [occurrence(START + MINUTE)], last: null };
    const content = { ...schedule, payload: "2" as StoredSchedule["payload"], actor: "ann" };
    const edited = changeOf(scene, {
      decide: (input) => decideEdit(input, input.definition, { changesTasks: true }),
      besides: () => ({ content }),
      zoneRules: null,
      liveLimit: 1_000,
      draft: (_planned, { schedule: { payload } }) => (drafted.push(payload), {} as NewTask),
    });
    expect(edited!.live).toMatchObject([{ verdict: "withdraw" }]);
    expect([edited!.insert.map(({ at }) => at), drafted]).toEqual([[START + MINUTE], ["2"]]);
  });

  test("a schedule's decision that is asked again at the same time changes nothing more", () => {
    const schedule = scheduleOf(EVERY_MINUTE);
    const first = change(schedule, { now: START + 1 });
    const open = [occurrence(START + MINUTE)];
    const second = change({ ...schedule, planning: first.planning }, { now: START + 1, open });
    expect([second.insert, second.live, second.concluded, second.skips]).toEqual([[], [], [], []]);
    expect(second.planning.plannedUntil).toBe(first.planning.plannedUntil);
  });
});

describe("the next look", () => {
  const lookAfter = (task: OccurrenceTask, now: number): number =>
    change(scheduleOf({ every: "1d" }, { plannedUntil: task.at }), { now, open: [task] }).planning.lookAt! - now;

  test("a schedule's next look at what goes on for long comes ever more seldom, up to a minute", () => {
    const run = occurrence(START + MINUTE, { state: "running", startedAt: START + MINUTE, attempt: 3 });
    expect(lookAfter(run, START + MINUTE + 100)).toBe(2_000);
    expect(lookAfter(run, START + MINUTE + 40_000)).toBe(10_000);
    expect(lookAfter(run, START + 60 * MINUTE)).toBe(60_000);
  });

  test("a schedule's next look at what waits comes two seconds behind its due time", () => {
    expect(lookAfter(occurrence(START + 5 * MINUTE), START)).toBe(5 * MINUTE + 2_000);
  });
});

describe("a backfill beside a schedule", () => {
  const asked = { from: START - 3 * MINUTE, to: START, count: 2, left: [START - 3 * MINUTE, START - MINUTE] };
  const backfill = { ...asked, since: START, by: "ann" };
  const live = (state: OccurrenceTask["state"], more: Partial<OccurrenceTask> = {}): OccurrenceTask =>
    occurrence(START - 3 * MINUTE, { kind: "backfill", state, dueAt: START, ...more });
  const inTurn = { left: [START - MINUTE] };
  const taken = { backfill: { ...backfill, ...inTurn }, backfilled: [{ from: asked.from, to: asked.from + 1 }] };

  test("a backfill beside a schedule takes its first turn at once, and the schedule's own course stays as it is", () => {
    const { insert, planning, live: verdicts } = change(scheduleOf(EVERY_MINUTE, { backfill }), { now: START + 1 });
    expect(insert.map(({ kind, at }) => [kind, at])).toEqual([
      ["spec", START + MINUTE],
      ["backfill", START - 3 * MINUTE],
    ]);
    expect(verdicts).toEqual([]);
    expect(planning).toMatchObject({ ...taken, plannedUntil: START + MINUTE, lookAt: START + 2_001 });
  });

  test("a backfill waits while a run of it lives, takes the next turn when the run has ended, and is over after the last", () => {
    const schedule = scheduleOf(EVERY_MINUTE, { ...taken, plannedUntil: START + MINUTE });
    const next = occurrence(START + MINUTE);
    const busy = change(schedule, { now: START + 10, open: [live("running", { startedAt: START + 5 }), next] });
    expect([busy.insert, busy.planning.backfill]).toEqual([[], taken.backfill]);
    expect(busy.planning.lookAt).toBe(START + 2_010);
    const ended = live("dead", { startedAt: START + 5, finishedAt: START + 9 });
    const turn = change(schedule, { now: START + 10, open: [ended, next] });
    expect(turn.insert).toMatchObject([{ kind: "backfill", at: START - MINUTE }]);
    expect(turn.concluded).toMatchObject([{ taskId: ended.taskId }]);
    expect([turn.planning.failures, turn.planning.backfill]).toMatchObject([0, { left: [] }]);
    const last = change({ ...schedule, planning: turn.planning }, { now: START + 20, open: [next] });
    expect([last.insert, last.planning.backfill, last.planning.backfilled]).toEqual([
      [],
      null,
      [{ from: asked.from, to: START }],
    ]);
  });

  test("a backfill goes on while its schedule is paused", () => {
    const pause = { since: START, until: null, reason: "REQUESTED" as const };
    const { insert, planning } = change(scheduleOf(EVERY_MINUTE, { backfill, pause }), { now: START + 1 });
    expect(insert.map(({ kind }) => kind)).toEqual(["backfill"]);
    expect(planning).toMatchObject({ pause, lookAt: START + 2_001 });
  });

  test("a backfill ends with the schedule, and by hand: what has not started is taken back and open again", () => {
    const schedule = scheduleOf(EVERY_MINUTE, { ...taken, plannedUntil: START + MINUTE });
    const scene = { now: START + 10, open: [live("scheduled"), occurrence(START + MINUTE)] };
    const end = change(schedule, scene, { endsBackfill: true });
    expect(end.live).toEqual([{ taskId: "task -180000", verdict: "withdraw", reason: "REQUESTED" }]);
    expect([end.insert, end.planning.backfill]).toEqual([[], null]);
    expect(end.planning.backfilled).toEqual([]);
  });
});

describe("the rules of a time zone", () => {
  const nine = Date.UTC(2026, 0, 2, 8);
  const wallAt = Date.UTC(2026, 0, 2, 9);
  const inBerlin = { cron: "0 9 * * *", timeZone: "Europe/Berlin" } as const;

  test("the rules of a time zone are noted with the wall time of what is planned under them, unless no zone decides it", () => {
    const now = START + 12 * 60 * MINUTE;
    const upToNow = { plannedUntil: now, settledUntil: now };
    expect(change(scheduleOf(inBerlin, upToNow), { now }).planning).toMatchObject({ zoneRules: "2026a", wallAt });
    for (const rules of [{ cron: "0 9 * * *" }, EVERY_MINUTE])
      expect(change(scheduleOf(rules), { now }).planning).toMatchObject({ zoneRules: null, wallAt: null });
  });

  test("the rules of a time zone stay with an occurrence that is ahead, until a newer version takes it over", () => {
    const schedule = scheduleOf(inBerlin, { plannedUntil: nine, zoneRules: "2025b", wallAt });
    const scene = { now: nine - MINUTE, open: [occurrence(nine)] };
    expect(change(schedule, scene).planning).toMatchObject({ zoneRules: "2025b", wallAt });
    const taken = change(schedule, scene, { takesOver: true });
    expect([taken.insert, taken.live, taken.planning]).toMatchObject([[], [], { zoneRules: "2026a", wallAt }]);
  });
});
