import assert from "node:assert/strict";
import { SCHEDULE_KEY } from "@tickwheel/core";
import { Scenario } from "../subject/scenario.js";
import type { ConformanceCase, TaskStoreSubject } from "../subject/subject.js";
import { SettingScene } from "./setting-scene.js";

const MINUTE = 60_000;

async function open(subject: TaskStoreSubject): Promise<SettingScene> {
  return new SettingScene(await Scenario.open(subject));
}

/** What becomes of the tasks of a paused key. */
export const pausedKeyCases: ConformanceCase[] = [
  {
    name: "a claim that knows of a paused key pauses that key's task and claims the rest; the end of the pause resumes it",
    async run(subject) {
      const setting = await open(subject);
      const { scene } = setting;
      const paused = await scene.create({ key: "k", startDeadlineMs: MINUTE });
      const other = await scene.create({ key: "other" });
      const plain = await scene.create();
      await setting.pause(setting.key("k"));
      assert.deepEqual(await setting.claimBeside(["k"], [other.id, paused.id, plain.id]), [other.id, plain.id]);
      const { state, pausedAt, version, fence, attempt, owner } = await scene.get(paused.id);
      assert.deepEqual([state, pausedAt, version], ["paused", subject.now(), 2]);
      assert.deepEqual([fence, attempt, owner], [0, 0, null]);
      assert.deepEqual(await setting.look(paused.id), []);
      await subject.advance(2 * MINUTE);
      await setting.resume(setting.key("k"));
      const hints = await setting.store.resumeEndedKeys(100);
      const hint = { id: paused.id, typeId: scene.type.id, version: 3, dueAt: subject.now(), priority: 5 };
      assert.deepEqual(
        hints.filter(({ id }) => id === paused.id).map((told) => ({ ...told })),
        [hint],
      );
      const resumed = await scene.get(paused.id);
      assert.deepEqual([resumed.state, resumed.pausedMs], ["scheduled", 2 * MINUTE]);
      assert.equal(resumed.startDeadlineAt, subject.now() + MINUTE);
      assert.deepEqual(await setting.look(paused.id), []);
      const told = (await scene.journal(paused.id)).map(({ from, to, reason, actor }) => [from, to, reason, actor]);
      assert.deepEqual(told.slice(1), [
        ["scheduled", "paused", "PAUSED", "operator"],
        ["paused", "scheduled", "RESUMED", null],
      ]);
      await scene.reclaim(paused.id);
    },
  },
  {
    name: "the time of a pause ends it like a resume",
    async run(subject) {
      const setting = await open(subject);
      const { id } = await setting.scene.create({ key: "k" });
      await setting.pause(setting.key("k"), { until: subject.now() + 100 });
      assert.deepEqual(await setting.claimBeside(["k"], [id]), []);
      await subject.advance(99);
      assert.deepEqual(await setting.look(id), []);
      await subject.advance(1);
      assert.deepEqual(await setting.look(id), [id]);
      assert.deepEqual(await setting.claimBeside(["k"], [id]), [id]);
    },
  },
  {
    name: "a claim goes by the pause's row: of a key whose pause is over, or never was, it takes the task",
    async run(subject) {
      const setting = await open(subject);
      const { scene } = setting;
      const ended = await scene.create({ key: "ended" });
      const never = await scene.create({ key: "never" });
      await setting.pause(setting.key("ended"));
      await setting.resume(setting.key("ended"));
      await subject.advance(1);
      const ids = [ended.id, never.id];
      assert.deepEqual(await setting.claimBeside(["ended", "never"], ids), ids);
    },
  },
  {
    name: "a pause of a key is that of one type: its tasks of another type are claimed",
    async run(subject) {
      const setting = await open(subject);
      const other = await open(subject);
      const { id } = await other.scene.create({ key: "k" });
      await setting.pause(setting.key("k"));
      const pausedKeys = [{ typeId: setting.scene.type.id, key: "k" }];
      const { node: owner, store } = other.scene;
      const { tasks } = await store.claim({ owner, ids: [id], claimAheadMs: 0, pausedKeys });
      assert.equal(tasks[0]?.id, id);
    },
  },
  {
    name: "what is not due is not paused by a claim, and neither is an occurrence of a schedule",
    async run(subject) {
      const setting = await open(subject);
      const { scene } = setting;
      const key = `${SCHEDULE_KEY}7`;
      const early = await scene.create({ key: "k", due: { delayMs: 1_000 } });
      const occurrence = await scene.create({ key });
      await setting.pause(setting.key("k"));
      await setting.pause(setting.key(key));
      assert.deepEqual(await setting.claimBeside(["k", key], [early.id, occurrence.id]), [occurrence.id]);
      assert.equal(await scene.state(early.id), "scheduled");
    },
  },
  {
    name: "what somebody paused before the key's pause, or pauses after its end, stays paused",
    async run(subject) {
      const setting = await open(subject);
      const { scene } = setting;
      const before = await scene.create({ key: "before" });
      const after = await scene.create({ key: "after" });
      await scene.pause(before.id);
      await subject.advance(1);
      for (const key of ["before", "after"]) await setting.pause(setting.key(key));
      for (const key of ["before", "after"]) await setting.resume(setting.key(key));
      await subject.advance(1);
      await scene.pause(after.id);
      assert.deepEqual(await setting.look(before.id, after.id), []);
      assert.deepEqual([await scene.state(before.id), await scene.state(after.id)], ["paused", "paused"]);
    },
  },
  {
    name: "a task that has lost its key to the next cycle is paused and resumed with its key, too",
    async run(subject) {
      const setting = await open(subject);
      const { scene } = setting;
      const first = await scene.running({ key: "k" });
      const [next] = await scene.createAll(scene.newTask({ key: "k", onConflict: "refresh" }));
      assert.ok(next && "task" in next);
      await scene.fail(first);
      const ids = [first.id, next.task.id];
      await setting.pause(setting.key("k"));
      assert.deepEqual(await setting.claimBeside(["k"], ids), []);
      assert.deepEqual(await Promise.all(ids.map((id) => scene.state(id))), ["paused", "paused"]);
      await setting.resume(setting.key("k"));
      assert.deepEqual((await setting.look(...ids)).sort(), ids.sort());
    },
  },
  {
    name: "a look resumes so many tasks and no more; the rest is there for the next one, however late it comes",
    async run(subject) {
      const setting = await open(subject);
      const keys = ["a", "b", "c"];
      const ids: string[] = [];
      for (const key of keys) {
        ids.push((await setting.scene.create({ key })).id);
        await setting.pause(setting.key(key));
      }
      await setting.claimBeside(keys, ids);
      for (const key of keys) await setting.resume(setting.key(key));
      assert.equal((await setting.store.resumeEndedKeys(2)).length, 2);
      await subject.advance(5 * MINUTE);
      await setting.set({ concurrency: 2 });
      assert.equal((await setting.look(...ids)).length, 1);
      for (const id of ids) assert.equal(await setting.scene.state(id), "scheduled");
    },
  },
  {
    name: "a pause that begins anew before its last one was looked at keeps what that paused, to its own end",
    async run(subject) {
      const setting = await open(subject);
      const { id } = await setting.scene.create({ key: "k" });
      await setting.pause(setting.key("k"));
      await subject.advance(1);
      await setting.claimBeside(["k"], [id]);
      await setting.resume(setting.key("k"));
      await subject.advance(1);
      await setting.pause(setting.key("k"));
      assert.deepEqual(await setting.look(id), []);
      await subject.advance(1);
      await setting.resume(setting.key("k"));
      assert.deepEqual(await setting.look(id), [id]);
    },
  },
];
