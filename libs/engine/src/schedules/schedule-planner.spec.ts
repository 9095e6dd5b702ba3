import { beforeEach, expect, test } from "@jest/globals";
import type { Task } from "@tickwheel/core";
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
import { type PlannerParts, SchedulePlanner } from "./schedule-planner.js";

const START = Date.UTC(2026, 0, 1);

function scheduleOf(id: string, timeZone = "UTC", rules: object = { cron: "0 3 * * *" }): StoredSchedule {
  const {
    id: _id,
    createdAt,
    ...definition
  } = checkSchedule({ ...rules, timeZone: "UTC" }, { id, createdAt: START, now: START }).definition!;
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

let seen: StoredSchedule[];
let changes: (ScheduleChange | null)[];
let counted: string[];

beforeEach(() => {
  changes = [];
  counted = [];
});

/** A planner that finds the schedules of `seen`, and leaves its decisions in `changes`. */
function plannerOf(parts: Partial<PlannerParts>, now = START + 1): SchedulePlanner {
  const clock = new ManualClock();
  const store = {
    plan: async (_request, plan) => {
      for (const schedule of seen) changes.push(plan({ schedule, now, open: [], last: null }));
      return seen.map((schedule, place) => {
        const created = (changes[place]?.insert ?? []).map(({ task }) => task as unknown as Task);
        return { schedule, created, cancelled: [], asked: [] } as unknown as PlannedSchedule;
      });
    },
  } satisfies Pick<ScheduleStore, "plan">;
  return new SchedulePlanner(
    { clock, health: new Health(clock, new RecordingTelemetry()) },
    {
      store: store as unknown as ScheduleStore,
      random: new SeededRandom(1),
      maxWebhookTimeoutMs: 60_000,
      policyOf: () => ({}),
      announcer: { publish: () => undefined, forget: () => undefined, cancelRunning: () => undefined },
      zoneRules: null,
      liveLimit: 1_000,
      quota: { hasRoom: () => true, created: (namespace) => counted.push(namespace) },
      tookOver: () => undefined,
      pausedItself: () => undefined,
      cannotDecide: () => undefined,
      ...parts,
    },
  );
}

test("a schedule whose zone this node does not know waits, and the others of its batch are planned", async () => {
  seen = [scheduleOf("lost", "Atlantis/Poseidonis"), scheduleOf("good", "Europe/Berlin")];
  const told: unknown[][] = [];
  const planner = plannerOf({ cannotDecide: ({ name }, count, error) => told.push([name, count, error]) });
  await planner.runOnce();
  const [lost, good] = changes;
  expect(lost).toMatchObject({ insert: [], skips: [], live: [], concluded: [] });
  expect(lost!.planning).toEqual({ ...seen[0]!.planning, lookAt: START + 10_001 });
  expect(good!.insert.map(({ at }) => at)).toEqual([Date.UTC(2026, 0, 1, 2)]);
  expect(told).toEqual([["lost", 1, expect.any(RangeError)]]);
});

test("occurrences that may overlap count for the quota of their namespace, and are skipped where it has no room", async () => {
  seen = [scheduleOf("open", "UTC", { every: "10s", overlap: "allow" }), scheduleOf("chain")];
  const now = START + 10_000;
  await plannerOf({}, now).runOnce();
  expect(changes.map((change) => change!.insert.length)).toEqual([4, 1]);
  expect(counted).toEqual(Array.from({ length: 5 }, () => "default"));
  changes = [];
  await plannerOf({ quota: { hasRoom: () => false, created: () => undefined } }, now).runOnce();
  expect(changes.map((change) => change!.insert.length)).toEqual([0, 1]);
  expect(changes[0]!.skips).toMatchObject([{ count: 1, reason: "LIVE_LIMIT" }]);
});
