import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { SeenCause } from "@tickwheel/core";
import type { PostgresStores } from "@tickwheel/postgres-store";
import type { Client } from "pg";
import { type Cost, costOf, fillHistory } from "./postgres-store.cost.js";
import { NAMESPACE, newTask, newType, Scene } from "./postgres-store.scene.js";

const TYPES = 100;
const PENDING = 20_000;
const FINISHED = 30_000;
const HOUR_MS = 3_600_000;
const CLOSED = 4_000;
/** The server plans a statement anew this often before it may keep a plan. */
const BEFORE_KEPT = 7;

let scene: Scene;
let stores: PostgresStores;
let observer: Client;

/** A hundred types, one of them with all waiting tasks; counters of eight days; a day full of findings. */
beforeAll(async () => {
  scene = await Scene.start({ autovacuum: false });
  // An answer at a test's own instant is counted anew each time.
  stores = open();
  observer = await scene.client();
  const typeIds: number[] = [];
  for (let type = 0; type < TYPES; type++) typeIds.push(await newType(stores, `type${type}`));
  await fillHistory(observer, { typeId: typeIds[0]!, rows: FINISHED });
  for (let written = 0; written < PENDING; written += 5_000) {
    const tasks = Array.from({ length: 5_000 }, (_, index) =>
      newTask({ typeId: typeIds[0]!, type: "type0", key: null, due: { delayMs: HOUR_MS + index } }),
    );
    await stores.tasks.create({ namespace: NAMESPACE, tasks });
  }
  await observer.query(
    `INSERT INTO tickwheel.tally (at, span_minutes, type_id, started)
     SELECT at, 60, id, 5 FROM tickwheel.type, generate_series(now() - interval '8 days', now(), interval '1 hour') AS at`,
  );
  await observer.query(
    `INSERT INTO tickwheel.finding (code, subject, severity, facts, since, seen_at, until)
     SELECT 'NODE_DIED', n::text, 'notice', '{}', now(), now(), now() FROM generate_series(1, ${CLOSED}) AS n`,
  );
  await observer.query("VACUUM ANALYZE tickwheel.task, tickwheel.history, tickwheel.tally, tickwheel.finding");
});
afterAll(() => scene?.stop());

function open(): PostgresStores {
  return scene.open({ size: 1, asOf: () => Date.now() });
}

/** Reads of all of the counters, or of all findings, on the server's account. */
async function wholeReads(): Promise<number> {
  await observer.query("SELECT pg_stat_clear_snapshot()");
  const { rows } = await observer.query<{ scans: number }>(
    "SELECT sum(seq_scan)::int AS scans FROM pg_stat_user_tables WHERE relname IN ('tally', 'finding')",
  );
  return rows[0]!.scans;
}

describe.each(["auto", "force_generic_plan"])("with plan_cache_mode = %s", (mode) => {
  beforeAll(async () => {
    await observer.query(`ALTER ROLE CURRENT_USER SET plan_cache_mode = ${mode}`);
    await stores.close();
    stores = open();
  });

  /** Runs it as the eighth of its kind on this connection, so by a kept plan if there is one. */
  async function keptCostOf(work: () => Promise<unknown>): Promise<Cost & { wholeReads: number }> {
    for (let round = 0; round < BEFORE_KEPT; round++) await work();
    let before = 0;
    const cost = await costOf({ observer, stores }, async () => {
      before = await wholeReads();
      await work();
    });
    return { ...cost, wholeReads: (await wholeReads()) - before };
  }

  test("the wheel of all nodes probes the due index for each type", async () => {
    const owners = {
      viewNumber: 1,
      types: [{ typeId: 1, division: 0 }],
      divisions: [new Uint16Array(4_096)],
      isWhole: true,
    };
    const cost = await keptCostOf(async () => {
      const { seconds } = await stores.figures.wheel(owners);
      expect(seconds).toHaveLength(60);
    });
    expect(cost).toMatchObject({ history: {}, scans: 0 });
    // Two probes of each type.
    expect(cost.task).toBeLessThan(TYPES * 8);
  });

  test("the figures of all types probe the due index for each, and read the counters of minutes", async () => {
    const cost = await keptCostOf(async () => {
      const { types } = await stores.figures.types(NAMESPACE);
      expect(types).toHaveLength(TYPES);
    });
    expect(cost).toMatchObject({ history: {}, scans: 0, wholeReads: 0 });
    expect(cost.task).toBeLessThan(TYPES * 5);
  });

  test.each([60_000, HOUR_MS, 24 * HOUR_MS])(
    "a forecast in buckets of %d ms reads each waiting task's entry of the due index once",
    async (bucketMs) => {
      const cost = await keptCostOf(async () => {
        const { buckets } = await stores.figures.ahead({ namespace: NAMESPACE, bucketMs, buckets: 30 });
        const due = buckets.reduce((sum, bucket) => sum + bucket.due, 0);
        expect(due).toBe(bucketMs === 60_000 ? 0 : PENDING);
      });
      expect(cost).toMatchObject({ history: {}, scans: 0 });
      // Two probes of each type, and 150 entries to a block.
      expect(cost.task).toBeLessThan(TYPES * 8 + PENDING / 50);
    },
  );

  test("the history of an hour and the pace of a day read their own time's counters", async () => {
    const cost = await keptCostOf(async () => {
      const { buckets } = await stores.figures.history({ namespace: NAMESPACE, bucketMs: 60_000, buckets: 60 });
      expect(buckets).toHaveLength(60);
      expect((await stores.figures.pace()).started).toBeGreaterThan(0);
    });
    expect(cost).toMatchObject({ task: 0, history: {}, scans: 0, wholeReads: 0 });
  });

  test("findings are opened, renewed and closed by the index of open ones, however many there were", async () => {
    const seen = (code: SeenCause["code"]): SeenCause => ({
      code,
      subject: "b",
      namespace: null,
      severity: "warning",
      facts: {},
      since: Date.now(),
    });
    const cost = await keptCostOf(async () => {
      await stores.findings.keep([seen("NODE_SUSPECT")], HOUR_MS);
      const open = await stores.findings.keep([seen("NODE_DIED")], HOUR_MS);
      expect(open.map(({ code }) => code)).toEqual(["NODE_DIED"]);
      expect(await stores.findings.lastDay(20)).toHaveLength(20);
    });
    expect(cost).toMatchObject({ task: 0, history: {}, scans: 0, wholeReads: 0 });
  });
});
