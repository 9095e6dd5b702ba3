import { describe, expect, test } from "@jest/globals";
import { liveMembers, SystemRandom } from "@tickwheel/core";
import { reviewBy } from "@tickwheel/engine";
import type { PostgresStores } from "@tickwheel/postgres-store";
import { startForSpec } from "../support/start-for-spec.js";
import { BatchScenes, startBatches } from "./batches.scene.js";
import { joinNode, lead, NAMESPACE } from "./postgres-store.scene.js";

let stores: PostgresStores;
let batches: BatchScenes;

startForSpec(startBatches, (its) => ({ stores, batches } = its));

const ids = (tasks: readonly { id: string }[]): string[] => tasks.map(({ id }) => id);

describe("a batch", () => {
  test("a batch completes once when its members have ended, makes its follow-ups, and tells its counts", async () => {
    const { batch, tasks } = await batches.make(
      { name: "one", onComplete: batches.followUp({ sum: 1 }), onSuccess: batches.followUp({ all: true }) },
      batches.members(3),
    );
    expect([batch.state, batch.counts.total]).toEqual(["filling", 3]);
    expect(await batches.add(batch.id, batches.members(2))).toBe("added");
    expect(await batches.review(batch.id)).toBeNull();
    const { tasks: all } = await stores.batches.members({
      namespace: NAMESPACE,
      batchId: batch.id,
      states: [],
      limit: 10,
      after: null,
    });
    expect(all).toHaveLength(5);
    expect(all.every(({ batchId }) => batchId === batch.id)).toBe(true);
    await batches.succeed(ids(all));
    expect(await batches.review(batch.id)).toBeNull();
    expect((await batches.get(batch.id)).counts).toMatchObject({ total: 5, succeeded: 5 });
    await stores.batches.seal({ namespace: NAMESPACE, id: batch.id });
    expect(await batches.add(batch.id, batches.members(1))).toBe("sealed");
    const reviewed = await batches.review(batch.id);
    expect(reviewed!.batch).toMatchObject({ state: "complete", counts: { total: 5, succeeded: 5 } });
    expect(reviewed!.created.map(({ payload }) => payload)).toEqual(['{"sum":1}', '{"all":true}']);
    expect(await batches.review(batch.id)).toBeNull();
    while (await stores.batches.fold());
    expect((await batches.get(batch.id)).counts).toEqual({ total: 5, succeeded: 5, dead: 0, cancelled: 0, expired: 0 });
    expect(tasks).toHaveLength(3);
  });

  test("a batch that is empty completes as soon as it is sealed", async () => {
    const { batch } = await batches.make({ isSealed: true, onSuccess: batches.followUp() });
    const reviewed = await batches.review(batch.id);
    expect([reviewed!.batch.state, reviewed!.created.length]).toEqual(["complete", 1]);
  });

  test("a batch counts each way in which a member ends, and each way back", async () => {
    const { batch, tasks } = await batches.make({ isSealed: true }, [
      ...batches.members(4),
      batches.member({ key: "k" }),
      batches.member({ due: { delayMs: 0 }, startDeadlineMs: 0 }),
    ]);
    const [succeeded, dead, cancelled, bulkCancelled, keyed] = ids(tasks);
    await stores.tasks.expire({ typeIds: [batches.typeId], limit: 10 });
    await batches.succeed([succeeded!]);
    await batches.kill([dead!]);
    await stores.tasks.cancel({ target: { namespace: NAMESPACE, id: cancelled! }, actor: "test" });
    await stores.tasks.cancelScheduled({ requests: [{ namespace: NAMESPACE, id: bulkCancelled!, actor: "test" }] });
    await stores.tasks.create({ namespace: NAMESPACE, tasks: [batches.member({ key: "k", onConflict: "replace" })] });
    expect(keyed).toBeDefined();
    const counts = { total: 6, succeeded: 1, dead: 1, cancelled: 3, expired: 1 };
    expect((await batches.get(batch.id)).counts).toEqual(counts);
    expect(liveMembers(counts)).toBe(0);
    await stores.tasks.retry({ namespace: NAMESPACE, id: dead!, actor: "test" });
    await stores.tasks.retry({ namespace: NAMESPACE, id: succeeded!, actor: "test" });
    expect((await batches.get(batch.id)).counts).toEqual({ ...counts, succeeded: 0, dead: 0 });
    expect(await batches.review(batch.id)).toBeNull();
    await batches.succeed([dead!, succeeded!]);
    expect((await batches.get(batch.id)).counts).toEqual({ ...counts, succeeded: 2, dead: 0 });
    expect((await batches.review(batch.id))!.batch.state).toBe("complete");
  });

  test("a batch counts members that end with their attempts, with their node, or when they hear of a cancel", async () => {
    const own = await BatchScenes.open(stores);
    const { batch, tasks } = await own.make({ isSealed: true }, [own.member({ maxAttempts: 1 }), ...own.members(3)]);
    const claimed = await Promise.all(tasks.map(async ({ id }) => (await own.claim([id]))[0]!));
    const [failed, retried, cancelled, crashed] = claimed.map(({ id, owner, fence }) => ({ id, owner, fence }));
    const failure = { kind: "retry" as const, startedAt: Date.now(), delayMs: 0, error: "no" };
    await stores.tasks.settle([
      { ...failure, ...failed! },
      { ...failure, ...retried! },
    ]);
    await stores.tasks.cancel({ target: { namespace: NAMESPACE, id: cancelled!.id }, actor: "test" });
    await stores.tasks.release([{ ...cancelled!, reason: "DRAIN" }]);
    const counts = { total: 4, succeeded: 0, dead: 1, cancelled: 1, expired: 0 };
    expect((await own.get(batch.id)).counts).toEqual(counts);
    const leader = await lead(stores, await joinNode(stores));
    expect(await stores.cluster.declareDead({ bootId: own.owner, beat: 0, leader })).toBe("dead");
    const reap = { leader, owners: [crashed!.owner], maxCrashes: 1, limit: 10 };
    expect((await stores.tasks.reap(reap)).map(({ state }) => state)).toEqual(["dead"]);
    expect((await own.get(batch.id)).counts).toEqual({ ...counts, dead: 2 });
    expect(await own.states(batch.id)).toEqual({ dead: 2, cancelled: 1, scheduled: 1 });
  });

  test("a batch of which a member has just spawned too many is to be reviewed at once, before anything is folded", async () => {
    const { batch, tasks } = await batches.make({}, batches.members(1));
    while (await stores.batches.fold());
    const request = { mostMembers: 10, limit: 10, after: null };
    const isDue = async (): Promise<boolean> =>
      (await stores.batches.toReview({ ...request, of: [batch.id] })).some(({ id }) => id === batch.id);
    expect(await isDue()).toBe(false);
    await batches.succeed(ids(tasks), batches.members(10));
    expect(await isDue()).toBe(true);
    expect((await stores.batches.review(batch.id, reviewBy(10, new SystemRandom())))!.change).toEqual({
      stops: "TOO_MANY_MEMBERS",
    });
  });

  test("a batch is live through what a member spawns in the statement that ends it", async () => {
    const { batch, tasks } = await batches.make({ isSealed: true }, batches.members(1));
    const children = batches.members(2).map((child) => ({ ...child, tags: ["child"] }));
    await batches.succeed(ids(tasks), children);
    expect((await batches.get(batch.id)).counts).toMatchObject({ total: 3, succeeded: 1 });
    expect(await batches.review(batch.id)).toBeNull();
    const child = (await stores.tasks.get(NAMESPACE, children[0]!.id))!;
    expect(child).toMatchObject({ state: "scheduled", batchId: batch.id, tags: ["child"] });
    await batches.succeed(ids(children));
    expect((await batches.review(batch.id))!.batch.counts).toMatchObject({ total: 3, succeeded: 3 });
  });

  test("a batch gives its members' claims the batch and the shard", async () => {
    const members = batches.members(2).map((member, index) => ({ ...member, shard: { index, total: 2 } }));
    const { batch, tasks } = await batches.make({ shards: 2 }, members);
    const claimed = await batches.claim(ids(tasks));
    expect(claimed.map(({ member }) => member).toSorted((a, b) => a!.shard!.index - b!.shard!.index)).toEqual([
      { batchId: batch.id, shard: { index: 0, total: 2 } },
      { batchId: batch.id, shard: { index: 1, total: 2 } },
    ]);
    const plain = batches.member();
    await stores.tasks.create({ namespace: NAMESPACE, tasks: [plain] });
    expect((await batches.claim([plain.id]))[0]).not.toHaveProperty("member");
  });
});
