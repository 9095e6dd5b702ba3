import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { PostgresStores } from "@tickwheel/postgres-store";
import type { Client } from "pg";
import { create, joinNode, newType, Scene } from "./postgres-store.scene.js";

const OLD_ROWS = 2_500;
const RETENTION = { historyRetentionDays: 7, deadRetentionDays: 30, typeRetentionDays: 30 };
const TABLES = ["task", "idempotency", "history_default", "journal_default", "former_node"];

let scene: Scene;
let stores: PostgresStores;
let client: Client;

beforeAll(async () => {
  scene = await Scene.start();
  stores = scene.open();
  client = await scene.client();
});
afterAll(() => scene?.stop());

/**
 * Many copies of a task that died long ago, with as many old rows in every other table that is not dropped by
 * partitions.
 */
async function ageRows(): Promise<void> {
  const typeId = await newType(stores);
  const { id } = await create(stores, { typeId });
  const owner = await joinNode(stores);
  const { tasks } = await stores.tasks.claim({ owner, ids: [id], claimAheadMs: 5 });
  const startedAt = tasks[0]!.claimedAt;
  await stores.tasks.settle([{ ...tasks[0]!, kind: "dead", reason: "ATTEMPTS", error: "no", startedAt }]);
  const { rows } = await client.query(
    "SELECT string_agg(quote_ident(attname), ', ') AS names FROM pg_attribute WHERE attrelid = 'tickwheel.task'::regclass AND attnum > 0 AND attname NOT IN ('id', 'finished_at')",
  );
  const { names } = rows[0] as { names: string };
  for (const table of ["task", "history"])
    await client.query(
      `INSERT INTO tickwheel.${table} (id, finished_at, ${names})
       SELECT gen_random_uuid(), '2001-01-01', ${names} FROM tickwheel.task, generate_series(1, ${OLD_ROWS}) WHERE id = $1`,
      [id],
    );
  await client.query(
    `INSERT INTO tickwheel.journal (task_id, recorded_at, at, seq, fence, attempt, to_state)
     SELECT gen_random_uuid(), '2001-01-01', '2001-01-01', 1, 0, 0, 0 FROM generate_series(1, ${OLD_ROWS})`,
  );
  await client.query(
    `INSERT INTO tickwheel.idempotency (slot, namespace, key, body_hash, outcomes, created_at)
     SELECT 0, 'default', i::text, 'a', '[]', '2001-01-01' FROM generate_series(1, ${OLD_ROWS}) i`,
  );
  await client.query(
    `INSERT INTO tickwheel.former_node (boot_id, label, forgotten_at)
     SELECT i, 'a', CASE WHEN i > ${OLD_ROWS} THEN now() - interval '30 days' ELSE '2001-01-01' END FROM generate_series(1, ${OLD_ROWS} + 1) i`,
  );
}

/** Notes how many rows each statement deletes. */
async function watchDeletes(): Promise<void> {
  await client.query("CREATE TABLE deletes (name text, count bigint)");
  await client.query(
    `CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
     $$ BEGIN INSERT INTO public.deletes SELECT TG_TABLE_NAME, count(*) FROM gone; RETURN NULL; END $$`,
  );
  for (const table of TABLES)
    await client.query(
      `CREATE TRIGGER note AFTER DELETE ON tickwheel.${table} REFERENCING OLD TABLE AS gone
       FOR EACH STATEMENT EXECUTE FUNCTION note()`,
    );
}

test("rows past their retention are deleted in batches of at most 1,000 per table, and no other rows are", async () => {
  await ageRows();
  await watchDeletes();
  const { hasMore } = await stores.tasks.maintain(RETENTION);
  expect(hasMore).toBe(false);
  const { rows } = await client.query(
    "SELECT name, sum(count)::int AS sum, max(count)::int AS max FROM deletes GROUP BY name ORDER BY name",
  );
  expect(rows).toEqual([...TABLES].sort().map((name) => ({ name, sum: OLD_ROWS, max: 1_000 })));
  expect((await client.query("SELECT 1 FROM tickwheel.task")).rows).toHaveLength(1);
  const { rows: former } = await client.query("SELECT boot_id::text AS id FROM tickwheel.former_node ORDER BY boot_id");
  // Consumers are always known.
  expect(former).toEqual([{ id: "0" }, { id: String(OLD_ROWS + 1) }]);
});

test("members of batches stay when the ended tasks that their type keeps shorter are deleted", async () => {
  const later = scene.open({ asOf: () => Date.now() + 60_000 });
  const typeId = await newType(stores);
  const owner = await joinNode(stores);
  for (const [state, table] of [
    ["succeeded", "history"],
    ["cancelled", "history"],
    ["dead", "task"],
  ] as const) {
    const ids: string[] = [];
    for (let count = 0; count < 2; count++) {
      const { id } = await create(stores, { typeId });
      ids.push(id);
      if (state === "cancelled") {
        await stores.tasks.cancelBriefly({ requests: [{ namespace: "default", id, actor: "test" }] });
        continue;
      }
      const [task] = (await stores.tasks.claim({ owner, ids: [id], claimAheadMs: 5 })).tasks;
      const end =
        state === "dead" ? { kind: state, reason: "ATTEMPTS" as const, error: "no" } : { kind: state, result: null };
      await stores.tasks.settle([{ ...task!, ...end, startedAt: task!.claimedAt }]);
    }
    await client.query(`UPDATE tickwheel.${table} SET batch_id = gen_random_uuid() WHERE id = $1`, [ids[0]]);
    const reply = await later.tasks.forgetEnded({ typeId, state, keptMs: 0, after: null, limit: 10 });
    expect(reply).toEqual({ forgotten: 1, next: null });
    const left = await Promise.all(ids.map((id) => stores.tasks.get("default", id)));
    expect(left.map((task) => task?.id ?? null)).toEqual([ids[0], null]);
  }
});

test("a schedule that was deleted long ago goes with its runs; a deleted one that is younger, and a live one, stay", async () => {
  for (const [name, deleted] of [
    ["old", "now() - interval '31 days'"],
    ["young", "now() - interval '29 days'"],
    ["live", "NULL"],
  ] as const)
    await client.query(
      `WITH added AS (
         INSERT INTO tickwheel.schedule (id, namespace, name, type_id, revision, definition, task_options, created_at, changed_at,
                                         created_by, changed_by, planned_until, settled_until, planning, deleted_at)
         VALUES (gen_random_uuid(), 'default', $1, 1, 1, '{}', '{}', '2001-01-01', '2001-01-01', 'a', 'a', '2001-01-01', '2001-01-01', '{}', ${deleted})
         RETURNING id
       )
       INSERT INTO tickwheel.schedule_run (schedule_id, seq, kind, at, missed, has_missed_more, ended_at)
       SELECT id, n, 'skip', '2001-01-01', 1, false, '2001-01-01' FROM added, generate_series(1, 100) n`,
      [name],
    );
  await stores.tasks.maintain(RETENTION);
  const { rows } = await client.query(
    "SELECT s.name, count(*)::int FROM tickwheel.schedule_run r LEFT JOIN tickwheel.schedule s ON s.id = r.schedule_id GROUP BY s.name ORDER BY s.name",
  );
  expect(rows).toEqual([
    { name: "live", count: 100 },
    { name: "young", count: 100 },
  ]);
});
