import assert from "node:assert/strict";
import { type DueScope, type HintCursor, SlotSet, type TaskHint } from "@tickwheel/core";
import { Scenario } from "../subject/scenario.js";
import type { ConformanceCase } from "../subject/subject.js";

const STEAL_MS = 1_500;

function slots(...members: number[]): SlotSet {
  const set = new SlotSet();
  for (const slot of members) set.add(slot);
  return set;
}

const ids = (hints: readonly TaskHint[]): string[] => hints.map((hint) => hint.id);

/** Tasks of one slot, due after the given waits, in the order of their due times. */
async function dueAfter(scene: Scenario, slot: number, ...delaysMs: number[]): Promise<string[]> {
  const tasks: string[] = [];
  for (const delayMs of delaysMs) tasks.push((await scene.create({ slot, due: { delayMs } })).id);
  return tasks;
}

/** One probe of the scenario's type. */
async function probe(scene: Scenario, given: Partial<DueScope> & { limit?: number } = {}) {
  const { limit, ...scope } = given;
  return scene.store.findDue({
    scopes: [{ typeId: scene.type.id, slots: SlotSet.all(), notBefore: null, after: null, ...scope }],
    stealAfterOverdueMs: STEAL_MS,
    limitPerType: limit ?? 100,
  });
}

function cursorOf(hint: TaskHint | undefined): HintCursor | null {
  return hint ? { dueAt: hint.dueAt, id: hint.id } : null;
}

export const windowCases: ConformanceCase[] = [
  {
    name: "the window holds the scheduled tasks of the asked slots up to the horizon, nearest first, overdue ones too",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const [far, edge, near, now] = await dueAfter(scene, 4_095, 10_001, 10_000, 500, 0);
      const foreign = await dueAfter(scene, 8, 100);
      const other = await Scenario.open(subject);
      await dueAfter(other, 4_095, 100);
      await scene.advance(1);
      const overdueBy = 1;
      const page = await scene.store.loadWindow({
        scopes: [{ typeId: scene.type.id, slots: slots(4_095) }],
        horizonMs: 10_000 - overdueBy,
        after: null,
        limit: 100,
      });
      assert.deepEqual(ids(page.hints), [now, near, edge]);
      assert.equal(page.next, null);
      assert.ok(!ids(page.hints).some((id) => id === far || foreign.includes(id)));
      const task = await scene.get(near!);
      const hint = { id: task.id, typeId: task.typeId, version: 1, dueAt: task.dueAt, priority: 5 };
      assert.deepEqual({ ...page.hints[1] }, hint);
    },
  },
  {
    name: "the window is paged by due time and id, each task once, even with equal due times",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const created = await dueAfter(scene, 3, 5, 5, 5, 5, 1, 9, 5);
      const seen: TaskHint[] = [];
      let after: HintCursor | null = null;
      for (let pages = 0; pages < 10; pages++) {
        const scopes = [{ typeId: scene.type.id, slots: SlotSet.all() }];
        const page = await scene.store.loadWindow({ scopes, horizonMs: 100, after, limit: 2 });
        seen.push(...page.hints);
        after = page.next;
        if (after === null) break;
      }
      assert.equal(after, null);
      assert.deepEqual(ids(seen).sort(), created.sort());
      const order = seen.map((hint) => `${hint.dueAt} ${hint.id}`);
      assert.deepEqual(order, [...order].sort());
    },
  },
  {
    name: "each type of the window has its own slots",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const second = await scene.store.ensureType({ namespace: scene.namespace, type: "b", delivery: "handler" });
      const [mine] = await dueAfter(scene, 1, 10);
      await dueAfter(scene, 2, 10);
      await scene.create({ slot: 1, typeId: second.id });
      const { id } = await scene.create({ slot: 2, typeId: second.id, due: { delayMs: 20 } });
      const page = await scene.store.loadWindow({
        scopes: [
          { typeId: scene.type.id, slots: slots(1) },
          { typeId: second.id, slots: slots(2) },
        ],
        horizonMs: 100,
        after: null,
        limit: 100,
      });
      assert.deepEqual(ids(page.hints), [mine, id]);
    },
  },
  {
    name: "the types that have scheduled tasks are listed, whenever these are due, except the types that are left out",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { namespace, store } = scene;
      const [far, quiet, ended] = await Promise.all(
        ["far", "quiet", "ended"].map((type) => store.ensureType({ namespace, type, delivery: "handler" })),
      );
      await scene.create();
      await scene.create({ typeId: far!.id, due: { delayMs: 86_400_000 } });
      await scene.cancel((await scene.create({ typeId: ended!.id })).id);
      const told = async (except: readonly number[]): Promise<number[]> => {
        const types = new Set(await store.occupiedTypes(except));
        return [scene.type, far!, quiet!, ended!].map(({ id }) => id).filter((id) => types.has(id));
      };
      assert.deepEqual(await told([]), [scene.type.id, far!.id]);
      assert.deepEqual(await told([scene.type.id, quiet!.id]), [far!.id]);
      assert.deepEqual(await told([far!.id, scene.type.id]), []);
      assert.deepEqual(await told([ended!.id]), [scene.type.id, far!.id]);
      await scene.running();
      assert.deepEqual(await told([]), [scene.type.id, far!.id]);
    },
  },
  {
    name: "running and ended tasks are in no window and never due",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const cancelled = await scene.create();
      await scene.running();
      await scene.succeed(await scene.running());
      await scene.cancel(cancelled.id);
      const scopes = [{ typeId: scene.type.id, slots: SlotSet.all() }];
      const page = await scene.store.loadWindow({ scopes, horizonMs: 100, after: null, limit: 100 });
      assert.deepEqual({ ...page }, { hints: [], next: null });
      assert.deepEqual((await probe(scene)).hints, []);
      const nothing = await scene.store.loadWindow({ scopes: [], horizonMs: 100, after: null, limit: 100 });
      assert.deepEqual(nothing.hints, []);
    },
  },
];

export const dueCases: ConformanceCase[] = [
  {
    name: "due tasks are found oldest first, not before they are due, with the store's clock",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const [late, early] = await dueAfter(scene, 1, 20, 10);
      await dueAfter(scene, 1, 21);
      await scene.advance(20);
      const reply = await probe(scene);
      assert.deepEqual(ids(reply.hints), [early, late]);
      assert.deepEqual([reply.now, reply.shortTypes], [scene.now(), [scene.type.id]]);
    },
  },
  {
    name: "tasks of other slots are found once they are overdue for long enough",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const [mine] = await dueAfter(scene, 1, 0);
      const [foreign] = await dueAfter(scene, 2, 0);
      await scene.advance(STEAL_MS - 100);
      assert.deepEqual(ids((await probe(scene, { slots: slots(1) })).hints), [mine]);
      await scene.advance(200);
      const found = ids((await probe(scene, { slots: slots(1) })).hints).sort();
      assert.deepEqual(found, [mine!, foreign!].sort());
      assert.deepEqual(ids((await probe(scene, { slots: slots() })).hints).sort(), found);
    },
  },
  {
    name: "a lower bound leaves out the tasks that were due before it, and no others",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const [old, young] = await dueAfter(scene, 1, 0, 60);
      const bound = scene.now() + 60;
      await scene.advance(100);
      assert.deepEqual(ids((await probe(scene, { notBefore: bound })).hints), [young]);
      assert.deepEqual((await probe(scene, { notBefore: bound + 1 })).hints, []);
      assert.deepEqual(ids((await probe(scene)).hints), [old, young]);
    },
  },
  {
    name: "an upper bound leaves out the tasks that are due from it on, and no others",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const [old, young] = await dueAfter(scene, 1, 0, 60);
      const bound = scene.now() + 60;
      await scene.advance(100);
      assert.deepEqual(ids((await probe(scene, { before: bound })).hints), [old]);
      assert.deepEqual(ids((await probe(scene, { before: bound + 1 })).hints), [old, young]);
      assert.deepEqual((await probe(scene, { notBefore: bound, before: bound })).hints, []);
      assert.deepEqual(ids((await probe(scene, { before: null })).hints), [old, young]);
    },
  },
  {
    name: "a probe stops at its limit per type and names the types with fewer tasks",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const second = await scene.store.ensureType({ namespace: scene.namespace, type: "b", delivery: "handler" });
      const [first, next] = await dueAfter(scene, 1, 1, 2, 3);
      const { id } = await scene.create({ typeId: second.id });
      await scene.advance(10);
      const all = { slots: SlotSet.all(), notBefore: null, after: null };
      const reply = await scene.store.findDue({
        scopes: [
          { typeId: scene.type.id, ...all },
          { typeId: second.id, ...all },
        ],
        stealAfterOverdueMs: STEAL_MS,
        limitPerType: 2,
      });
      assert.deepEqual(ids(reply.hints), [id, first, next]);
      assert.deepEqual(reply.shortTypes, [second.id]);
    },
  },
  {
    name: "a type is paged by due time and id, each task once, whatever its slot",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const created = [...(await dueAfter(scene, 1, 5, 5, 5)), ...(await dueAfter(scene, 2, 1, 5, 7))];
      await scene.advance(10 + STEAL_MS);
      const seen: TaskHint[] = [];
      for (let pages = 0; pages < 10; pages++) {
        const reply = await probe(scene, { after: cursorOf(seen.at(-1)), slots: slots(1), limit: 2 });
        seen.push(...reply.hints);
        if (reply.shortTypes.includes(scene.type.id)) break;
      }
      assert.deepEqual(ids(seen).sort(), created.sort());
      const order = seen.map((hint) => `${hint.dueAt} ${hint.id}`);
      assert.deepEqual(order, [...order].sort());
    },
  },
  {
    name: "a task that was scheduled again by retry, release or reap is due by its new time",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const failed = await scene.running();
      const released = await scene.running();
      const reaped = await scene.running({}, await scene.join());
      await scene.advance(1_000);
      await scene.fail(failed, 500);
      await scene.store.release([{ ...released, reason: "DRAIN" }]);
      await scene.reap(reaped.owner);
      assert.deepEqual(ids((await probe(scene)).hints).sort(), [released.id, reaped.id].sort());
      await scene.advance(500);
      assert.equal((await probe(scene)).hints.length, 3);
    },
  },
];
