import { describe, expect, test } from "@jest/globals";
import type { CallerTransaction } from "@tickwheel/core";
import type { PostgresStores } from "@tickwheel/postgres-store";
import type { Client } from "pg";
import { eventually } from "../support/eventually.js";
import { startForSpec } from "../support/start-for-spec.js";
import { BatchScenes, startBatches } from "./batches.scene.js";
import { NAMESPACE, type Scene } from "./postgres-store.scene.js";

let scene: Scene;
let stores: PostgresStores;
let batches: BatchScenes;

startForSpec(startBatches, (its) => ({ scene, stores, batches } = its));

/** An open transaction of somebody else's. */
async function begin(): Promise<{ client: Client; within: CallerTransaction }> {
  const client = await scene.client();
  await client.query("BEGIN");
  const query = async (sql: string, values?: unknown[]): Promise<unknown> => (await client.query(sql, values)).rows;
  return { client, within: { query } };
}

/** Locks the batch's row as a review does, until this transaction ends. */
async function reviewing(id: string): Promise<Client> {
  const { client } = await begin();
  await client.query("SELECT FROM tickwheel.batch WHERE id = $1 FOR UPDATE", [id]);
  return client;
}

async function complete(client: Client, id: string): Promise<void> {
  await client.query("UPDATE tickwheel.batch SET state = 'complete', finished_at = now() WHERE id = $1", [id]);
  await client.query("COMMIT");
}

async function untilWaiting(): Promise<void> {
  const observer = await scene.client();
  await eventually(async () => {
    const { rows } = await observer.query("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
    expect(rows.length).toBeGreaterThan(0);
  });
  await observer.end();
}

const ids = (tasks: readonly { id: string }[]): string[] => tasks.map(({ id }) => id);
const ref = (id: string) => ({ namespace: NAMESPACE, id });

// Each is a way to break [batch-complete].
describe("members that are added", () => {
  test("members that are added before a seal are members: the seal waits for their commit, and the batch for their end", async () => {
    const { batch } = await batches.make();
    const { client, within } = await begin();
    const [member] = batches.members(1);
    const request = { ...ref(batch.id), members: [member!], idempotency: null };
    expect((await stores.batches.add(request, { members: 10 }, within)).outcome).toBe("added");
    const seal = stores.batches.seal(ref(batch.id));
    await untilWaiting();
    expect(await batches.review(batch.id)).toBeNull();
    await client.query("COMMIT");
    expect(await seal).toMatchObject({ outcome: "changed", batch: { state: "open", counts: { total: 1 } } });
    expect(await batches.review(batch.id)).toBeNull();
    await batches.succeed([member!.id]);
    expect((await batches.review(batch.id))!.batch.state).toBe("complete");
  });

  test("members that are added near the limit wait for each other's commits, so they do not go beyond it together", async () => {
    for (const [end, outcome] of [
      ["COMMIT", "full"],
      ["ROLLBACK", "added"],
    ] as const) {
      const { batch } = await batches.make();
      const { client, within } = await begin();
      const request = () => ({ ...ref(batch.id), members: batches.members(6), idempotency: null });
      expect((await stores.batches.add(request(), { members: 10 }, within)).outcome).toBe("added");
      const other = stores.batches.add(request(), { members: 10 });
      await untilWaiting();
      await client.query(end);
      expect((await other).outcome).toBe(outcome);
      expect((await batches.get(batch.id)).counts.total).toBe(6);
    }
  });

  test("members that are added near the limit by many callers at once fill the batch and not more", async () => {
    const { batch } = await batches.make();
    const add = () =>
      stores.batches.add({ ...ref(batch.id), members: batches.members(2), idempotency: null }, { members: 10 });
    const replies = await Promise.all(Array.from({ length: 20 }, add));
    expect(replies.filter(({ outcome }) => outcome === "added").length).toBe(5);
    expect((await batches.get(batch.id)).counts.total).toBe(10);
  });

  test("members that are added near the limit make a seal wait, which holds up none of them for good", async () => {
    const { batch } = await batches.make();
    const { client, within } = await begin();
    const request = () => ({ ...ref(batch.id), members: batches.members(2), idempotency: null });
    expect((await stores.batches.add(request(), { members: 10 }, within)).outcome).toBe("added");
    const other = stores.batches.add(request(), { members: 10 });
    await untilWaiting();
    const seal = stores.batches.seal(ref(batch.id));
    await client.query("COMMIT");
    expect((await seal).outcome).toBe("changed");
    expect(["added", "sealed"]).toContain((await other).outcome);
    const { counts } = await batches.get(batch.id);
    expect(counts.total).toBe((await other).outcome === "added" ? 4 : 2);
  });

  test("members that are added far from the limit do not wait for each other", async () => {
    const { batch } = await batches.make();
    const { client, within } = await begin();
    const request = () => ({ ...ref(batch.id), members: batches.members(1), idempotency: null });
    expect((await stores.batches.add(request(), { members: 100 }, within)).outcome).toBe("added");
    expect((await stores.batches.add(request(), { members: 100 })).outcome).toBe("added");
    await client.query("COMMIT");
  });

  test("members that are added behind a seal are refused, and behind a seal that is rolled back they are added", async () => {
    for (const [end, outcome] of [
      ["COMMIT", "sealed"],
      ["ROLLBACK", "added"],
    ] as const) {
      const { batch } = await batches.make();
      const { client, within } = await begin();
      await stores.batches.seal(ref(batch.id), within);
      const added = batches.add(batch.id, batches.members(1));
      await untilWaiting();
      await client.query(end);
      expect(await added).toBe(outcome);
      expect((await batches.get(batch.id)).counts.total).toBe(outcome === "added" ? 1 : 0);
    }
  });

  test("members that are added in a transaction that is rolled back are none, and leave nothing behind", async () => {
    const { batch } = await batches.make();
    const { client, within } = await begin();
    const request = { ...ref(batch.id), members: batches.members(3), idempotency: null };
    await stores.batches.add(request, { members: 10 }, within);
    await client.query("ROLLBACK");
    expect((await batches.get(batch.id)).counts.total).toBe(0);
    expect(await batches.states(batch.id)).toEqual({});
  });
});

describe("a member that spawns", () => {
  test("a member that spawns is live until the statement that ends it commits, and its children from then on", async () => {
    const { batch, tasks } = await batches.make({ isSealed: true }, batches.members(1));
    const [claimed] = await batches.claim(ids(tasks));
    const { client, within } = await begin();
    const [child] = batches.members(1);
    const completion = {
      id: claimed!.id,
      owner: claimed!.owner,
      fence: claimed!.fence,
      startedAt: Date.now(),
      result: null,
      isMember: true,
      spawned: [child!],
    };
    expect(await stores.tasks.completeWithin(completion, within)).not.toBeNull();
    expect(await batches.review(batch.id)).toBeNull();
    await client.query("COMMIT");
    expect(await batches.review(batch.id)).toBeNull();
    expect((await batches.get(batch.id)).counts).toMatchObject({ total: 2, succeeded: 1 });
    // A statement that is sent again, because its answer was lost, finds its row gone.
    await stores.tasks.settle([{ kind: "succeeded", ...completion }]);
    expect((await batches.get(batch.id)).counts).toMatchObject({ total: 2, succeeded: 1 });
    await batches.succeed([child!.id]);
    expect((await batches.review(batch.id))!.batch.counts).toMatchObject({ total: 2, succeeded: 2 });
  });

  test("a member spawns nothing from a transaction that is rolled back, or once it was taken over", async () => {
    const { batch, tasks } = await batches.make({ isSealed: true }, batches.members(1));
    const [claimed] = await batches.claim(ids(tasks));
    const { client, within } = await begin();
    const completion = {
      id: claimed!.id,
      owner: claimed!.owner,
      fence: claimed!.fence,
      startedAt: Date.now(),
      result: null,
      isMember: true,
      spawned: batches.members(2),
    };
    await stores.tasks.completeWithin(completion, within);
    await client.query("ROLLBACK");
    await stores.tasks.release([{ ...completion, reason: "DRAIN" }]);
    expect(await stores.tasks.settle([{ kind: "succeeded", ...completion }])).toEqual([null]);
    expect((await batches.get(batch.id)).counts).toMatchObject({ total: 1, succeeded: 0 });
    expect(await batches.states(batch.id)).toEqual({ scheduled: 1 });
  });
});

describe("a retry of a dead member", () => {
  test("a retry of a dead member that has not committed holds the batch open: it does not complete beside the retry", async () => {
    const { batch, tasks } = await batches.make({ isSealed: true }, batches.members(1));
    await batches.kill(ids(tasks));
    const { client, within } = await begin();
    const retried = await stores.tasks.retry({ ...ref(tasks[0]!.id), actor: "test" }, within);
    expect(retried.outcome).toBe("scheduled");
    expect(await batches.review(batch.id)).toBeNull();
    await client.query("COMMIT");
    expect(await batches.review(batch.id)).toBeNull();
    expect((await batches.get(batch.id)).state).toBe("open");
  });

  test("a retry of a dead member that waits for a review comes back into a complete batch, which stays complete", async () => {
    const { batch, tasks } = await batches.make({ isSealed: true, onSuccess: batches.followUp() }, batches.members(1));
    await batches.kill(ids(tasks));
    const review = await reviewing(batch.id);
    const retry = stores.tasks.retry({ ...ref(tasks[0]!.id), actor: "test" });
    await untilWaiting();
    await complete(review, batch.id);
    expect((await retry).outcome).toBe("scheduled");
    expect(await batches.get(batch.id)).toMatchObject({ state: "complete", counts: { total: 1, dead: 0 } });
    await batches.succeed(ids(tasks));
    const reviewed = await batches.review(batch.id);
    expect(reviewed!.batch).toMatchObject({ state: "complete", counts: { succeeded: 1 } });
    expect([reviewed!.change.makesOnSuccess, reviewed!.created.length]).toEqual([true, 1]);
    expect(await batches.review(batch.id)).toBeNull();
  });
});

describe("a cancel", () => {
  test("a cancel of a batch that waits for a review which completes the batch is refused", async () => {
    const { batch } = await batches.make({ isSealed: true });
    const review = await reviewing(batch.id);
    const cancel = stores.batches.cancel({ ...ref(batch.id), actor: "test" });
    await untilWaiting();
    await complete(review, batch.id);
    expect((await cancel).outcome).toBe("state_conflict");
  });

  test("a cancel of a batch takes back what waits, asks what runs once, and no end of the batch happens", async () => {
    const { batch, tasks } = await batches.make(
      { isSealed: true, onComplete: batches.followUp(), onSuccess: batches.followUp() },
      batches.members(3),
    );
    const [running] = await batches.claim([tasks[0]!.id]);
    expect((await stores.batches.cancel({ ...ref(batch.id), actor: "test" })).outcome).toBe("changed");
    expect((await stores.batches.cancel({ ...ref(batch.id), actor: "test" })).outcome).toBe("unchanged");
    const stopped = await stores.batches.stopMembers({ id: batch.id, limit: 10 });
    expect(stopped.cancelled.toSorted()).toEqual(ids(tasks.slice(1)).toSorted());
    expect(stopped.asked).toEqual([{ id: running!.id, owner: running!.owner, fence: running!.fence }]);
    expect(await stores.batches.stopMembers({ id: batch.id, limit: 10 })).toEqual({ cancelled: [], asked: [] });
    expect(await batches.review(batch.id)).toBeNull();
    // It spawns before it hears of the cancel: its child is taken back by the next round.
    const { id, owner, fence } = running!;
    const end = { id, owner, fence, startedAt: Date.now(), result: null, isMember: true, spawned: batches.members(1) };
    await stores.tasks.settle([{ kind: "succeeded", ...end }]);
    expect((await batches.get(batch.id)).isStopping).toBe(true);
    expect((await stores.batches.stopMembers({ id: batch.id, limit: 10 })).cancelled).toHaveLength(1);
    const reviewed = await batches.review(batch.id);
    expect(reviewed!.change).toEqual({ hasStopped: true });
    expect(reviewed!.batch).toMatchObject({
      state: "cancelled",
      isStopping: false,
      onCompleteId: null,
      onSuccessId: null,
      counts: { total: 4, succeeded: 1, cancelled: 3, dead: 0, expired: 0 },
    });
  });
});

describe("several checkers", () => {
  test("several checkers complete a batch once, and make its follow-up once", async () => {
    const { batch, tasks } = await batches.make(
      { isSealed: true, onComplete: batches.followUp({ once: true }) },
      batches.members(1),
    );
    await batches.succeed(ids(tasks));
    const nodes = [scene.open(), scene.open(), scene.open()];
    const scenes = await Promise.all(nodes.map((node) => BatchScenes.open(node)));
    const reviews = await Promise.all(Array.from({ length: 12 }, (_, index) => scenes[index % 3]!.review(batch.id)));
    const done = reviews.filter((review) => review !== null);
    expect(done).toHaveLength(1);
    expect(done[0]!.created).toHaveLength(1);
  });

  test("several checkers fold what is tallied meanwhile, and count each member once", async () => {
    const { batch, tasks } = await batches.make({ isSealed: true }, batches.members(300));
    const nodes = [scene.open(), scene.open()];
    const folding = new AbortController();
    const folds = nodes.map(async (node) => {
      while (!folding.signal.aborted) await node.batches.fold();
    });
    const parts = Array.from({ length: 30 }, (_, part) => ids(tasks).slice(part * 10, part * 10 + 10));
    await Promise.all(parts.map((part) => batches.succeed(part)));
    folding.abort();
    await Promise.all(folds);
    await stores.batches.fold();
    expect((await batches.get(batch.id)).counts).toMatchObject({ total: 300, succeeded: 300 });
    const { rows } = await (
      await scene.client()
    ).query("SELECT total, succeeded FROM tickwheel.batch WHERE id = $1", [batch.id]);
    expect(rows).toEqual([{ total: "300", succeeded: "300" }]);
  });
});

describe("a batch that asks for it", () => {
  test("a batch that asks for it stops at its first dead member, and completes when the others are taken back", async () => {
    const { batch, tasks } = await batches.make(
      { isSealed: true, failFast: true, onComplete: batches.followUp() },
      batches.members(3),
    );
    await batches.kill([tasks[0]!.id]);
    await stores.batches.fold();
    const due = await stores.batches.toReview({ mostMembers: 10, limit: 10, after: null, of: [batch.id] });
    expect(due).toEqual([{ id: batch.id, isStopping: false, isRetrying: false }]);
    expect((await batches.review(batch.id))!.change).toEqual({ stops: "FAIL_FAST" });
    await stores.batches.stopMembers({ id: batch.id, limit: 10 });
    const reviewed = await batches.review(batch.id);
    expect(reviewed!.batch).toMatchObject({ state: "complete", counts: { dead: 1, cancelled: 2 }, isStopping: false });
    expect(reviewed!.created).toHaveLength(1);
  });

  test("a batch that asks for it names at its deadline who is not done, retries the dead once, and completes behind that", async () => {
    const { batch, tasks } = await batches.make(
      { isSealed: true, retryDead: true, deadlineAt: Date.now() - 1 },
      batches.members(2),
    );
    await batches.kill([tasks[0]!.id]);
    const checked = await batches.review(batch.id);
    expect(checked!.change).toEqual({ checksDeadline: true, beginsRetries: true });
    expect(checked!.batch.leftovers).toEqual({
      count: 2,
      named: [
        { id: tasks[1]!.id, type: "settle", key: null, state: "scheduled" },
        { id: tasks[0]!.id, type: "settle", key: null, state: "dead" },
      ],
    });
    await batches.succeed([tasks[1]!.id]);
    expect(await batches.review(batch.id)).toBeNull();
    const dead = await stores.batches.deadMembers({ id: batch.id, limit: 10, after: null });
    expect(dead).toEqual([{ id: tasks[0]!.id, namespace: NAMESPACE }]);
    await stores.tasks.retry({ ...ref(tasks[0]!.id), actor: "test" });
    expect(await stores.batches.deadMembers({ id: batch.id, limit: 10, after: null })).toEqual([]);
    await stores.batches.endRetries(batch.id);
    await batches.kill([tasks[0]!.id]);
    expect((await batches.review(batch.id))!.batch).toMatchObject({
      state: "complete",
      counts: { succeeded: 1, dead: 1 },
    });
  });
});
