import assert from "node:assert/strict";
import { type CallerTransaction, type PauseReply, remainingMs } from "@tickwheel/core";
import { Interleaving, type InterleavingCase } from "../subject/interleaving.js";
import { refOf, type Scenario } from "../subject/scenario.js";

const ENDINGS = [
  { ending: "commit", when: "is committed" },
  { ending: "rollBack", when: "is rolled back" },
] as const;
const LATER_MS = 60_000;
const START_DEADLINE_MS = 100;

type Hold = (within: CallerTransaction) => Promise<PauseReply>;

function pauseOf({ namespace, store }: Scenario, id: string): Hold {
  return (within) => store.pause({ target: { namespace, id }, actor: "operator" }, within);
}

function resumeOf({ namespace, store }: Scenario, id: string): Hold {
  return (within) => store.resume({ target: { namespace, id }, actor: "operator" }, within);
}

function cancelOf({ namespace, store }: Scenario, id: string) {
  return (within: CallerTransaction) => store.cancel({ target: { namespace, id }, actor: "canceller" }, within);
}

/** A task that is paused, and due as soon as it is resumed. */
async function pausedTask(scene: Scenario): Promise<string> {
  const { id } = await scene.create();
  assert.equal((await scene.pause(id)).outcome, "changed");
  return id;
}

const claimCases: InterleavingCase[] = [
  {
    name: "a pause that waits for a claim is refused: the task runs",
    run: Interleaving.of(async (order, scene) => {
      const { id } = await scene.create();
      const open = await order.holdWrites(id);
      const claiming = await order.waits(() => scene.reclaim(id));
      const pausing = await order.waitsWithin(pauseOf(scene, id));
      await open();
      const execution = await claiming.reply;
      assert.equal((await pausing.reply).outcome, "state_conflict");
      assert.equal((await scene.store.verifyStart([refOf(execution)])).length, 1);
    }),
  },
  {
    name: "a claim skips a row that a pause is about to write, and later finds it paused",
    run: Interleaving.of(async (order, scene) => {
      const { id } = await scene.create();
      const open = await order.holdWrites(id);
      const pausing = await order.waits(() => scene.pause(id));
      assert.deepEqual(await order.passes(() => scene.claim([id])), []);
      await open();
      assert.equal((await pausing.reply).outcome, "changed");
      assert.deepEqual(await scene.claim([id]), []);
    }),
  },
  {
    name: "a claim whose snapshot is older than a pause takes nothing",
    run: Interleaving.of(async (order, scene) => {
      const { id } = await scene.create();
      const open = await order.holdNextStatement();
      const claiming = await order.waits(() => scene.claim([id]));
      assert.equal((await order.passes(() => scene.pause(id))).outcome, "changed");
      await open();
      assert.deepEqual(await claiming.reply, []);
      assert.deepEqual([await scene.state(id), (await scene.get(id)).fence], ["paused", 0]);
    }),
  },
  ...ENDINGS.map(({ ending, when }): InterleavingCase => ({
    name: `a claim skips a task whose resume is not committed, and takes it, or leaves it paused, once that ${when}`,
    run: Interleaving.of(async (order, scene) => {
      const id = await pausedTask(scene);
      const resuming = await order.begin(resumeOf(scene, id));
      assert.deepEqual(await order.passes(() => scene.claim([id])), []);
      await resuming[ending]();
      const claimed = await scene.claim([id]);
      assert.deepEqual([claimed.length, await scene.state(id)], ending === "commit" ? [1, "running"] : [0, "paused"]);
    }),
  })),
];

const pairCases: InterleavingCase[] = [
  ...ENDINGS.map(({ ending, when }): InterleavingCase => ({
    name: `a resume that waits for the pause of its task resumes it, or changes nothing, once that ${when}`,
    run: Interleaving.of(async (order, scene) => {
      const { id } = await scene.create();
      const pausing = await order.begin(pauseOf(scene, id));
      const resuming = await order.waitsWithin(resumeOf(scene, id));
      await pausing[ending]();
      assert.equal((await resuming.reply).outcome, ending === "commit" ? "changed" : "unchanged");
      assert.equal(await scene.state(id), "scheduled");
    }),
  })),
  {
    name: "of two pauses one changes the task, and what remains counts from it",
    run: Interleaving.of(async (order, scene) => {
      const { id } = await scene.create({ due: { delayMs: LATER_MS } });
      const first = await order.begin(pauseOf(scene, id));
      const second = await order.waitsWithin(pauseOf(scene, id));
      await scene.advance(1_000);
      await first.commit();
      assert.equal((await second.reply).outcome, "unchanged");
      assert.equal(remainingMs(await scene.get(id)), LATER_MS);
    }),
  },
  ...(["pause", "resume"] as const).flatMap((name) =>
    ENDINGS.map(({ ending, when }): InterleavingCase => ({
      name: `a ${name} that waits for the cancel of its task is refused, or passes, once that ${when}`,
      run: Interleaving.of(async (order, scene) => {
        const id = name === "pause" ? (await scene.create()).id : await pausedTask(scene);
        const cancelling = await order.begin(cancelOf(scene, id));
        const holding = await order.waitsWithin((name === "pause" ? pauseOf : resumeOf)(scene, id));
        await cancelling[ending]();
        assert.equal((await holding.reply).outcome, ending === "commit" ? "state_conflict" : "changed");
        const left = name === "pause" ? "paused" : "scheduled";
        assert.equal(await scene.state(id), ending === "commit" ? "cancelled" : left);
      }),
    })),
  ),
  {
    name: "a cancel that waits for a pause ends the paused task",
    run: Interleaving.of(async (order, scene) => {
      const { id } = await scene.create({ key: "k" });
      const pausing = await order.begin(pauseOf(scene, id));
      const cancelling = await order.waitsWithin(cancelOf(scene, id));
      await pausing.commit();
      assert.equal((await cancelling.reply).outcome, "cancelled");
      const { state, keyLive } = await scene.get(id);
      assert.deepEqual([state, keyLive, (await scene.steps(id)).at(-1)], ["cancelled", false, "paused>cancelled"]);
    }),
  },
];

const endCases: InterleavingCase[] = [
  {
    name: "a pause that waits for the snooze of its task holds what the snooze has put off",
    run: Interleaving.of(async (order, scene) => {
      const execution = await scene.running();
      const open = await order.holdWrites(execution.id);
      const snooze = { ...order.snooze(execution), delayMs: LATER_MS };
      const snoozing = await order.waits(() => scene.store.settle([snooze]));
      const pausing = await order.waitsWithin(pauseOf(scene, execution.id));
      await open();
      await snoozing.reply;
      assert.equal((await pausing.reply).outcome, "changed");
      const task = await scene.get(execution.id);
      assert.deepEqual([task.state, remainingMs(task), task.fence], ["paused", LATER_MS, 2]);
    }),
  },
  {
    name: "an expiry skips a row that a pause is about to write, and never expires it",
    run: Interleaving.of(async (order, scene) => {
      const { id } = await scene.create({ startDeadlineMs: START_DEADLINE_MS });
      await scene.advance(START_DEADLINE_MS + 1);
      const open = await order.holdWrites(id);
      const pausing = await order.waits(() => scene.pause(id));
      const expire = () => scene.store.expire({ typeIds: [scene.type.id], limit: 10 });
      assert.equal(await order.passes(expire), 0);
      await open();
      assert.equal((await pausing.reply).outcome, "changed");
      assert.deepEqual([await expire(), await scene.state(id)], [0, "paused"]);
    }),
  },
  {
    name: "an expiry whose snapshot is older than a pause leaves the paused task",
    run: Interleaving.of(async (order, scene) => {
      const { id } = await scene.create({ startDeadlineMs: START_DEADLINE_MS });
      await scene.advance(START_DEADLINE_MS + 1);
      const open = await order.holdNextStatement();
      const expiring = await order.waits(() => scene.store.expire({ typeIds: [scene.type.id], limit: 10 }));
      assert.equal((await order.passes(() => scene.pause(id))).outcome, "changed");
      await open();
      assert.deepEqual([await expiring.reply, await scene.state(id)], [0, "paused"]);
    }),
  },
];

const keyCases: InterleavingCase[] = [
  ...(["refresh", "merge"] as const).map((onConflict): InterleavingCase => ({
    name: `a ${onConflict} that waits for a pause leaves the task paused, with the countdown that it asks for`,
    run: Interleaving.of(async (order, scene) => {
      const { namespace, store } = scene;
      const { id } = await scene.create({ key: "k", due: { delayMs: 1_000 } });
      const pausing = await order.begin(pauseOf(scene, id));
      const task = scene.newTask({ key: "k", onConflict, due: { delayMs: LATER_MS } });
      const creating = await order.waitsWithin((within) => store.create({ namespace, tasks: [task] }, within));
      await pausing.commit();
      const reply = await creating.reply;
      assert.equal(
        reply.kind === "written" && reply.results[0]?.outcome,
        onConflict === "merge" ? "merged" : "refreshed",
      );
      const paused = await scene.get(id);
      assert.deepEqual([paused.state, remainingMs(paused)], ["paused", LATER_MS]);
    }),
  })),
  {
    name: "a pause by key that waits while the next cycle takes the key pauses the next cycle",
    run: Interleaving.of(async (order, scene) => {
      const { namespace, store, type } = scene;
      const execution = await scene.running({ key: "k" });
      const task = scene.newTask({ key: "k", onConflict: "refresh" });
      const refreshing = await order.begin((within) => store.create({ namespace, tasks: [task] }, within));
      const target = { namespace, type: type.type, key: "k" };
      const pausing = await order.waitsWithin((within) => store.pause({ target, actor: "operator" }, within));
      await refreshing.commit();
      const reply = await pausing.reply;
      assert.deepEqual([reply.outcome, "task" in reply && reply.task.id], ["changed", task.id]);
      assert.equal(await scene.state(execution.id), "running");
    }),
  },
];

/** Pauses and resumes against everything else that changes a waiting task. */
export const interleavedPausedCases: InterleavingCase[] = [...claimCases, ...pairCases, ...endCases, ...keyCases];
