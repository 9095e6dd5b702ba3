import assert from "node:assert/strict";
import type { LimitValues } from "@tickwheel/core";
import { idsOf, LeaseScene } from "../cluster/lease-scene.js";
import { LimitScene } from "../cluster/limit-scene.js";
import { changed } from "../cluster/setting-scene.js";
import { Interleaving, type InterleavingCase } from "../subject/interleaving.js";
import type { Scenario } from "../subject/scenario.js";

type Run = Parameters<typeof Interleaving.of>[0];

/** Due tasks of a type that is pulled, oldest first. */
async function due(scene: Scenario, count: number) {
  const limits = new LimitScene(scene);
  const ids = (await limits.due(count)).sort();
  return { leases: new LeaseScene(scene), limits, ids };
}

function ofPulls(run: Run): InterleavingCase["run"] {
  return Interleaving.of(run, "pull");
}

/** Pulls against each other, and against who holds a task. */
const rowCases: InterleavingCase[] = [
  {
    name: "two pulls at once are disjoint: the second waits for nobody and takes what the first has left",
    run: ofPulls(async (order, scene) => {
      const { leases, ids } = await due(scene, 5);
      const open = await order.holdWrites(ids[0]!);
      const first = await order.waits(() => leases.pulled({ most: 2 }));
      const second = await order.passes(() => leases.pulled({ most: 2 }));
      await open();
      const all = [...(await first.reply), ...second];
      assert.deepEqual([second.length, second.includes(ids[0]!), all.sort()], [2, false, ids.slice(0, 4)]);
      assert.deepEqual((await leases.heldIds()).sort(), ids.slice(0, 4));
    }),
  },
  {
    name: "a pull leaves out a task that another transaction holds",
    run: ofPulls(async (order, scene) => {
      const { leases, ids } = await due(scene, 3);
      const { namespace, store } = scene;
      const edit = { namespace, id: ids[0]!, changes: { priority: 1 }, actor: "editor" };
      const editing = await order.begin((within) => store.edit(edit, within));
      const reply = await order.passes(() => leases.pull({ most: 2 }));
      assert.deepEqual([idsOf(reply), reply.mayBeMore], [ids.slice(1), true]);
      await editing.commit();
      assert.deepEqual(await leases.pulled(), ids.slice(0, 1));
    }),
  },
  {
    name: "a pull within a limit waits for another one, and then takes what that has left",
    run: ofPulls(async (order, scene) => {
      const { leases, limits, ids } = await due(scene, 5);
      const limitId = await limits.limit({ maxRunning: 3 });
      const open = await order.holdWrites(ids[0]!);
      const first = await order.waits(() => leases.pulled({ most: 2 }));
      const second = await order.waits(() => leases.pull({ most: 2 }));
      await open();
      assert.deepEqual(await first.reply, ids.slice(0, 2));
      const reply = await second.reply;
      assert.deepEqual([idsOf(reply), reply.isFull], [ids.slice(2, 3), true]);
      assert.deepEqual(await limits.state(limitId), { running: 3, tokens: null });
    }),
  },
  {
    name: "a pull with a rate waits for who takes its tokens, and gets of those that are left",
    run: ofPulls(async (order, scene) => {
      const { leases, limits, ids } = await due(scene, 5);
      const limitId = await limits.limit({ rate: { count: 1, perMs: 1_000, burst: 3 } });
      const open = await order.holdClusterWrites({ bucket: limitId });
      const taking = await order.waits(() => limits.store.takeTokens({ limitId, most: 1 }));
      const pulling = await order.waits(() => leases.pull());
      await open();
      assert.equal((await taking.reply)?.granted, 1);
      const reply = await pulling.reply;
      assert.deepEqual([idsOf(reply), reply.isFull], [ids.slice(0, 2), true]);
      assert.deepEqual(await limits.state(limitId), { running: null, tokens: 0 });
    }),
  },
  {
    name: "a node's claim within the limit of a pull's namespace is told that it is taken",
    run: ofPulls(async (order, scene) => {
      const { leases, limits, ids } = await due(scene, 1);
      const other = await limits.addType("order.close");
      const limitIds = [await limits.limitNamespace({ maxRunning: 1 })];
      const others = await limits.due(1, other);
      const open = await order.holdWrites(ids[0]!);
      const pulling = await order.waits(() => leases.pulled());
      assert.deepEqual(await order.passes(() => limits.claim(others, { limitIds })), { outcome: "taken" });
      await open();
      assert.deepEqual(await pulling.reply, ids);
      assert.deepEqual(await limits.claimed(others, { limitIds }), []);
    }),
  },
  {
    name: "a pull waits for a look that deletes an old lease of its task, and its own lease is there",
    run: ofPulls(async (order, scene) => {
      const leases = new LeaseScene(scene);
      const { id } = await leases.withOldLease();
      await leases.outlast();
      const open = await order.holdClusterWrites({ lease: id });
      const ending = await order.waits(() => leases.end());
      const pulling = await order.waits(() => leases.pulled());
      await open();
      assert.deepEqual(await ending.reply, []);
      assert.deepEqual(await pulling.reply, [id]);
      assert.deepEqual(await leases.heldIds(), [id]);
    }),
  },
];

/** Whatever people change of a type that is pulled: the change waits for pulls under way, and one behind it obeys. */
function changeCasesOf(
  what: string,
  change: (leases: LeaseScene) => Promise<unknown>,
  { isPaused, left }: { isPaused: boolean; left: number },
): InterleavingCase[] {
  return [
    {
      name: `${what} waits for a pull under way, and the next pull obeys it`,
      run: ofPulls(async (order, scene) => {
        const { leases, limits, ids } = await due(scene, 4);
        const open = await order.holdWrites(ids[0]!);
        const pulling = await order.waits(() => leases.pulled({ most: 1 }));
        const changing = await order.waits(() => change(leases));
        await open();
        assert.deepEqual(await pulling.reply, ids.slice(0, 1));
        await changing.reply;
        for (const { id } of await leases.setting.limits()) await limits.store.adoptRunning([id]);
        const next = await leases.pull();
        assert.deepEqual([next.isPaused, next.tasks.length], [isPaused, Math.max(0, left - 1)]);
      }),
    },
    {
      name: `pulls that wait for ${what} obey it`,
      run: ofPulls(async (order, scene) => {
        const { leases } = await due(scene, 4);
        const open = await order.holdClusterWrites("revision");
        const changing = await order.waits(() => change(leases));
        const pulls = [await order.waits(() => leases.pull()), await order.waits(() => leases.pull())];
        await open();
        await changing.reply;
        const replies = await Promise.all(pulls.map(({ reply }) => reply));
        assert.deepEqual(
          replies.map((reply) => reply.isPaused),
          [isPaused, isPaused],
        );
        assert.equal(replies.flatMap(idsOf).length, left);
      }),
    },
  ];
}

const rate = { count: 1, perMs: 60_000, burst: 2 };

function setOfType(values: Partial<LimitValues>) {
  return async ({ setting }: LeaseScene): Promise<unknown> => changed(await setting.set(values));
}

function setOfNamespace(values: Partial<LimitValues>) {
  return async ({ setting }: LeaseScene): Promise<unknown> => changed(await setting.setNamespace(values));
}

/** Pulls against changes of the settings. */
const settingCases: InterleavingCase[] = [
  ...changeCasesOf("a pause of their type", async ({ setting }) => changed(await setting.pause(setting.type)), {
    isPaused: true,
    left: 0,
  }),
  ...changeCasesOf(
    "a pause of their namespace",
    async ({ setting }) => changed(await setting.pause(setting.namespace)),
    { isPaused: true, left: 0 },
  ),
  ...changeCasesOf("a limit of their type", setOfType({ maxRunning: 1 }), { isPaused: false, left: 1 }),
  ...changeCasesOf("a limit of their namespace", setOfNamespace({ maxRunning: 1 }), { isPaused: false, left: 1 }),
  {
    name: "pulls that wait for a new rate take its tokens, each of them once",
    run: ofPulls(async (order, scene) => {
      const { leases, limits } = await due(scene, 4);
      const open = await order.holdClusterWrites("revision");
      const changing = await order.waits(() => leases.setting.set({ rate }));
      const pulls = [await order.waits(() => leases.pull()), await order.waits(() => leases.pull())];
      await open();
      changed(await changing.reply);
      const replies = await Promise.all(pulls.map(({ reply }) => reply));
      assert.equal(replies.flatMap(idsOf).length, 2);
      const [limit] = await leases.setting.limits();
      assert.equal((await limits.state(limit!.id)).tokens, 0);
    }),
  },
  {
    name: "a pause of a key waits for a pull under way, and a pull that waits for it pauses the task",
    run: ofPulls(async (order, scene) => {
      const leases = new LeaseScene(scene);
      const { setting } = leases;
      const first = `${scene.namespace}/1`;
      const second = `${scene.namespace}/2`;
      const { id } = await scene.create({ key: first });
      const open = await order.holdWrites(id);
      const pulling = await order.waits(() => leases.pulled());
      const late = await order.waits(() => setting.pause(setting.key(first)));
      await open();
      assert.deepEqual(await pulling.reply, [id]);
      changed(await late.reply);
      const other = await scene.create({ key: second });
      const openRevision = await order.holdClusterWrites("revision");
      const pausing = await order.waits(() => setting.pause(setting.key(second)));
      const behind = await order.waits(() => leases.pulled());
      await openRevision();
      changed(await pausing.reply);
      assert.deepEqual(await behind.reply, []);
      assert.equal(await scene.state(other.id), "paused");
    }),
  },
  {
    name: "the end of a pause is obeyed by a pull that waits for it",
    run: ofPulls(async (order, scene) => {
      const { leases, ids } = await due(scene, 2);
      const { setting } = leases;
      changed(await setting.pause(setting.type));
      await scene.advance(1);
      const open = await order.holdClusterWrites("revision");
      const resuming = await order.waits(() => setting.resume(setting.type));
      const pulling = await order.waits(() => leases.pulled());
      await open();
      changed(await resuming.reply);
      assert.deepEqual(await pulling.reply, ids);
    }),
  },
  {
    name: "a change of another type or namespace waits for no pull, and no pull for it",
    run: ofPulls(async (order, scene) => {
      const { leases, ids } = await due(scene, 2);
      const other = await LeaseScene.open(order.subject);
      const handled = await leases.scene.store.ensureType({ ...scene.type, type: "order.close", delivery: "handler" });
      const open = await order.holdWrites(ids[0]!);
      const pulling = await order.waits(() => leases.pulled({ most: 1 }));
      changed(await order.passes(() => other.setting.pause(other.setting.namespace)));
      changed(await order.passes(() => leases.setting.set({ concurrency: 3 }, handled.id)));
      await open();
      assert.deepEqual(await pulling.reply, ids.slice(0, 1));
      const openRevision = await order.holdClusterWrites("revision");
      const resuming = await order.waits(() => other.setting.resume(other.setting.namespace));
      assert.deepEqual(await order.passes(() => leases.pulled()), ids.slice(1));
      await openRevision();
      changed(await resuming.reply);
    }),
  },
  {
    name: "a new pull type waits for a change of the settings under way, a new handler's type does not",
    run: ofPulls(async (order, scene) => {
      const { setting } = new LeaseScene(scene);
      const { namespace, store } = scene;
      const open = await order.holdClusterWrites("revision");
      const pausing = await order.waits(() => setting.pause(setting.namespace));
      await order.passes(() => store.ensureType({ namespace, type: "order.close", delivery: "handler" }));
      const adding = await order.waits(() => store.ensureType({ namespace, type: "order.open", delivery: "pull" }));
      await open();
      changed(await pausing.reply);
      const { id: typeId } = await adding.reply;
      assert.equal((await new LeaseScene(scene).pull({ typeId })).isPaused, true);
    }),
  },
];

export const interleavedPullCases: InterleavingCase[] = [...rowCases, ...settingCases];
