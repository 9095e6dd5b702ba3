import assert from "node:assert/strict";
import { FIRST_VITALS, type BootId } from "@tickwheel/core";
import { Interleaving, type InterleavingCase } from "../subject/interleaving.js";
import { unknownBootId } from "../subject/scenario.js";

async function nodeState({ cluster }: Interleaving, bootId: BootId): Promise<string | undefined> {
  return (await cluster.readNodes()).find((node) => node.bootId === bootId)?.state;
}

const termCases: InterleavingCase[] = [
  {
    name: "when two candidates have seen the same term, the first takes it, and the second, which waits, does not",
    run: Interleaving.of(async (order) => {
      const one = unknownBootId();
      const two = unknownBootId();
      const seen = await order.cluster.readTerm();
      const open = await order.holdClusterWrites("term");
      const first = await order.waits(() => order.cluster.takeTerm(one, seen));
      const second = await order.waits(() => order.cluster.takeTerm(two, seen));
      await open();
      assert.deepEqual({ ...(await first.reply) }, { term: seen.term + 1, holder: one });
      assert.equal(await second.reply, null);
      assert.equal((await order.cluster.readTerm()).holder, one);
    }),
  },
  {
    name: "a candidate that waits for the holder's beat does not take the term",
    run: Interleaving.of(async (order) => {
      const leader = await order.lead();
      const seen = await order.cluster.readTerm();
      const open = await order.holdClusterWrites("term");
      const keeping = await order.waits(() => order.cluster.keepTerm(leader));
      const taking = await order.waits(() => order.cluster.takeTerm(unknownBootId(), seen));
      await open();
      assert.equal(await keeping.reply, true);
      assert.equal(await taking.reply, null);
    }),
  },
  {
    name: "a leader that waits for a candidate has lost its term: it keeps, publishes and declares nothing",
    run: Interleaving.of(async (order, scene) => {
      const leader = await order.lead();
      const before = await order.cluster.readView();
      await scene.join();
      const seen = await order.cluster.readTerm();
      const open = await order.holdClusterWrites("term");
      const taking = await order.waits(() => order.cluster.takeTerm(unknownBootId(), seen));
      const keeping = await order.waits(() => order.cluster.keepTerm(leader));
      const publishing = await order.waits(() => order.cluster.publishView([], leader));
      const declaring = await order.waits(() => order.declareDead(scene.node, leader));
      await open();
      assert.ok(await taking.reply);
      assert.equal(await keeping.reply, false);
      assert.equal(await publishing.reply, null);
      assert.equal(await declaring.reply, "not_leader");
      assert.deepEqual(await order.cluster.readView(), before);
      assert.equal(await nodeState(order, scene.node), "live");
    }),
  },
  {
    name: "a leader whose term is taken while it publishes a view publishes nothing",
    run: Interleaving.of(async (order) => {
      const leader = await order.lead();
      const before = await order.cluster.readView();
      const open = await order.holdClusterWrites("view");
      const publishing = await order.waits(() => order.cluster.publishView([], leader));
      await order.passes(() => order.lead());
      await open();
      assert.equal(await publishing.reply, null);
      assert.deepEqual(await order.cluster.readView(), before);
    }),
  },
  {
    name: "views that are published at the same time get consecutive numbers",
    run: Interleaving.of(async (order) => {
      const leader = await order.lead();
      const before = await order.cluster.readView();
      const open = await order.holdClusterWrites("view");
      const first = await order.waits(() => order.cluster.publishView([], leader));
      const second = await order.waits(() => order.cluster.publishView([], leader));
      await open();
      const number = before?.number ?? 0;
      assert.deepEqual([(await first.reply)?.number, (await second.reply)?.number], [number + 1, number + 2]);
    }),
  },
];

const verdictCases: InterleavingCase[] = [
  {
    name: "a verdict that waits for the node's beat is dropped",
    run: Interleaving.of(async (order, scene) => {
      const leader = await order.lead();
      await scene.join();
      const open = await order.holdClusterWrites({ heartbeat: scene.node });
      const beating = await order.waits(() => order.cluster.beat(scene.node, FIRST_VITALS));
      const declaring = await order.waits(() => order.declareDead(scene.node, leader));
      await open();
      const beat = await beating.reply;
      assert.equal(typeof beat?.beat, "number");
      assert.equal(await declaring.reply, "beat_moved");
      assert.equal(await nodeState(order, scene.node), "live");
      assert.equal((await order.cluster.beat(scene.node, FIRST_VITALS))?.beat, beat!.beat + 1);
    }),
  },
  {
    name: "a beat that waits for a verdict tells the node that it is dead",
    run: Interleaving.of(async (order, scene) => {
      const leader = await order.lead();
      await scene.join();
      const open = await order.holdClusterWrites({ node: scene.node });
      const declaring = await order.waits(() => order.declareDead(scene.node, leader));
      const beating = await order.waits(() => order.cluster.beat(scene.node, FIRST_VITALS));
      await open();
      assert.equal(await declaring.reply, "dead");
      assert.equal(await beating.reply, null);
    }),
  },
  {
    name: "a drain that waits for a verdict is too late",
    run: Interleaving.of(async (order, scene) => {
      const leader = await order.lead();
      await scene.join();
      const open = await order.holdClusterWrites({ node: scene.node });
      const declaring = await order.waits(() => order.declareDead(scene.node, leader));
      const draining = await order.waits(() => order.cluster.startDraining(scene.node));
      await open();
      assert.equal(await declaring.reply, "dead");
      assert.equal(await draining.reply, false);
      assert.equal(await nodeState(order, scene.node), "dead");
    }),
  },
];

export const interleavedClusterCases: InterleavingCase[] = [...termCases, ...verdictCases];
