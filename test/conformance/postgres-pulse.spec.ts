import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Pulse } from "@tickwheel/core";
import type { PostgresStores } from "@tickwheel/postgres-store";
import type { Client } from "pg";
import { printFigures } from "../support/figures.js";
import { BatchScenes, LIMITS } from "../integration/batches.scene.js";
import { DeadLetterScenes } from "../integration/dead-letters.scene.js";
import { OperationScenes } from "../integration/operations.scene.js";
import { create, NAMESPACE, newType, Scene } from "../integration/postgres-store.scene.js";

const QUIET = {
  endedTasks: false,
  lateTasks: false,
  deadOwners: false,
  deadTallies: false,
  batchTallies: false,
  openBatches: false,
  dueOperations: false,
  dueSchedules: false,
};
const REVIEW = { mostMembers: LIMITS.members, limit: 200, after: null };

let scene: Scene;
let stores: PostgresStores;
let observer: Client;
let typeIds: number[];

const pulse = (expiring: number[] = []): Promise<Pulse> => stores.pulse.pulse({ expiring, asksOwners: true });

/** The server plans a statement anew this often before it may keep a plan. */
const BEFORE_KEPT = 7;

/** The plan of the pulse is made while the tables are empty, and kept. */
beforeAll(async () => {
  scene = await Scene.start({ autovacuum: false, plan_cache_mode: "force_generic_plan" });
  stores = scene.open({ size: 1 });
  observer = await scene.client();
  typeIds = [await newType(stores, "crowded"), await newType(stores, "quiet")];
  for (let round = 0; round < BEFORE_KEPT; round++) await pulse(typeIds);
});
afterAll(() => scene?.stop());

describe("a pulse of Postgres", () => {
  test("a pulse of Postgres tells of nothing where there is nothing", async () => {
    expect(await pulse(typeIds)).toEqual({ ...QUIET, timeline: await stores.tasks.timeline() });
  });

  test("a pulse of Postgres tells of deaths that are tallied until they are folded", async () => {
    const deaths = new DeadLetterScenes(await OperationScenes.open(scene, stores));
    await deaths.died(["no answer"]);
    expect(await pulse()).toMatchObject({ ...QUIET, deadTallies: true });
    await deaths.fold();
    expect(await pulse()).toMatchObject(QUIET);
  });

  test("a pulse of Postgres tells of members' ends until they are folded, and of a batch until no review can change it", async () => {
    const batches = await BatchScenes.open(stores);
    const member = batches.member();
    const { batch } = await batches.make({ isSealed: true }, [member]);
    while (await stores.batches.fold());
    expect(await stores.batches.toReview(REVIEW)).toEqual([{ id: batch.id, isStopping: false, isRetrying: false }]);
    await batches.review(batch.id);
    expect(await pulse()).toMatchObject({ ...QUIET, openBatches: true });
    await batches.succeed([member.id]);
    expect(await pulse()).toMatchObject({ ...QUIET, batchTallies: true, openBatches: true });
    while (await stores.batches.fold());
    expect(await pulse()).toMatchObject({ ...QUIET, openBatches: true });
    await batches.review(batch.id);
    expect((await batches.get(batch.id)).state).toBe("complete");
    expect(await pulse()).toMatchObject(QUIET);
  });

  test("a pulse of Postgres tells of a complete batch that has a deadline to come", async () => {
    const batches = await BatchScenes.open(stores);
    const { batch } = await batches.make({ isSealed: true, deadlineAt: Date.now() + 3_600_000 });
    while (await stores.batches.fold());
    await batches.review(batch.id);
    expect((await batches.get(batch.id)).state).toBe("complete");
    expect((await pulse()).openBatches).toBe(true);
    await observer.query("UPDATE tickwheel.batch SET deadline_checked_at = now()");
    expect(await pulse()).toMatchObject(QUIET);
  });

  test("a pulse of Postgres tells of an operation whose page is due within a second, not of one on hold or of a later page", async () => {
    const its = await OperationScenes.open(scene, stores);
    await its.task();
    const operation = await its.start({ action: "pause" });
    expect(await pulse()).toMatchObject({ ...QUIET, dueOperations: true });
    expect((await stores.operations.due()).ids).toEqual([operation.id]);
    await its.query("UPDATE tickwheel.operation SET next_at = now() + interval '800 milliseconds'");
    expect((await stores.operations.due()).ids).toEqual([]);
    expect((await pulse()).dueOperations).toBe(true);
    await its.query("UPDATE tickwheel.operation SET next_at = now() + interval '1 hour'");
    expect(await pulse()).toMatchObject(QUIET);
    await its.query("UPDATE tickwheel.operation SET next_at = now()");
    await its.change(operation, "hold");
    expect(await pulse()).toMatchObject(QUIET);
    await its.change(operation, "resume");
    await its.carryOut(operation);
    expect(await pulse()).toMatchObject(QUIET);
  });
});

/** How many there are of each kind, none of which is to be done. */
const CROWD = 5_000;
/** The way down to the first entry of some fifteen indexes; and the root of each, where the server plans it anew. */
const FEW_PAGES = 100;

const FLUSH = { name: "flush_counts", sql: () => "SELECT pg_stat_force_next_flush()", values: () => [], read: () => 1 };

interface Cost {
  blocks: number;
  /** The scans of tables that hold rows, but for the nodes: only the newest hundred dead ones are kept. */
  scans: number;
}

describe("beside crowds with nothing to do", () => {
  beforeAll(fill);

  async function fill(): Promise<void> {
    const its = await OperationScenes.open(scene, stores);
    const [typeId] = typeIds;
    const ids = `(lpad(to_hex(n), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid`;
    const columns =
      "id, slot, type_id, state, created_at, scheduled_at, due_at, priority, max_attempts, timeout_ms, key_live, created_by";
    const waiting = `${ids}, n % 4096, $1::integer, 0, now(), now(), now() + interval '1 h', 5, 3, 60000, false, 'filler'`;
    await its.query(
      `INSERT INTO tickwheel.task (${columns}, start_deadline_at)
       SELECT ${waiting}, now() + interval '1 h' FROM generate_series(1, ${CROWD}) n`,
      [typeId],
    );
    await its.query(
      `INSERT INTO tickwheel.task (${columns}, finished_at, reason)
       SELECT ${waiting.replace("integer, 0", "integer, 3")}, now(), 'NON_RETRYABLE'
         FROM generate_series(${CROWD + 1}, ${2 * CROWD}) n`,
      [typeId],
    );
    for (let made = 0; made < 50; made++) await its.claim([(await create(stores, { typeId: typeId! })).id]);
    const copies = (table: string): string =>
      `INSERT INTO tickwheel.${table} SELECT (jsonb_populate_record(o, jsonb_build_object('id', gen_random_uuid()))).*
         FROM tickwheel.${table} o, generate_series(1, ${CROWD}) WHERE o.id = (SELECT id FROM tickwheel.${table} LIMIT 1)`;
    await its.run({ action: "pause" });
    await its.query(copies("operation"));
    const batches = await BatchScenes.open(stores);
    const { batch } = await batches.make({ isSealed: true });
    while (await stores.batches.fold());
    await batches.review(batch.id);
    await its.query(copies("batch"));
    await its.query(
      `INSERT INTO tickwheel.schedule (id, namespace, name, type_id, revision, definition, task_options, created_at, changed_at,
                                       created_by, changed_by, planned_until, settled_until, look_at, planning)
       SELECT ${ids}, $2, 's' || n, $1, 1, $3, '{}', now(), now(), 'a', 'a', now(), now(), now() + interval '1 day', $4
         FROM generate_series(1, ${CROWD}) n`,
      [typeId, NAMESPACE, JSON.stringify({}), JSON.stringify({})],
    );
    while (await stores.deadLetters.fold());
  }

  async function costOfPulse(): Promise<Cost> {
    const tell = async (): Promise<{ name: string; blocks: number; scans: number; rows: number }[]> => {
      await stores.database.run(FLUSH, null);
      await observer.query(FLUSH.sql());
      await observer.query("SELECT pg_stat_clear_snapshot()");
      const { rows } = await observer.query(
        `SELECT relname AS name, (heap_blks_read + heap_blks_hit + coalesce(idx_blks_read + idx_blks_hit, 0))::int AS blocks,
                seq_scan::int AS scans, seq_tup_read::int AS rows
           FROM pg_statio_user_tables JOIN pg_stat_user_tables USING (relid, schemaname, relname) WHERE schemaname = 'tickwheel'`,
      );
      return rows;
    };
    const before = new Map((await tell()).map((counts) => [counts.name, counts]));
    expect(await pulse(typeIds)).toMatchObject(QUIET);
    const cost = { blocks: 0, scans: 0 };
    for (const { name, blocks, scans, rows } of await tell()) {
      const known = before.get(name)!;
      cost.blocks += blocks - known.blocks;
      if (rows > known.rows && name !== "node") cost.scans += scans - known.scans;
    }
    return cost;
  }

  test("a plan of the pulse that was made while the tables were empty reads a few pages of indexes beside crowds", async () => {
    const { blocks, scans } = await costOfPulse();
    printFigures("blocks of a pulse", { blocks });
    expect(scans).toBe(0);
    expect(blocks).toBeLessThanOrEqual(FEW_PAGES);
  });

  test("a plan of the pulse that was made when the tables were full reads a few pages of indexes beside crowds", async () => {
    await observer.query("VACUUM ANALYZE");
    for (let round = 0; round < BEFORE_KEPT; round++) await pulse(typeIds);
    const { blocks, scans } = await costOfPulse();
    printFigures("blocks of a pulse", { blocks });
    expect(scans).toBe(0);
    expect(blocks).toBeLessThanOrEqual(FEW_PAGES);
  });
});
