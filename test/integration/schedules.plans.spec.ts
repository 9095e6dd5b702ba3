import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { JSON_NULL, newTaskId, slotOfKey, SystemRandom } from "@tickwheel/core";
import type { PostgresStores } from "@tickwheel/postgres-store";
import { DEFAULT_POLICIES, type PlanSchedule, RUNS_KEPT, type ScheduleFilter } from "@tickwheel/schedules";
import type { Client } from "pg";
import { costOf, fillHistory } from "./postgres-store.cost.js";
import { NAMESPACE, newTask, newType, Scene } from "./postgres-store.scene.js";

const SCHEDULES = 100_000;
/** How many of the schedules have tasks and runs. */
const LIVE = 200;
/** How many of them are paused. */
const PAUSED = 30;
/** A namespace whose schedules are all paused but for the last. */
const CLOSED = "closed";
const CLOSED_SCHEDULES = 1_500;
const FINISHED = 30_000;
const PENDING = 20_000;
/** The server plans a statement anew this often before it may keep a plan. */
const BEFORE_KEPT = 7;
/** The way down to the first entry of an index; and the root of each index, where the server plans it anew. */
const FEW_PAGES = 12;
const TZDATA = "2026a";
const random = new SystemRandom();

let scene: Scene;
let stores: PostgresStores;
let observer: Client;
let typeId: number;
let closedTypeId: number;
let ids: string[];

const keep: PlanSchedule = ({ schedule }) => {
  return { live: [], concluded: [], skips: [], insert: [], planning: { ...schedule.planning, lookAt: null } };
};

/** A hundred thousand schedules that are due tomorrow, and a few with an open occurrence and a hundred runs each. */
beforeAll(async () => {
  scene = await Scene.start({ autovacuum: false });
  stores = scene.open({ size: 1 });
  observer = await scene.client();
  typeId = await newType(stores, "report");
  await fillHistory(observer, { typeId, rows: FINISHED });
  for (let written = 0; written < PENDING; written += 5_000) {
    const tasks = Array.from({ length: 5_000 }, () => newTask({ typeId, due: { delayMs: 3_600_000 } }));
    await stores.tasks.create({ namespace: NAMESPACE, tasks });
  }
  const rules = { spec: { kind: "every", everyMs: 1_000, anchorAt: 0 }, timeZone: "UTC", exclude: [] };
  const definition = { ...rules, window: { startsAt: null, endsAt: null }, policies: DEFAULT_POLICIES };
  const planning = { backlog: [], failures: 0, pause: null, isFinished: false, pauseNote: null, pausedBy: null };
  const pausing = { ...planning, pause: { since: 0, until: null, reason: "REQUESTED" } };
  const insert = (of: { namespace: string; typeId: number; planning: object; from: number; to: number }) =>
    observer.query(
      `INSERT INTO tickwheel.schedule (id, namespace, name, type_id, revision, definition, task_options, created_at, changed_at,
                                       created_by, changed_by, planned_until, settled_until, look_at, planning, zone_rules)
       SELECT (lpad(to_hex(n), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid, $4, 's' || n, $1, 1, $2, '{}', now(), now(),
              'a', 'a', now(), now(), now() + interval '1 day', $3, '${TZDATA}' FROM generate_series($5::int, $6::int) AS n`,
      [of.typeId, JSON.stringify(definition), JSON.stringify(of.planning), of.namespace, of.from, of.to],
    );
  const inForce = SCHEDULES - PAUSED;
  await insert({ namespace: NAMESPACE, typeId, planning, from: 1, to: inForce });
  await insert({ namespace: NAMESPACE, typeId, planning: pausing, from: inForce + 1, to: SCHEDULES });
  const ofClosed = { namespace: CLOSED, type: "report", delivery: "handler" } as const;
  closedTypeId = (await stores.tasks.ensureType(ofClosed)).id;
  const closed = { namespace: CLOSED, typeId: closedTypeId };
  await insert({ ...closed, planning: pausing, from: 1_000_001, to: 1_000_000 + CLOSED_SCHEDULES });
  await insert({ ...closed, planning, from: 9_999_999, to: 9_999_999 });
  const { rows } = await observer.query<{ id: string }>(`SELECT id FROM tickwheel.schedule ORDER BY id LIMIT ${LIVE}`);
  ids = rows.map(({ id }) => id);
  await stores.schedules.plan({ limit: LIVE, of: ids }, (seen) => ({ ...keep(seen)!, insert: [occurrence(seen)] }));
  await observer.query(
    `INSERT INTO tickwheel.schedule_run (schedule_id, seq, kind, at, missed, has_missed_more, task_id, due_at, state, ended_at)
     SELECT s, n, 'spec', now(), 0, false, gen_random_uuid(), now(), 2, now() - n * interval '1 minute'
       FROM unnest($1::uuid[]) AS s, generate_series(2, ${RUNS_KEPT}) AS n`,
    [ids],
  );
  await observer.query(
    "UPDATE tickwheel.schedule SET look_at = now() + interval '1 day', last_seq = 100 WHERE id = ANY ($1)",
    [ids],
  );
  await observer.query("VACUUM ANALYZE tickwheel.task, tickwheel.history, tickwheel.schedule, tickwheel.schedule_run");
});
afterAll(() => scene?.stop());

function occurrence({ schedule, now }: Parameters<PlanSchedule>[0]) {
  const key = `schedule:${schedule.id}`;
  const id = newTaskId(now, slotOfKey(NAMESPACE, "report", key), random);
  const task = newTask({ id, typeId, type: "report", key, payload: JSON_NULL, due: { delayMs: 3_600_000 } });
  return { task, kind: "spec" as const, at: now, missed: 0, hasMissedMore: false };
}

describe.each(["auto", "force_generic_plan"])("with plan_cache_mode = %s", (mode) => {
  beforeAll(async () => {
    await observer.query(`ALTER ROLE CURRENT_USER SET plan_cache_mode = ${mode}`);
    await stores.close();
    stores = scene.open({ size: 1 });
  });

  /** The blocks that it reads of the tables of schedules, and what else it costs, by a kept plan if there is one. */
  async function keptCostOf(work: () => Promise<unknown>) {
    // Reads go to either of two connections.
    for (let round = 0; round < 2 * BEFORE_KEPT; round++) await work();
    let before = await counted();
    const cost = await costOf({ observer, stores }, async () => {
      before = await counted();
      await work();
    });
    const after = await counted();
    return { ...cost, schedules: after.schedule - before.schedule, runs: after.runs - before.runs };
  }

  async function counted(): Promise<{ schedule: number; runs: number }> {
    await observer.query("SELECT pg_stat_clear_snapshot()");
    const { rows } = await observer.query<{ name: string; blocks: number }>(
      `SELECT relname AS name, (heap_blks_read + heap_blks_hit + coalesce(idx_blks_read + idx_blks_hit, 0))::int AS blocks
         FROM pg_statio_user_tables WHERE relname IN ('schedule', 'schedule_run')`,
    );
    const blocks = new Map(rows.map((row) => [row.name, row.blocks]));
    return { schedule: blocks.get("schedule")!, runs: blocks.get("schedule_run")! };
  }

  test("the look of a second in which none of 100,000 schedules is due reads a few pages of the index of looks", async () => {
    const cost = await keptCostOf(async () => {
      expect(await stores.schedules.plan({ limit: LIVE }, keep)).toEqual([]);
    });
    expect(cost).toMatchObject({ task: 0, history: {}, scans: 0, runs: 0 });
    expect(cost.schedules).toBeLessThanOrEqual(FEW_PAGES);
  });

  test("the look for schedules that an older tzdata planned reads a few pages where there are none", async () => {
    const cost = await keptCostOf(async () => {
      expect(await stores.schedules.plan({ limit: LIVE, rulesBefore: TZDATA }, keep)).toEqual([]);
    });
    expect(cost).toMatchObject({ task: 0, history: {}, scans: 0, runs: 0 });
    expect(cost.schedules).toBeLessThanOrEqual(FEW_PAGES);
  });

  test("open occurrences are found by their primary keys, and no history is read for them", async () => {
    const cost = await keptCostOf(async () => {
      let open = 0;
      await stores.schedules.plan({ limit: LIVE, of: ids }, (seen) => {
        open += seen.open.filter(({ state }) => state === "scheduled").length;
        expect(seen.last).not.toBeNull();
        return null;
      });
      expect(open).toBe(LIVE);
    });
    expect(cost).toMatchObject({ history: {}, scans: 0 });
    expect(cost.task).toBeLessThan(LIVE * 6);
    expect(cost.schedules).toBeLessThan(LIVE * 8);
    expect(cost.runs).toBeLessThan(LIVE * 10);
  });

  test("a look for schedules that do not run probes the index of standings, and reads those that it counts", async () => {
    const cost = await keptCostOf(async () => {
      expect(await stores.schedules.stalled([typeId, closedTypeId])).toEqual([]);
    });
    expect(cost).toMatchObject({ task: 0, history: {}, scans: 0, runs: 0 });
    // There are four pairs of standing and type; each probe reads four blocks at most.
    expect(cost.schedules).toBeLessThanOrEqual(FEW_PAGES + 4 * 4);
    const counted = await keptCostOf(async () => {
      expect(await stores.schedules.stalled([closedTypeId])).toMatchObject([{ reason: "NO_NODE", typeId, count: 101 }]);
    });
    expect(counted).toMatchObject({ task: 0, history: {}, scans: 0, runs: 0 });
    expect(counted.schedules).toBeLessThan(300);
  });

  test.each<[Omit<ScheduleFilter, "namespace" | "limit" | "after">, number]>([
    [{ state: "paused" }, PAUSED],
    [{ state: "finished" }, 0],
    [{ state: "active" }, 50],
    [{ type: "report" }, 50],
    [{ type: "report", state: "paused" }, PAUSED],
    [{ type: "report", state: "active" }, 50],
    [{ type: "unknown" }, 0],
    [{ namePrefix: "s7654" }, 11],
    [{ namePrefix: "s7654", state: "active" }, 11],
    [{ namePrefix: "s7654", type: "report", state: "active" }, 11],
    [{ namePrefix: "none" }, 0],
  ])(
    "a page of 50 of 100,000 schedules that are %j reads its %i rows, and few pages besides",
    async (filter, count) => {
      const cost = await keptCostOf(async () => {
        const page = await stores.schedules.list({ namespace: NAMESPACE, limit: 50, after: null, ...filter });
        expect(page).toMatchObject({ schedules: { length: count }, incomplete: false });
      });
      expect(cost).toMatchObject({ task: 0, history: {}, scans: 0, runs: 0 });
      // A row by its name: three pages of the index, and its own.
      expect(cost.schedules).toBeLessThanOrEqual(count * 5 + FEW_PAGES * 3);
    },
  );

  test("a look for active schedules behind many paused ones ends early, says so, and goes on there", async () => {
    const cost = await keptCostOf(async () => {
      const page = await stores.schedules.list({ namespace: CLOSED, limit: 50, after: null, state: "active" });
      expect(page).toEqual({ schedules: [], next: "s1001000", incomplete: true });
      const last = await stores.schedules.list({ namespace: CLOSED, limit: 50, after: page.next, state: "active" });
      expect(last).toMatchObject({ schedules: [{ name: "s9999999" }], next: null, incomplete: false });
    });
    expect(cost).toMatchObject({ task: 0, history: {}, scans: 0, runs: 0 });
    expect(cost.schedules).toBeLessThan(CLOSED_SCHEDULES * 3);
  });

  test("a schedule, a page of names and a page of runs read their own rows", async () => {
    const cost = await keptCostOf(async () => {
      expect((await stores.schedules.get({ namespace: NAMESPACE, name: "s7" }))!.name).toBe("s7");
      expect(await stores.schedules.get({ namespace: NAMESPACE, id: ids[3]! })).not.toBeNull();
      const page = await stores.schedules.list({ namespace: NAMESPACE, limit: 20, after: "s5" });
      expect(page.schedules).toHaveLength(20);
      expect(await stores.schedules.runs({ namespace: NAMESPACE, id: ids[3]!, limit: 20, before: null })).toHaveLength(
        20,
      );
      expect(await stores.schedules.openOf(NAMESPACE, ids[3]!)).toHaveLength(1);
    });
    expect(cost).toMatchObject({ history: {}, scans: 0 });
    // Three blocks are of the open occurrence; a statement that is planned anew reads the root of each index once more.
    expect(cost.task).toBeLessThan(40);
    expect(cost.schedules).toBeLessThan(80);
    expect(cost.runs).toBeLessThan(60);
  });
});
