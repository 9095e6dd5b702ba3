import assert from "node:assert/strict";
import { answeredBy, LimitScene } from "../cluster/limit-scene.js";
import { changed } from "../cluster/setting-scene.js";
import { Interleaving, type InterleavingCase } from "../subject/interleaving.js";
import type { Scenario } from "../subject/scenario.js";

/** A limit of the scenario's type, and due tasks. */
async function limited(scene: Scenario, maxRunning: number, count: number) {
  const limits = new LimitScene(scene);
  const limitId = await limits.limit({ maxRunning });
  const ids = await limits.due(count);
  const claim = (given: readonly string[], owner?: string) => limits.claim(given, { limitIds: [limitId], owner });
  return { limits, limitId, ids, claim };
}

/** Claims within limits, against others. */
const claimCases: InterleavingCase[] = [
  {
    name: "a claim within a limit that another claim holds is refused at once, and then takes what that one has left",
    run: Interleaving.of(async (order, scene) => {
      const { limits, ids, claim } = await limited(scene, 5, 12);
      const rival = await scene.join();
      const open = await order.holdWrites(ids[0]!);
      const first = await order.waits(() => claim(ids.slice(0, 3)));
      assert.deepEqual(await order.passes(() => claim(ids.slice(6), rival)), { outcome: "taken" });
      await open();
      assert.deepEqual(answeredBy(await first.reply), { places: 5, fenced: false, ids: ids.slice(0, 3) });
      assert.deepEqual(answeredBy(await claim(ids.slice(6), rival)), {
        places: 2,
        fenced: false,
        ids: ids.slice(6, 8),
      });
      assert.deepEqual(answeredBy(await claim(ids.slice(8), rival)), { places: 0, fenced: false, ids: [] });
      assert.equal(await limits.running(ids), 5);
    }),
  },
  {
    name: "claims of two types that share their namespace's limit are not made at once, those without a limit in common are",
    run: Interleaving.of(async (order, scene) => {
      const { limits, limitId, ids } = await limited(scene, 5, 2);
      const other = await limits.addType("order.close");
      const ofOther = await limits.limit({ maxRunning: 5 }, other);
      const ofNamespace = await limits.limitNamespace({ maxRunning: 5 });
      const others = await limits.due(2, other);
      const open = await order.holdWrites(ids[0]!);
      const first = await order.waits(() => limits.claim(ids, { limitIds: [ofNamespace, limitId] }));
      const both = await order.passes(() => limits.claim(others, { limitIds: [ofOther, ofNamespace] }));
      assert.deepEqual(both, { outcome: "taken" });
      assert.deepEqual(await order.passes(() => limits.claimed(others, { limitIds: [ofOther] })), others);
      await open();
      assert.deepEqual(answeredBy(await first.reply).ids, ids);
    }),
  },
  {
    name: "an id whose row another transaction holds leaves its place to the next",
    run: Interleaving.of(async (order, scene) => {
      const { ids, claim } = await limited(scene, 3, 5);
      const { namespace, store } = scene;
      const edit = { namespace, id: ids[1]!, changes: { priority: 1 }, actor: "a" };
      const editing = await order.begin((within) => store.edit(edit, within));
      const reply = await order.passes(() => claim(ids));
      assert.deepEqual(answeredBy(reply), { places: 3, fenced: false, ids: [ids[0], ids[2], ids[3]] });
      await editing.commit();
    }),
  },
  {
    name: "an id that is put off after the claim's snapshot leaves its place to the next",
    run: Interleaving.of(async (order, scene) => {
      const { ids, claim } = await limited(scene, 2, 4);
      const { namespace, store } = scene;
      const open = await order.holdNextStatement();
      const late = await order.waits(() => claim(ids));
      const changes = { due: { delayMs: 60_000 } };
      await order.passes(() => store.edit({ namespace, id: ids[0]!, changes, actor: "a" }));
      await open();
      assert.deepEqual(answeredBy(await late.reply).ids, ids.slice(1, 3));
    }),
  },
  {
    name: "tasks that are changed after the claim's snapshot are judged as they are: a paused key's becomes paused, the rest is claimed",
    run: Interleaving.of(async (order, scene) => {
      const { limits, limitId, ids } = await limited(scene, 2, 1);
      const { namespace, store } = scene;
      const key = namespace;
      const paused = await scene.create({ key });
      const keyed = await scene.create({ key: `${key} too` });
      await limits.setting.pause(limits.setting.key(key));
      const given = [paused.id, keyed.id, ids[0]!];
      const open = await order.holdNextStatement();
      const late = await order.waits(() => limits.claim(given, { limitIds: [limitId], pausedKeys: [key] }));
      for (const { id } of [paused, keyed])
        await order.passes(() => store.edit({ namespace, id, changes: { priority: 1 }, actor: "a" }));
      await open();
      assert.deepEqual(answeredBy(await late.reply), { places: 2, fenced: false, ids: [keyed.id, ids[0]] });
      assert.equal(await scene.state(paused.id), "paused");
    }),
  },
  {
    name: "a node that is being declared dead waits with its claim within limits, and then claims nothing",
    run: Interleaving.of(async (order, scene) => {
      const { ids, claim } = await limited(scene, 2, 2);
      const victim = await scene.join();
      const leader = await order.lead();
      const open = await order.holdClusterWrites({ node: victim });
      const verdict = await order.waits(() => order.declareDead(victim, leader));
      const claiming = await order.waits(() => claim(ids, victim));
      assert.deepEqual(answeredBy(await order.passes(() => claim(ids.slice(0, 1)))).ids, ids.slice(0, 1));
      await open();
      assert.equal(await verdict.reply, "dead");
      assert.deepEqual(answeredBy(await claiming.reply), { places: 0, fenced: true, ids: [] });
    }),
  },
];

/** The limit's own row, against claims. */
const rowCases: InterleavingCase[] = [
  {
    name: "a change of a limit waits for the claim that holds it, and leaves what that took its places",
    run: Interleaving.of(async (order, scene) => {
      const { limits, limitId, ids, claim } = await limited(scene, 5, 6);
      const open = await order.holdWrites(ids[0]!);
      const claiming = await order.waits(() => claim(ids.slice(0, 3)));
      const changing = await order.waits(() => limits.setting.set({ maxRunning: 4 }));
      await open();
      assert.equal(answeredBy(await claiming.reply).ids.length, 3);
      changed(await changing.reply);
      assert.deepEqual(await limits.state(limitId), { running: 3, tokens: null });
      assert.deepEqual(answeredBy(await claim(ids.slice(3))).ids, [ids[3]]);
    }),
  },
  {
    name: "a claim does not wait for a change of its limit, and keeps to the change after it",
    run: Interleaving.of(async (order, scene) => {
      const { limits, limitId, ids, claim } = await limited(scene, 5, 6);
      const open = await order.holdClusterWrites({ limit: limitId });
      const changing = await order.waits(() => limits.setting.set({ maxRunning: 2 }));
      assert.deepEqual(await order.passes(() => claim(ids)), { outcome: "taken" });
      await open();
      changed(await changing.reply);
      assert.deepEqual(answeredBy(await claim(ids)).ids, ids.slice(0, 2));
    }),
  },
  {
    name: "what runs takes places after the claim that holds the limit, whose tasks keep theirs",
    run: Interleaving.of(async (order, scene) => {
      const { limits, limitId, ids, claim } = await limited(scene, 5, 12);
      const plain = (await scene.claim(ids.slice(10))).map(({ id }) => id);
      const open = await order.holdWrites(ids[0]!);
      const claiming = await order.waits(() => claim(ids.slice(0, 2)));
      const adopting = await order.waits(() => limits.store.adoptRunning([limitId]));
      await open();
      assert.equal(answeredBy(await claiming.reply).ids.length, 2);
      await adopting.reply;
      assert.deepEqual(await limits.state(limitId), { running: 4, tokens: null });
      assert.deepEqual(answeredBy(await claim(ids.slice(2, 10))).places, 1);
      assert.equal(plain.length, 2);
    }),
  },
  {
    name: "what a node adds takes places after the claim that holds the limit, whose tasks keep theirs",
    run: Interleaving.of(async (order, scene) => {
      const { limits, limitId, ids, claim } = await limited(scene, 5, 12);
      const own = (await scene.claim(ids.slice(10))).map(({ id }) => id);
      const open = await order.holdWrites(ids[0]!);
      const claiming = await order.waits(() => claim(ids.slice(0, 2)));
      const adopting = await order.waits(() => limits.store.adoptPlaces([{ limitId, ids: own }]));
      await open();
      assert.equal(answeredBy(await claiming.reply).ids.length, 2);
      await adopting.reply;
      assert.deepEqual(answeredBy(await claim(ids.slice(2, 10))).places, 1);
    }),
  },
  {
    name: "a claim that knew no limit is not waited for: its node adds what it took, and no more run",
    run: Interleaving.of(async (order, scene) => {
      const { limits, limitId, ids, claim } = await limited(scene, 3, 6);
      const rival = await scene.join();
      const open = await order.holdWrites(ids[0]!);
      const plain = await order.waits(() => scene.claim(ids.slice(0, 2), { owner: rival }));
      await order.passes(() => limits.store.adoptRunning([limitId]));
      assert.deepEqual(await limits.state(limitId), { running: 0, tokens: null });
      await open();
      const own = (await plain.reply).map(({ id }) => id);
      await limits.store.adoptPlaces([{ limitId, ids: own }]);
      assert.deepEqual(answeredBy(await claim(ids.slice(2))).ids, [ids[2]]);
      assert.equal(await limits.running(ids), 3);
    }),
  },
];

/** The tokens of a rate. */
const tokenCases: InterleavingCase[] = [
  {
    name: "who takes tokens waits for who takes some, and gets of those that are left",
    run: Interleaving.of(async (order, scene) => {
      const limits = new LimitScene(scene);
      const limitId = await limits.limit({ rate: { count: 1, perMs: 1_000, burst: 10 } });
      const open = await order.holdClusterWrites({ bucket: limitId });
      const first = await order.waits(() => limits.store.takeTokens({ limitId, most: 7 }));
      const second = await order.waits(() => limits.store.takeTokens({ limitId, most: 7 }));
      await open();
      assert.deepEqual(await first.reply, { granted: 7, nextMs: 0 });
      assert.deepEqual(await second.reply, { granted: 3, nextMs: 1_000 });
    }),
  },
  {
    name: "a rate that is changed while tokens are taken keeps what is left of them",
    run: Interleaving.of(async (order, scene) => {
      const limits = new LimitScene(scene);
      const limitId = await limits.limit({ rate: { count: 1, perMs: 1_000, burst: 10 } });
      const open = await order.holdClusterWrites({ bucket: limitId });
      const taking = await order.waits(() => limits.store.takeTokens({ limitId, most: 7 }));
      const changing = await order.waits(() => limits.setting.set({ rate: { count: 1, perMs: 1_000, burst: 20 } }));
      await open();
      assert.deepEqual(await taking.reply, { granted: 7, nextMs: 0 });
      changed(await changing.reply);
      assert.deepEqual(await limits.state(limitId), { running: null, tokens: 3 });
    }),
  },
  {
    name: "who takes tokens of a rate that is taken away meanwhile gets none",
    run: Interleaving.of(async (order, scene) => {
      const limits = new LimitScene(scene);
      const limitId = await limits.limit({ maxRunning: 1, rate: { count: 1, perMs: 1_000, burst: 10 } });
      const open = await order.holdClusterWrites({ bucket: limitId });
      const changing = await order.waits(() => limits.setting.set({ rate: null }));
      const taking = await order.waits(() => limits.store.takeTokens({ limitId, most: 7 }));
      await open();
      changed(await changing.reply);
      assert.equal(await taking.reply, null);
    }),
  },
];

export const interleavedLimitCases: InterleavingCase[] = [...claimCases, ...rowCases, ...tokenCases];
