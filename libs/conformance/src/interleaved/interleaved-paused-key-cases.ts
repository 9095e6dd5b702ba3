import assert from "node:assert/strict";
import { changed, SettingScene } from "../cluster/setting-scene.js";
import { Interleaving, type InterleavingCase } from "../subject/interleaving.js";
import type { Scenario } from "../subject/scenario.js";

/** A due task of a key that is paused. The key is the namespace's name, so no other case pauses it. */
async function pausedKey(scene: Scenario, until: number | null = null) {
  const setting = new SettingScene(scene);
  const key = scene.namespace;
  const { id } = await scene.create({ key });
  await setting.pause(setting.key(key), { until });
  return { setting, id, key, subject: setting.key(key), claim: () => setting.claimBeside([key], [id]) };
}

/** Claims that believe in the pause of a key, against its end. */
export const interleavedPausedKeyCases: InterleavingCase[] = [
  {
    name: "the end of a key's pause waits for a claim that believes in it, so the next look resumes what that has paused",
    run: Interleaving.of(async (order, scene) => {
      const { setting, id, subject, claim } = await pausedKey(scene);
      const open = await order.holdWrites(id);
      const claiming = await order.waits(claim);
      const resuming = await order.waits(() => setting.resume(subject));
      await open();
      assert.deepEqual(await claiming.reply, []);
      changed(await resuming.reply);
      assert.deepEqual(await setting.look(id), [id]);
      assert.equal(await scene.state(id), "scheduled");
    }),
  },
  {
    name: "a claim that still believes in a key's pause waits for the end of it, and takes the task once that is committed",
    run: Interleaving.of(async (order, scene) => {
      const { setting, id, subject, claim } = await pausedKey(scene);
      await scene.advance(1);
      const open = await order.holdClusterWrites({ pause: subject });
      const resuming = await order.waits(() => setting.resume(subject));
      const claiming = await order.waits(claim);
      await open();
      changed(await resuming.reply);
      assert.deepEqual(await claiming.reply, [id]);
    }),
  },
  {
    name: "a claim that believes in a key's pause and commits after its end was looked at is undone by the next look",
    run: Interleaving.of(async (order, scene) => {
      const { setting, id, claim } = await pausedKey(scene, scene.now() + 100);
      const open = await order.holdWrites(id);
      const claiming = await order.waits(claim);
      await scene.advance(100);
      assert.deepEqual(await order.passes(() => setting.look(id)), []);
      await open();
      assert.deepEqual(await claiming.reply, []);
      assert.equal(await scene.state(id), "paused");
      changed(await setting.set({ concurrency: 1 }));
      assert.deepEqual(await setting.look(id), [id]);
    }),
  },
  {
    name: "of two looks at once one resumes the task, and the other waits for nobody",
    run: Interleaving.of(async (order, scene) => {
      const { setting, id, subject, claim } = await pausedKey(scene);
      await claim();
      await setting.resume(subject);
      const open = await order.holdWrites(id);
      const first = await order.waits(() => setting.look(id));
      assert.deepEqual(await order.passes(() => setting.look(id)), []);
      await open();
      assert.deepEqual(await first.reply, [id]);
      assert.deepEqual(await setting.look(id), []);
    }),
  },
  {
    name: "a look whose snapshot is older than somebody's resume and pause of the task leaves it paused",
    run: Interleaving.of(async (order, scene) => {
      const { setting, id, subject, claim } = await pausedKey(scene);
      await claim();
      await setting.resume(subject);
      await scene.advance(1);
      const open = await order.holdNextStatement();
      const late = await order.waits(() => setting.look(id));
      await order.passes(() => scene.resume(id));
      await order.passes(() => scene.pause(id));
      await open();
      assert.deepEqual(await late.reply, []);
      assert.equal(await scene.state(id), "paused");
    }),
  },
];
