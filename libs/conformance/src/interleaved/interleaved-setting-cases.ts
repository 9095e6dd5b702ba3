import assert from "node:assert/strict";
import { FIRST_VITALS } from "@tickwheel/core";
import { changed, SettingScene } from "../cluster/setting-scene.js";
import { Interleaving, type InterleavingCase } from "../subject/interleaving.js";
import { joinNode, labelOf, Scenario, unknownBootId } from "../subject/scenario.js";

/** Changes of settings against each other, and against those who obey them. */
export const interleavedSettingCases: InterleavingCase[] = [
  {
    name: "a change of the settings waits for the one before it, so revisions rise in the order of the commits",
    run: Interleaving.of(async (order, scene) => {
      const one = new SettingScene(scene);
      const other = new SettingScene(await Scenario.open(order.subject));
      const before = await one.store.readSettings();
      const open = await order.holdClusterWrites("revision");
      const first = await order.waits(() => one.set({ concurrency: 7 }));
      const seen = await order.passes(() => one.store.readSettings());
      assert.deepEqual([seen.revision, await one.concurrency(seen)], [before.revision, null]);
      const second = await order.waits(() => other.set({ concurrency: 8 }));
      const beat = await order.passes(() => order.cluster.beat(scene.node, FIRST_VITALS));
      assert.deepEqual(beat?.settings, before.revision);
      await open();
      const earlier = changed(await first.reply);
      const later = changed(await second.reply);
      assert.deepEqual([earlier.number, later.number], [before.revision.number + 1, before.revision.number + 2]);
      const after = await one.store.readSettings();
      assert.deepEqual([after.revision, await one.concurrency(after), await other.concurrency(after)], [later, 7, 8]);
    }),
  },
  {
    name: "an equal change waits for the change before it, and then changes nothing",
    run: Interleaving.of(async (order, scene) => {
      const setting = new SettingScene(scene);
      const open = await order.holdClusterWrites("revision");
      const first = await order.waits(() => setting.pause(setting.type));
      const second = await order.waits(() => setting.pause(setting.type));
      await open();
      const revision = changed(await first.reply);
      assert.deepEqual(await second.reply, { outcome: "unchanged", revision });
    }),
  },
  {
    name: "settings are read with their own revision, while changes are written",
    run: Interleaving.of(async (_order, scene) => {
      const setting = new SettingScene(scene);
      const numbers = new Map<number, number>();
      const changes = (async () => {
        for (let concurrency = 1; concurrency <= 50; concurrency++)
          numbers.set(changed(await setting.set({ concurrency })).number, concurrency);
      })();
      const reads: [number, number | null][] = [];
      const reading = (async () => {
        for (let count = 0; count < 50; count++) {
          const settings = await setting.store.readSettings();
          reads.push([settings.revision.number, await setting.concurrency(settings)]);
        }
      })();
      await Promise.all([changes, reading]);
      const begun = Math.min(...numbers.keys());
      for (const [number, concurrency] of reads)
        assert.equal(concurrency, number < begun ? null : numbers.get(number), `under revision ${number}`);
    }),
  },
  {
    name: "a node that joins beside a change is not waited for, and reads the change once it has joined",
    run: Interleaving.of(async (order, scene) => {
      const setting = new SettingScene(scene);
      const joiner = unknownBootId();
      const open = await order.holdClusterWrites({ node: joiner });
      const joining = await order.waits(() => joinNode(order.subject, [], joiner));
      const revision = changed(await order.passes(() => setting.set({ concurrency: 11 })));
      assert.ok(!(await order.passes(() => setting.store.nodesBehind(revision)))!.includes(labelOf(joiner)));
      await open();
      await joining.reply;
      const read = await setting.store.readSettings();
      assert.deepEqual([read.revision, await setting.concurrency(read)], [revision, 11]);
    }),
  },
  {
    name: "a beat that waits for its row brings the revision from before the wait, and the next one the new revision",
    run: Interleaving.of(async (order, scene) => {
      const setting = new SettingScene(scene);
      const { revision } = await setting.store.readSettings();
      const open = await order.holdClusterWrites({ heartbeat: scene.node });
      const beating = await order.waits(() => order.cluster.beat(scene.node, FIRST_VITALS));
      const next = changed(await order.passes(() => setting.set({ concurrency: 14 })));
      await open();
      assert.deepEqual((await beating.reply)?.settings, revision);
      assert.deepEqual((await order.cluster.beat(scene.node, FIRST_VITALS))?.settings, next);
    }),
  },
  {
    name: "a pause does not wait for a claim in flight: its node is behind until it has given back what that took",
    run: Interleaving.of(async (order, scene) => {
      const setting = new SettingScene(scene);
      const { id } = await scene.create();
      const open = await order.holdWrites(id);
      const claiming = await order.waits(() => scene.claim([id]));
      const revision = changed(await order.passes(() => setting.pause(setting.type)));
      assert.deepEqual(await order.passes(() => setting.behind(revision, scene.node)), [scene.node]);
      await open();
      const [claimed] = await claiming.reply;
      assert.equal(claimed?.id, id);
      const [released] = await order.store.release([
        { id, owner: scene.node, fence: claimed!.fence, reason: "NOT_STARTED" },
      ]);
      assert.equal(released?.state, "scheduled");
      await setting.obey(scene.node, revision);
      assert.deepEqual(await setting.behind(revision, scene.node), []);
    }),
  },
  {
    name: "a death that is not committed yet is waited for, since its node may still claim",
    run: Interleaving.of(async (order, scene) => {
      const setting = new SettingScene(scene);
      await scene.join();
      const leader = await order.lead();
      const open = await order.holdClusterWrites({ node: scene.node });
      const declaring = await order.waits(() => order.declareDead(scene.node, leader));
      const revision = changed(await order.passes(() => setting.pause(setting.type)));
      assert.deepEqual(await order.passes(() => setting.behind(revision, scene.node)), [scene.node]);
      await open();
      assert.equal(await declaring.reply, "dead");
      assert.deepEqual(await setting.behind(revision, scene.node), []);
    }),
  },
];
