import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { PostgresStores } from "@tickwheel/postgres-store";
import type { Client } from "pg";
import { printFigures, summaryOf } from "../support/figures.js";
import { BatchScenes, LIMITS } from "./batches.scene.js";
import { type Cost, costOf } from "./postgres-store.cost.js";
import { NAMESPACE, Scene } from "./postgres-store.scene.js";

const FINISHED = 200_000;
/** The server plans a statement anew this often before it may keep a plan; reads go to either of two connections. */
const BEFORE_KEPT = 14;
/** The way down to the first entry of an index, in several indexes and partitions. */
const FEW_PAGES = 60;
const LOOKS = 100;

let scene: Scene;
let stores: PostgresStores;
let observer: Client;
let batches: BatchScenes;
let id: string;
let live: string[];

/** An open batch of 200,000 members that have ended, whose entries nobody has cleared yet, and of two that live. */
beforeAll(async () => {
  scene = await Scene.start({ autovacuum: false });
  stores = scene.open({ size: 1 });
  observer = await scene.client();
  batches = await BatchScenes.open(stores);
  ({
    batch: { id },
  } = await batches.make({ isSealed: true }));
  const columns = `id, scheduled_at, due_at, created_at, timeout_ms, type_id, max_attempts, slot, state, priority, key_live, created_by, batch_id`;
  await observer.query(
    `INSERT INTO tickwheel.task (${columns})
     SELECT (lpad(to_hex(n), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid, now(), now(), now(), 60000, $1, 3, 0, 0, 5, false,
            'filler', $2 FROM generate_series(1, ${FINISHED}) n`,
    [batches.typeId, id],
  );
  await observer.query(
    `WITH gone AS (DELETE FROM tickwheel.task WHERE batch_id = $1 RETURNING *)
     INSERT INTO tickwheel.history (${columns}, finished_at) SELECT ${columns.replace("state", "2")}, now() FROM gone`,
    [id],
  );
  await observer.query("UPDATE tickwheel.batch SET total = $2, succeeded = $2 WHERE id = $1", [id, FINISHED]);
  live = await addLive();
  await observer.query("ANALYZE tickwheel.task, tickwheel.history, tickwheel.batch, tickwheel.batch_tally");
  await batches.review(id);
});
afterAll(() => scene?.stop());

async function addLive(): Promise<string[]> {
  const members = batches.members(2).map((member) => ({ ...member, batchId: id }));
  await stores.tasks.create({ namespace: NAMESPACE, tasks: members });
  await observer.query("INSERT INTO tickwheel.batch_tally (batch_id, total) VALUES ($1, 2)", [id]);
  return members.map((member) => member.id).toSorted();
}

const look = () => stores.batches.toReview({ mostMembers: LIMITS.members, limit: 200, after: null });

/** What it costs by a kept plan, if there is one. */
async function keptCostOf(work: () => Promise<unknown>): Promise<Cost> {
  for (let round = 0; round < BEFORE_KEPT; round++) await work();
  return costOf({ observer, stores }, work);
}

describe("with an open batch of 200,000 finished members", () => {
  test("the look each second at a batch of 200,000 members probes its witness, and reads neither members nor history", async () => {
    const cost = await keptCostOf(async () => expect(await look()).toEqual([]));
    expect(cost).toMatchObject({ history: {}, scans: 0 });
    expect(cost.task).toBeLessThanOrEqual(FEW_PAGES);
    const tookMs: number[] = [];
    for (let round = 0; round < LOOKS; round++) {
      const startMonoMs = performance.now();
      await look();
      tookMs.push(performance.now() - startMonoMs);
    }
    printFigures("the look at an open batch with 200,000 finished members", { tookMs: summaryOf(tookMs) });
  });

  test("a witness of a batch that has ended is followed by another in a few pages, past the entries of those that ended", async () => {
    await batches.succeed([live[1]!]);
    expect(await look()).toEqual([{ id, isStopping: false, isRetrying: false }]);
    const cost = await costOf({ observer, stores }, async () => expect(await batches.review(id)).toBeNull());
    expect(cost).toMatchObject({ history: {}, scans: 0 });
    expect(cost.task).toBeLessThanOrEqual(FEW_PAGES);
    expect(await look()).toEqual([]);
  });

  test("a page of a batch's members reads as many rows as it shows, wherever it begins, once a vacuum has cleared the table", async () => {
    await observer.query("VACUUM tickwheel.task");
    const filter = { namespace: NAMESPACE, batchId: id, states: [], limit: 50 };
    const { next } = await stores.batches.members({ ...filter, after: null });
    for (const after of [null, next, live[0]!]) {
      const cost = await keptCostOf(() => stores.batches.members({ ...filter, after }));
      expect(cost.scans).toBe(0);
      const history = Object.values(cost.history).reduce((sum, blocks) => sum + blocks, 0);
      expect(cost.task + history).toBeLessThanOrEqual(8 * FEW_PAGES);
    }
  });

  test("a batch of 200,000 finished members completes when its last member ends, and its counts hold them all", async () => {
    await batches.succeed([live[0]!]);
    const startMonoMs = performance.now();
    const reviewed = await batches.review(id);
    printFigures("the review that completes it", { tookMs: Math.round(performance.now() - startMonoMs) });
    expect(reviewed!.batch).toMatchObject({
      state: "complete",
      counts: { total: FINISHED + 2, succeeded: FINISHED + 2 },
    });
  });
});
