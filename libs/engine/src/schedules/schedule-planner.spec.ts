import { expect, test } from "@jest/globals";
import { Health } from "@tickwheel/coordination";
import {
  checkSchedule,
  newPlanningState,
  type PlannedSchedule,
  type ScheduleChange,
  type ScheduleStore,
  type StoredSchedule,
} from "@tickwheel/schedules";
import { ManualClock, RecordingTelemetry, SeededRandom } from "@tickwheel/testing";
import { SchedulePlanner } from "./schedule-planner.js";

const START = Date.UTC(2026, 0, 1);

function scheduleOf(id: string, timeZone: string): StoredSchedule {
  const rules = { cron: "0 3 * * *", timeZone: "UTC" };
  const { id: _id, createdAt, ...definition } = checkSchedule(rules, { id, createdAt: START, now: START }).definition!;
  const extras = { lookAt: START, isFinished: false, pauseNote: null, pausedBy: null };
  return {
    id,
    namespace: "default",
    name: id,
    type: "settle",
    typeId: 1,
    createdAt,
    definition: { ...definition, timeZone },
    planning: { ...newPlanningState(START), ...extras },
    payload: "null",
    taskOptions: {},
  } as unknown as StoredSchedule;
}

test("a schedule whose zone this node does not know waits, and the others of its batch are planned", async () => {
  const clock = new ManualClock();
  const seen = [scheduleOf("lost", "Atlantis/Poseidonis"), scheduleOf("good", "Europe/Berlin")];
  const changes: (ScheduleChange | null)[] = [];
  const store = {
    plan: async (_request, plan) => {
      for (const schedule of seen) changes.push(plan({ schedule, now: START + 1, open: [], last: null }));
      return [] as PlannedSchedule[];
    },
  } satisfies Pick<ScheduleStore, "plan">;
  const told: unknown[][] = [];
  const planner = new SchedulePlanner(
    { clock, health: new Health(clock, new RecordingTelemetry()) },
    {
      store: store as unknown as ScheduleStore,
      random: new SeededRandom(1),
      longestWebhookTimeoutMs: 60_000,
      policyOf: () => ({}),
      announcer: { publish: () => undefined, forget: () => undefined, cancelRunning: () => undefined },
      zoneRules: null,
      liveLimit: 1_000,
      tookOver: () => undefined,
      pausedItself: () => undefined,
      cannotDecide: ({ name }, count, error) => told.push([name, count, error]),
    },
  );
  await planner.runOnce();
  const [lost, good] = changes;
  expect(lost).toMatchObject({ insert: [], skips: [], live: [], concluded: [] });
  expect(lost!.planning).toEqual({ ...seen[0]!.planning, lookAt: START + 10_001 });
  expect(good!.insert.map(({ at }) => at)).toEqual([Date.UTC(2026, 0, 1, 2)]);
  expect(told).toEqual([["lost", 1, expect.any(RangeError)]]);
});
