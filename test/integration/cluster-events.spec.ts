import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type ClusterEventKind, newBootId, type PastEvent, SystemRandom } from "@tickwheel/core";
import type { PostgresStores } from "@tickwheel/postgres-store";
import type { Client } from "pg";
import { costOf } from "./postgres-store.cost.js";
import { Scene } from "./postgres-store.scene.js";

const ROWS = 30_000;
const KEPT = 20_000;
/** The eighth of its kind on a connection goes by a kept plan, if there is one. */
const ROUNDS = 8;

let scene: Scene;
let stores: PostgresStores;

beforeAll(async () => {
  scene = await Scene.start({ autovacuum: false });
  stores = scene.open();
  const client = await scene.client();
  await client.query(`
    INSERT INTO tickwheel.cluster_event (at, kind, boot_id, label, facts)
    SELECT now() - interval '1 day' + n * interval '1 second', CASE WHEN n % 1000 = 0 THEN 'DEAD' ELSE 'VIEW' END, n % 500, 'node-' || n % 500, '{}'
      FROM generate_series(1, ${ROWS}) AS n`);
  await client.query("ANALYZE tickwheel.cluster_event");
});

afterAll(() => scene?.stop());

/** Reads of the whole table, on the server's account. */
async function wholeReads(observer: Client): Promise<number> {
  await observer.query("SELECT pg_stat_clear_snapshot()");
  const { rows } = await observer.query<{ scans: number }>(
    "SELECT seq_scan::int AS scans FROM pg_stat_user_tables WHERE relname = 'cluster_event'",
  );
  return rows[0]!.scans;
}

test("no page of many events, however it is filtered, and no append reads the whole table", async () => {
  const observer = await scene.client();
  const before = await wholeReads(observer);
  const mine = scene.open({ size: 1 });
  const suspect: PastEvent = {
    kind: "SUSPECT",
    bootId: newBootId(new SystemRandom()),
    agoMs: 0,
    facts: { silentMs: 1, missedBeats: 1, seenBy: "a" },
  };
  const kinds: ClusterEventKind[] = ["DEAD"];
  const cost = await costOf({ observer, stores: mine }, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const first = await mine.events.page({ limit: 200 });
      expect((await mine.events.page({ limit: 200, after: first.next! })).events).toHaveLength(200);
      expect((await mine.events.page({ kinds, limit: 10 })).events).toHaveLength(10);
      expect((await mine.events.page({ node: { bootId: "7" }, limit: 200 })).events).toHaveLength(60);
      expect((await mine.events.page({ node: { label: "node-7" }, kinds, limit: 200 })).events).toEqual([]);
      await mine.events.append([suspect]);
    }
  });
  expect(cost.scans).toBe(0);
  expect((await wholeReads(observer)) - before).toBe(0);
});

test("upkeep leaves the newest cluster events, and none that is older than a week", async () => {
  const client = await scene.client();
  await client.query("UPDATE tickwheel.cluster_event SET at = at - interval '7 days' WHERE boot_id = 3");
  const retention = { historyRetentionDays: 7, deadRetentionDays: 90, typeRetentionDays: 90 };
  for (let hasMore = true; hasMore;) ({ hasMore } = await stores.tasks.maintain(retention));
  const { rows } = await client.query<{ count: number; old: number }>(
    "SELECT count(*)::int AS count, count(*) FILTER (WHERE at < now() - interval '7 days')::int AS old FROM tickwheel.cluster_event",
  );
  expect(rows[0]!.old).toBe(0);
  expect(rows[0]!.count).toBeLessThanOrEqual(KEPT);
  expect(rows[0]!.count).toBeGreaterThan(KEPT - 100);
});
