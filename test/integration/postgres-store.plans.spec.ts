import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { SlotSet } from "@tickwheel/core";
import { migrate, type PostgresStores } from "@tickwheel/postgres-store";
import type { Client } from "pg";
import { create, joinNode, NAMESPACE, newTask, newType, Scene } from "./postgres-store.scene.js";
import { eventually } from "../support/eventually.js";
import { makeSchemas } from "../support/servers/test-role.mjs";

const CROWD = 50_000;
const FEW = 20;
/** Two probes, and the first page of each index of the table, which the planner reads once. */
const MOST_PROBE_BLOCKS = 32;

let scene: Scene;
let stores: PostgresStores;
let observer: Client;
let crowdedTypeId: number;
let quietTypeId: number;

/**
 * 50,000 due tasks and 50,000 far ones of one type, a few of another; the statements look for those of the other type.
 */
beforeAll(async () => {
  // Its own reads would count as reads of the measured statement.
  scene = await Scene.start({ autovacuum: false });
  stores = scene.open({ size: 1 });
  observer = await scene.client();
  crowdedTypeId = await newType(stores, "crowded");
  quietTypeId = await newType(stores, "quiet");
  for (const delayMs of [0, 86_400_000]) {
    for (let written = 0; written < CROWD; written += 5_000) {
      const tasks = Array.from({ length: 5_000 }, () => newTask({ typeId: crowdedTypeId, due: { delayMs } }));
      await stores.tasks.create({ namespace: NAMESPACE, tasks });
    }
  }
  await stores.tasks.create({
    namespace: NAMESPACE,
    tasks: Array.from({ length: FEW }, () => newTask({ typeId: quietTypeId })),
  });
  await observer.query("VACUUM ANALYZE tickwheel.task");
});
afterAll(() => scene?.stop());

interface Cost {
  blocks: number;
  sequentialScans: number;
}

/**
 * The blocks of 8 kB that the server read from tables and their indexes while `work` ran on the store's only
 * connection, or on its only connection for reads.
 *
 * @param tables a query for their oids; default: the live table
 */
async function costOf(work: () => Promise<unknown>, tables = "SELECT 'tickwheel.task'::regclass"): Promise<Cost> {
  const before = await read(tables);
  await work();
  const after = await read(tables);
  expect(after.blocks).toBeGreaterThan(before.blocks);
  return { blocks: after.blocks - before.blocks, sequentialScans: after.sequentialScans - before.sequentialScans };
}

async function read(tables: string): Promise<Cost> {
  // Otherwise the observer's own counters would be reported later, and count as the work's.
  await observer.query(FLUSH_COUNTS.sql());
  await stores.database.run(FLUSH_COUNTS, null);
  await stores.tasks.reads.run(FLUSH_COUNTS, null);
  await observer.query("SELECT pg_stat_clear_snapshot()");
  const { rows } = await observer.query(
    `SELECT sum(heap_blks_read + heap_blks_hit + coalesce(idx_blks_read + idx_blks_hit, 0))::int AS blocks,
            sum(seq_scan)::int AS "sequentialScans"
       FROM pg_statio_user_tables JOIN pg_stat_user_tables USING (relid) WHERE relid IN (${tables})`,
  );
  return rows[0] as Cost;
}

/** A session reports its counters when it has been idle for a while, or when it is asked to. */
const FLUSH_COUNTS = {
  name: "flush_counts",
  sql: () => "SELECT pg_stat_force_next_flush()",
  values: () => [],
  read: () => true,
};

describe.each(["auto", "force_generic_plan"])("with plan_cache_mode = %s", (mode) => {
  beforeAll(async () => {
    await observer.query(`ALTER ROLE CURRENT_USER SET plan_cache_mode = ${mode}`);
    await stores.close();
    stores = scene.open({ size: 1 });
    await stores.tasks.listTypes();
  });

  const scope = (typeId: number) => ({ typeId, slots: SlotSet.all() });
  const due = (typeId: number, limitPerType: number) =>
    stores.tasks.findDue({
      scopes: [{ ...scope(typeId), notBefore: null, after: null }],
      stealAfterOverdueMs: 1_500,
      limitPerType,
    });

  test("due tasks of one type are found without walking over those of another", async () => {
    const reply = await due(quietTypeId, 100);
    expect(reply.hints).toHaveLength(FEW);
    const cost = await costOf(() => due(quietTypeId, 100));
    expect(cost.sequentialScans).toBe(0);
    expect(cost.blocks).toBeLessThan(60);
  });

  test("the types that have tasks are found by one probe each, however many tasks they have", async () => {
    const occupied = () => stores.tasks.occupiedTypes([]);
    expect(new Set(await occupied())).toEqual(new Set([crowdedTypeId, quietTypeId]));
    const cost = await costOf(occupied);
    expect(cost.sequentialScans).toBe(0);
    expect(cost.blocks).toBeLessThan(MOST_PROBE_BLOCKS);
    const others = () => stores.tasks.occupiedTypes([crowdedTypeId]);
    expect(await others()).toEqual([quietTypeId]);
    expect((await costOf(others)).blocks).toBeLessThan(MOST_PROBE_BLOCKS);
  });

  test("a page of due tasks costs its own rows, whatever is behind it", async () => {
    const cost = await costOf(() => due(crowdedTypeId, 100));
    expect(cost.sequentialScans).toBe(0);
    expect(cost.blocks).toBeLessThan(400);
  });

  test("a look for due tasks with a lower bound does not read older tasks", async () => {
    const now = await stores.tasks.now();
    const probe = () =>
      stores.tasks.findDue({
        scopes: [{ ...scope(crowdedTypeId), notBefore: now + 1, after: null }],
        stealAfterOverdueMs: 1_500,
        limitPerType: 5_000,
      });
    expect((await probe()).hints).toEqual([]);
    const cost = await costOf(probe);
    expect(cost.blocks).toBeLessThan(MOST_PROBE_BLOCKS);
  });

  test("the window of one type reads nothing of another and nothing beyond its horizon", async () => {
    const load = () =>
      stores.tasks.loadWindow({ scopes: [scope(quietTypeId)], horizonMs: 15_000, after: null, limit: 1_000 });
    expect((await load()).hints).toHaveLength(FEW);
    const cost = await costOf(load);
    expect(cost.sequentialScans).toBe(0);
    expect(cost.blocks).toBeLessThan(60);
  });

  test("a page of the window costs its own rows, whatever is behind it", async () => {
    const load = () =>
      stores.tasks.loadWindow({ scopes: [scope(crowdedTypeId)], horizonMs: 15_000, after: null, limit: 100 });
    expect((await load()).hints).toHaveLength(100);
    const cost = await costOf(load);
    expect(cost.sequentialScans).toBe(0);
    expect(cost.blocks).toBeLessThan(400);
  });

  test("the look for passed start deadlines reads no task without one", async () => {
    const expire = () => stores.tasks.expire({ typeIds: [crowdedTypeId, quietTypeId], limit: 100 });
    expect(await expire()).toBe(0);
    const cost = await costOf(expire);
    expect(cost.sequentialScans).toBe(0);
    expect(cost.blocks).toBeLessThan(MOST_PROBE_BLOCKS);
  });

  test("a claim, its settle, cancels and the look for orphans find their rows by index", async () => {
    const { hints } = await due(crowdedTypeId, 100);
    const owner = await joinNode(stores);
    const work = async () => {
      const { tasks } = await stores.tasks.claim({ owner, ids: hints.map(({ id }) => id), claimAheadMs: 5 });
      expect(tasks).toHaveLength(100);
      await stores.tasks.verifyStart(tasks);
      expect(await stores.tasks.runningUnder(owner)).toHaveLength(100);
      expect(
        await stores.tasks.runningUnder(
          owner,
          tasks.map(({ id }) => id),
        ),
      ).toHaveLength(100);
      await stores.tasks.deadOwners();
      await stores.tasks.reap({ leader: NOBODY, owners: ["1"], maxCrashes: 3, limit: 100 });
      const startedAt = tasks[0]!.claimedAt;
      await stores.tasks.settle(
        tasks.map((task, place) =>
          place % 2 === 0
            ? { ...task, kind: "succeeded", startedAt, result: null }
            : { ...task, kind: "retry", startedAt, delayMs: 60_000, error: "no" },
        ),
      );
      await stores.tasks.archive(1_000);
      const retried = tasks.filter((_, place) => place % 2 === 1);
      const requests = retried.map(({ id }) => ({ namespace: NAMESPACE, id, actor: "somebody" }));
      expect(await stores.tasks.cancelScheduled({ requests: requests.slice(1) })).not.toContain(null);
      expect(await stores.tasks.cancelBriefly({ requests: requests.slice(0, 1) })).not.toContain(null);
    };
    const cost = await costOf(work);
    expect(cost.sequentialScans).toBe(0);
    expect(cost.blocks).toBeLessThan(10_000);
  });

  test("a claim beside paused keys and the look at ended ones find their rows by index", async () => {
    const keys = Array.from({ length: 50 }, (_, place) => `paused-${mode}-${place}`);
    const ids: string[] = [];
    for (const key of keys) ids.push((await create(stores, { typeId: quietTypeId, key, type: "quiet" })).id);
    const owner = await joinNode(stores);
    const subjects = keys.map((key) => ({ namespace: NAMESPACE, typeId: quietTypeId, key }));
    const change = async (kind: "pause" | "resume"): Promise<void> => {
      // One after the other: there is one connection, and nobody waits for it longer than its limit.
      for (const subject of subjects)
        await stores.settings.changeSettings({ kind, actor: "somebody", subject, until: null, reason: null });
    };
    await change("pause");
    const pausedKeys = keys.map((key) => ({ typeId: quietTypeId, key }));
    const claim = async () => {
      expect((await stores.tasks.claim({ owner, ids, claimAheadMs: 5, pausedKeys })).tasks).toEqual([]);
    };
    const look = async () => {
      expect(await stores.settings.resumeEndedKeys(1_000)).toHaveLength(50);
    };
    const claimed = await costOf(claim);
    await change("resume");
    for (const cost of [claimed, await costOf(look)]) {
      expect(cost.sequentialScans).toBe(0);
      expect(cost.blocks).toBeLessThan(3_000);
    }
    await stores.tasks.cancelScheduled({
      requests: ids.map((id) => ({ namespace: NAMESPACE, id, actor: "somebody" })),
    });
  });

  test("a pause and a resume by id and by key find their rows by index", async () => {
    const key = `held-${mode}`;
    const { id } = await create(stores, { typeId: quietTypeId, key, type: "quiet", due: { delayMs: 86_400_000 } });
    const work = async () => {
      for (const target of [
        { namespace: NAMESPACE, type: "quiet", key },
        { namespace: NAMESPACE, id },
      ])
        for (const how of ["pause", "resume"] as const)
          expect((await stores.tasks[how]({ target, actor: "somebody" })).outcome).toBe("changed");
    };
    for (let round = 0; round < 8; round++) await work();
    const cost = await costOf(work);
    expect(cost.sequentialScans).toBe(0);
    expect(cost.blocks).toBeLessThan(400);
  });
});

test("a page of a journal costs its own entries, whatever an older release has stored of the task", async () => {
  const { id } = await create(stores, { typeId: quietTypeId });
  await observer.query(
    `INSERT INTO tickwheel.journal (task_id, recorded_at, at, seq, fence, attempt, from_state, to_state, reason)
     SELECT $1, now() - CASE WHEN seq <= 10000 THEN interval '1 day' ELSE '0' END, now(), seq, 0, 0, 0, 0, 'REFRESHED'
       FROM generate_series(1, 20000) AS seq`,
    [id],
  );
  await observer.query(`UPDATE tickwheel.task SET journal_count = 20000 WHERE id = '${id}'`);
  await observer.query("ANALYZE tickwheel.journal");
  const journal = "SELECT relid FROM pg_partition_tree('tickwheel.journal')";
  const costs: number[] = [];
  for (const mode of ["auto", "force_generic_plan"]) {
    await observer.query(`ALTER ROLE CURRENT_USER SET plan_cache_mode = ${mode}`);
    await stores.close();
    stores = scene.open({ size: 1 });
    const page = async (after: number) => {
      const { entries, next } = (await stores.tasks.journal({ namespace: NAMESPACE, id, limit: 50, after }))!;
      expect([entries.length, next]).toEqual([50, after + 50]);
    };
    for (const after of [0, 9_975, 19_900]) {
      await page(after);
      costs.push((await costOf(() => page(after), journal)).blocks);
    }
  }
  expect(Math.max(...costs)).toBeLessThan(100);
});

/**
 * Old ends of the crowded type, and cancelled ones of another, 20,000 of each kind: copies of a task that has ended,
 * made and ended two hours ago.
 */
async function crowdOfEnds(cancelledTypeId: number): Promise<void> {
  const owner = await joinNode(stores);
  for (const [table, end] of [
    ["history", { kind: "succeeded", result: null }],
    ["history", "cancelled"],
    ["task", { kind: "dead", reason: "ATTEMPTS", error: "no" }],
  ] as const) {
    const { id } = await create(stores, { typeId: end === "cancelled" ? cancelledTypeId : crowdedTypeId });
    if (end === "cancelled") {
      await stores.tasks.cancelBriefly({ requests: [{ namespace: NAMESPACE, id, actor: "test" }] });
    } else {
      const [task] = (await stores.tasks.claim({ owner, ids: [id], claimAheadMs: 5 })).tasks;
      await stores.tasks.settle([{ ...task!, ...end, startedAt: task!.claimedAt }]);
    }
    const { rows } = await observer.query(
      `SELECT string_agg(quote_ident(attname), ', ') AS names FROM pg_attribute
        WHERE attrelid = 'tickwheel.task'::regclass AND attnum > 0 AND attname NOT IN ('id', 'finished_at')`,
    );
    const { names } = rows[0] as { names: string };
    await observer.query(
      `INSERT INTO tickwheel.${table} (id, finished_at, ${names})
       SELECT (lpad(to_hex((date_part('epoch', now()) * 1000)::bigint - 7200000), 12, '0') || '7' || substr(md5(n::text), 1, 19))::uuid,
              now() - interval '2 hours', ${names}
         FROM tickwheel.${table}, generate_series(1, 20000) n WHERE id = $1`,
      [id],
    );
    await observer.query(`ANALYZE tickwheel.${table}`);
  }
}

test("a deletion of old ends of a type costs its page, whatever else there is, and nothing where all are too young", async () => {
  const cancelledTypeId = await newType(stores);
  await crowdOfEnds(cancelledTypeId);
  const history = "SELECT relid FROM pg_partition_tree('tickwheel.history')";
  for (const mode of ["auto", "force_generic_plan"]) {
    await observer.query(`ALTER ROLE CURRENT_USER SET plan_cache_mode = ${mode}`);
    await stores.close();
    stores = scene.open({ size: 1 });
    for (const [state, tables] of [
      ["succeeded", history],
      ["cancelled", history],
      ["dead", "SELECT 'tickwheel.task'::regclass"],
    ] as const) {
      const crowded = state === "cancelled" ? cancelledTypeId : crowdedTypeId;
      const forget = (typeId: number, keptMs: number) => async () => {
        const { forgotten } = await stores.tasks.forgetEnded({ typeId, state, keptMs, after: null, limit: 100 });
        expect(forgotten).toBe(typeId === crowded && keptMs < 7_200_000 ? 100 : 0);
      };
      for (let round = 0; round < 8; round++) await forget(crowded, 3_600_000)();
      const costs = [
        { most: 3_000, cost: await costOf(forget(crowded, 3_600_000), tables) },
        { most: 60, cost: await costOf(forget(crowded, 10_800_000), tables) },
        { most: 60, cost: await costOf(forget(quietTypeId, 3_600_000), tables) },
      ];
      for (const { most, cost } of costs) {
        expect(cost.sequentialScans).toBe(0);
        expect(cost.blocks).toBeLessThan(most);
      }
    }
  }
});

test("plans that were made while the table was empty still use an index when it has grown", async () => {
  await observer.query("ALTER ROLE CURRENT_USER RESET plan_cache_mode");
  const url = scene.server.url;
  await makeSchemas(url, "grown");
  await migrate(url, { schema: "grown" });
  await observer.query("ALTER TABLE grown.task SET (autovacuum_enabled = false)");
  await stores.close();
  stores = scene.open({ size: 1, schema: "grown" });
  const typeId = await newType(stores);
  const owner = await joinNode(stores);
  const work = async (ids: readonly string[]) => {
    const scope = { typeId, slots: SlotSet.all(), notBefore: null, after: null };
    const { hints } = await stores.tasks.findDue({ scopes: [scope], stealAfterOverdueMs: 1_500, limitPerType: 10 });
    await stores.tasks.loadWindow({ scopes: [scope], horizonMs: 15_000, after: null, limit: 10 });
    await stores.tasks.expire({ typeIds: [typeId], limit: 10 });
    const { tasks } = await stores.tasks.claim({ owner, ids: [...ids, ...hints.map(({ id }) => id)], claimAheadMs: 5 });
    const ends = tasks.map((task, place) => ({
      ...task,
      startedAt: task.claimedAt,
      ...(place % 2 ? RETRIED : SUCCEEDED),
    }));
    await stores.tasks.verifyStart(tasks);
    await stores.tasks.settle(ends);
    await stores.tasks.deadOwners();
    await stores.tasks.reap({ leader: NOBODY, owners: ["1"], maxCrashes: 3, limit: 10 });
    await stores.tasks.archive(10);
    await stores.tasks.cancel({ target: { namespace: NAMESPACE, id: newTask({ typeId }).id }, actor: "somebody" });
    await stores.tasks.cancelScheduled({
      requests: [{ namespace: NAMESPACE, id: newTask({ typeId }).id, actor: "somebody" }],
    });
    await stores.tasks.get(NAMESPACE, newTask({ typeId }).id);
  };
  for (let round = 0; round < 10; round++) await work([newTask({ typeId }).id]);
  const key = (index: number) => ({ key: `k${index}`, type: "any" });
  for (let written = 0; written < 20_000; written += 5_000) {
    const tasks = Array.from({ length: 5_000 }, (_, index) =>
      newTask({ typeId, ...key(written + index), due: { delayMs: 60_000 } }),
    );
    await stores.tasks.create({ namespace: NAMESPACE, tasks });
  }
  await eventually(() => expectKnownSize(typeId));
  const due = Array.from({ length: 10 }, () => newTask({ typeId }));
  await stores.tasks.create({ namespace: NAMESPACE, tasks: due });
  const cost = await costOf(() => work(due.map(({ id }) => id)), "SELECT 'grown.task'::regclass");
  expect(cost.sequentialScans).toBe(0);
  // One read of the whole table by any of these statements would be more than this.
  expect(cost.blocks).toBeLessThan(1_000);
});

/** The store has a grown table analysed after a write. What that reads would count as read by the statements. */
async function expectKnownSize(typeId: number): Promise<void> {
  const tasks = Array.from({ length: 500 }, () => newTask({ typeId, due: { delayMs: 60_000 } }));
  await stores.tasks.create({ namespace: NAMESPACE, tasks });
  const { rows } = await observer.query(
    "SELECT pg_relation_size(oid) / 8192 < 4 * relpages AS known FROM pg_class WHERE oid = 'grown.task'::regclass",
  );
  expect(rows).toEqual([{ known: true }]);
}

/** There is no orphan, so no node needs to lead. */
const NOBODY = { term: 0, holder: "1" };
const SUCCEEDED = { kind: "succeeded", result: null } as const;
const RETRIED = { kind: "retry", delayMs: 0, error: "no" } as const;
