import assert from "node:assert/strict";
import type { BootId, ClaimReply, DeathVerdict } from "@tickwheel/core";
import { Interleaving, type InterleavingCase } from "../subject/interleaving.js";
import type { Scenario } from "../subject/scenario.js";

function claim({ store }: Scenario, owner: BootId, ...ids: string[]): Promise<ClaimReply> {
  return store.claim({ owner, ids, claimAheadMs: 0 });
}

function idsOf({ tasks }: ClaimReply): string[] {
  return tasks.map(({ id }) => id);
}

async function nodeState({ subject }: Interleaving, bootId: BootId): Promise<string | undefined> {
  return (await subject.cluster().readNodes()).find((node) => node.bootId === bootId)?.state;
}

/** Claims against claims and requests. */
const rowCases: InterleavingCase[] = [
  {
    name: "a claim skips a row that an open transaction has changed, and takes the rest",
    run: Interleaving.of(async (order, scene) => {
      const { namespace, store } = scene;
      const held = await scene.create();
      const free = await scene.create();
      const edit = { namespace, id: held.id, changes: { priority: 1 }, actor: "a" };
      const editing = await order.begin((within) => store.edit(edit, within));
      const reply = await order.passes(() => claim(scene, scene.node, held.id, free.id));
      assert.deepEqual(idsOf(reply), [free.id]);
      await editing.rollBack();
      assert.deepEqual(idsOf(await claim(scene, scene.node, held.id)), [held.id]);
    }),
  },
  {
    name: "a claim skips a row that another claim is about to write, and takes the rest",
    run: Interleaving.of(async (order, scene) => {
      const rival = await scene.join();
      const wanted = await scene.create();
      const free = await scene.create();
      const open = await order.holdWrites(wanted.id);
      const first = await order.waits(() => claim(scene, scene.node, wanted.id));
      const second = await order.passes(() => claim(scene, rival, wanted.id, free.id));
      assert.deepEqual(idsOf(second), [free.id]);
      await open();
      assert.deepEqual(idsOf(await first.reply), [wanted.id]);
      const task = await scene.get(wanted.id);
      assert.deepEqual([task.owner, task.fence, task.attempt], [scene.node, 1, 1]);
    }),
  },
  {
    name: "a claim whose snapshot is older than another's claim takes nothing",
    run: Interleaving.of(async (order, scene) => {
      const rival = await scene.join();
      const { id } = await scene.create();
      const open = await order.holdNextStatement();
      const late = await order.waits(() => claim(scene, scene.node, id));
      assert.deepEqual(idsOf(await order.passes(() => claim(scene, rival, id))), [id]);
      await open();
      assert.deepEqual(idsOf(await late.reply), []);
      const task = await scene.get(id);
      assert.deepEqual([task.owner, task.fence, task.attempt], [rival, 1, 1]);
    }),
  },
  {
    name: "a claim whose snapshot is older than an archive and a retry of its task takes nothing, since the task has a new row",
    run: Interleaving.of(async (order, scene) => {
      const rival = await scene.join();
      const { id } = await scene.create();
      const open = await order.holdNextStatement();
      const late = await order.waits(() => claim(scene, scene.node, id));
      await order.passes(async () => {
        await scene.succeed(await scene.reclaim(id, rival));
        while ((await scene.store.archive(100_000)) > 0);
      });
      assert.equal((await order.passes(() => scene.retry(id))).outcome, "scheduled");
      await open();
      assert.deepEqual(idsOf(await late.reply), []);
      assert.deepEqual(idsOf(await claim(scene, rival, id)), [id]);
    }),
  },
  {
    name: "a claim does not take tasks that were put off or cancelled after its snapshot",
    run: Interleaving.of(async (order, scene) => {
      const { namespace, store } = scene;
      const moved = await scene.create();
      const cancelled = await scene.create();
      const left = await scene.create();
      const open = await order.holdNextStatement();
      const late = await order.waits(() => claim(scene, scene.node, moved.id, cancelled.id, left.id));
      const changes = { due: { delayMs: 60_000 } };
      await order.passes(() => store.edit({ namespace, id: moved.id, changes, actor: "a" }));
      await order.passes(() => scene.cancel(cancelled.id));
      await open();
      assert.deepEqual(idsOf(await late.reply), [left.id]);
      assert.deepEqual([await scene.state(moved.id), await scene.state(cancelled.id)], ["scheduled", "cancelled"]);
    }),
  },
  {
    name: "an unfinished claim keeps its node neither from claiming nor from changing its types",
    run: Interleaving.of(async (order, scene) => {
      const first = await scene.create();
      const second = await scene.create();
      const open = await order.holdWrites(first.id);
      const claiming = await order.waits(() => claim(scene, scene.node, first.id));
      const beside = await order.passes(() => claim(scene, scene.node, second.id));
      assert.deepEqual(idsOf(beside), [second.id]);
      assert.equal(await order.passes(() => order.cluster.updateTypes(scene.node, [])), true);
      await open();
      assert.deepEqual(idsOf(await claiming.reply), [first.id]);
    }),
  },
  {
    name: "the tasks that run under a node are read from a snapshot: without waiting, before a claim's commit and after it",
    run: Interleaving.of(async (order, scene) => {
      const { id } = await scene.create();
      const open = await order.holdWrites(id);
      const claiming = await order.waits(() => claim(scene, scene.node, id));
      assert.deepEqual(await order.passes(() => scene.store.runningUnder(scene.node)), []);
      await open();
      await claiming.reply;
      const openAgain = await order.holdWrites(id);
      const [execution] = await scene.store.runningUnder(scene.node);
      const settling = await order.waits(() => order.settle(order.success({ id, owner: scene.node, fence: 1 })));
      assert.deepEqual(await order.passes(() => scene.store.runningUnder(scene.node)), [execution]);
      await openAgain();
      await settling.reply;
      assert.deepEqual(await scene.store.runningUnder(scene.node), []);
    }),
  },
];

/** The three ways to end a node's right to claim; each answers its result. */
const FENCES: { name: string; run: (order: Interleaving, node: BootId) => Promise<DeathVerdict | boolean | void> }[] = [
  { name: "verdict", run: async (order, node) => order.declareDead(node, await order.lead()) },
  { name: "goodbye", run: (order, node) => order.cluster.leave(node) },
  { name: "drain", run: (order, node) => order.cluster.startDraining(node) },
];

/**
 * Claims against statements that end their node's right to claim. The fenced node is not the last one that joined,
 * because its sessions may be ended.
 */
const fenceCases: InterleavingCase[] = FENCES.flatMap(({ name, run }): InterleavingCase[] => [
  {
    name: `a claim that waits for its node's ${name} takes nothing once that is committed`,
    run: Interleaving.of(async (order, scene) => {
      const { id } = await scene.create();
      await scene.join();
      const open = await order.holdClusterWrites({ node: scene.node });
      const fencing = await order.waits(() => run(order, scene.node));
      const claiming = await order.waits(() => claim(scene, scene.node, id));
      await open();
      await fencing.reply;
      assert.deepEqual({ ...(await claiming.reply) }, { fenced: true, tasks: [] });
      assert.equal(await scene.state(id), "scheduled");
    }),
  },
  {
    name: `a node's ${name} waits for its unfinished claim, and the claimed tasks are known afterwards`,
    run: Interleaving.of(async (order, scene) => {
      const { id } = await scene.create();
      await scene.join();
      const open = await order.holdWrites(id);
      const claiming = await order.waits(() => claim(scene, scene.node, id));
      const fencing = await order.waits(async () => {
        await run(order, scene.node);
        const owners = (await scene.store.deadOwners()).filter((owner) => owner === scene.node);
        const reaped = (await Promise.all(owners.map((owner) => scene.reap(owner)))).flat();
        return { reaped: reaped.map(({ hint }) => hint.id), left: await scene.store.runningUnder(scene.node) };
      });
      await open();
      assert.deepEqual(idsOf(await claiming.reply), [id]);
      const { reaped, left } = await fencing.reply;
      assert.deepEqual([...reaped, ...left.map((row) => row.id)], [id]);
    }),
  },
  {
    name: `a claim whose snapshot is older than its node's ${name} takes nothing`,
    run: Interleaving.of(async (order, scene) => {
      const { id } = await scene.create();
      await scene.join();
      const open = await order.holdNextStatement();
      const late = await order.waits(() => claim(scene, scene.node, id));
      await order.passes(() => run(order, scene.node));
      await open();
      assert.deepEqual({ ...(await late.reply) }, { fenced: true, tasks: [] });
      assert.equal(await scene.state(id), "scheduled");
    }),
  },
]);

const rolledBackVerdict: InterleavingCase = {
  name: "a claim that waits for a verdict takes its tasks when the verdict is rolled back because its leader was deposed",
  run: Interleaving.of(async (order, scene) => {
    const { id } = await scene.create();
    await scene.join();
    const leader = await order.lead();
    const open = await order.holdClusterWrites({ node: scene.node });
    const verdict = await order.waits(() => order.declareDead(scene.node, leader));
    const claiming = await order.waits(() => claim(scene, scene.node, id));
    await order.passes(() => order.lead());
    await open();
    assert.equal(await verdict.reply, "not_leader");
    assert.deepEqual(idsOf(await claiming.reply), [id]);
    assert.equal(await nodeState(order, scene.node), "live");
    const beats = await order.cluster.readBeats();
    assert.ok(beats.some(({ bootId }) => bootId === scene.node));
  }),
};

export const interleavedClaimCases: InterleavingCase[] = [...rowCases, ...fenceCases, rolledBackVerdict];
