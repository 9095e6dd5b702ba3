import assert from "node:assert/strict";
import { compareRevisions, MAX_LIMITS_OF_NAMESPACE } from "@tickwheel/core";
import type { ConformanceCase } from "../subject/subject.js";
import { LimitScene } from "./limit-scene.js";
import { changed } from "./setting-scene.js";

const RATE = { count: 100, perMs: 1_000, burst: 10 };
const DAY_MS = 86_400_000;
/** How many types are made at once. */
const CHUNK = 100;

/** How limits are set, and read with the settings. */
export const limitSettingCases: ConformanceCase[] = [
  {
    name: "the limits of a namespace and a type are read with who changed them and when, and what a change does not name stays",
    async run(subject) {
      const { scene, setting } = await LimitScene.open(subject);
      const before = (await setting.store.readSettings()).revision;
      const first = changed(await setting.set({ maxRunning: 5 }));
      const told = { changedAt: subject.now(), changedBy: "operator", namespace: scene.namespace };
      await subject.advance(5);
      const second = changed(await setting.setNamespace({ rate: RATE }));
      const later = { ...told, changedAt: subject.now() };
      const [ofType, ofNamespace] = await setting.limits();
      assert.ok(compareRevisions(before, first) < 0 && compareRevisions(first, second) < 0);
      assert.ok(ofType!.id < ofNamespace!.id, "in the order of their numbers");
      assert.deepEqual(ofType, { ...told, id: ofType!.id, typeId: scene.type.id, maxRunning: 5, rate: null });
      assert.deepEqual(ofNamespace, { ...later, id: ofNamespace!.id, typeId: null, maxRunning: null, rate: RATE });
      changed(await setting.set({ rate: { ...RATE, burst: 1 } }));
      const both = { ...later, id: ofType!.id, typeId: scene.type.id, maxRunning: 5, rate: { ...RATE, burst: 1 } };
      assert.deepEqual(await setting.limits(), [both, ofNamespace]);
    },
  },
  {
    name: "a change may set a type's own values and its limits; each row tells of the last change of its own",
    async run(subject) {
      const { scene, setting } = await LimitScene.open(subject);
      const ofType = async () =>
        (await setting.store.readSettings()).types.find(({ typeId }) => typeId === scene.type.id);
      const first = subject.now();
      changed(await setting.set({ concurrency: 3, maxRunning: 5 }));
      assert.deepEqual([(await ofType())?.concurrency, (await setting.limits())[0]?.maxRunning], [3, 5]);
      await subject.advance(5);
      changed(await setting.set({ concurrency: 3, maxRunning: 6 }));
      const instants = async () => [(await ofType())?.changedAt, (await setting.limits())[0]?.changedAt];
      assert.deepEqual(await instants(), [first, subject.now()]);
      await subject.advance(5);
      changed(await setting.set({ concurrency: 4 }));
      assert.deepEqual(await instants(), [subject.now(), subject.now() - 5]);
    },
  },
  {
    name: "limits that alone are set leave a type without values of its own, and values leave it without limits",
    async run(subject) {
      const limited = await LimitScene.open(subject);
      const valued = await LimitScene.open(subject);
      changed(await limited.setting.set({ maxRunning: 5 }));
      changed(await valued.setting.set({ concurrency: 5 }));
      const { types } = await limited.setting.store.readSettings();
      assert.ok(!types.some(({ typeId }) => typeId === limited.scene.type.id));
      assert.deepEqual(await valued.setting.limits(), []);
    },
  },
  {
    name: "a change of limits that changes nothing writes nothing, and answers the revision in force",
    async run(subject) {
      const { setting } = await LimitScene.open(subject);
      changed(await setting.set({ maxRunning: 5, rate: RATE }));
      const revision = changed(await setting.setNamespace({ maxRunning: 50 }));
      const before = await setting.store.readSettings();
      await subject.advance(10);
      const unchanged = { outcome: "unchanged", revision };
      assert.deepEqual(await setting.set({ maxRunning: 5 }), unchanged);
      assert.deepEqual(await setting.set({ rate: { ...RATE } }), unchanged);
      assert.deepEqual(await setting.setNamespace({ maxRunning: 50, rate: null }), unchanged);
      assert.deepEqual(await setting.store.readSettings(), before);
    },
  },
  {
    name: "a limit of which nothing is left is gone, with its tokens; set again it has another number",
    async run(subject) {
      const limits = await LimitScene.open(subject);
      const { setting } = limits;
      const first = await limits.limit({ maxRunning: 5, rate: RATE });
      changed(await setting.set({ rate: null }));
      assert.equal(await limits.store.takeTokens({ limitId: first, most: 1 }), null);
      assert.deepEqual(await limits.state(first), { running: 0, tokens: null });
      changed(await setting.set({ maxRunning: null }));
      assert.deepEqual(await setting.limits(), []);
      assert.ok(!(await limits.store.readLimits()).some(({ id }) => id === first));
      assert.ok((await limits.limit({ rate: RATE })) > first);
      changed(await setting.set({ rate: null }));
      assert.equal((await setting.setNamespace({ maxRunning: null })).outcome, "unchanged");
    },
  },
  {
    name: "a type that is not there gets no limit",
    async run(subject) {
      const { setting } = await LimitScene.open(subject);
      const before = await setting.store.readSettings();
      assert.deepEqual(await setting.set({ maxRunning: 1 }, 2_000_000_000), { outcome: "no_type" });
      assert.deepEqual(await setting.store.readSettings(), before);
    },
  },
  {
    name: "so many limits may be in a namespace and no more; one that is changed is no further one, nor one of a dropped type, and others have their own",
    async run(subject) {
      const limits = await LimitScene.open(subject);
      const other = await LimitScene.open(subject);
      const { setting } = limits;
      const typeIds: number[] = [];
      while (typeIds.length < MAX_LIMITS_OF_NAMESPACE) {
        const names = Array.from({ length: CHUNK }, (_, place) => `type-${typeIds.length + place}`);
        typeIds.push(...(await Promise.all(names.map((name) => limits.addType(name)))));
      }
      for (const typeId of typeIds) changed(await setting.set({ maxRunning: 5 }, typeId));
      assert.deepEqual(await setting.set({ maxRunning: 5 }), { outcome: "too_many_limits" });
      assert.deepEqual(await setting.setNamespace({ maxRunning: 5 }), { outcome: "too_many_limits" });
      changed(await setting.set({ concurrency: 5 }));
      changed(await setting.set({ maxRunning: 6, rate: RATE }, typeIds[0]));
      changed(await other.setting.set({ maxRunning: 5 }));
      changed(await setting.set({ maxRunning: null }, typeIds[1]));
      changed(await setting.set({ maxRunning: 5 }));
      assert.deepEqual(await setting.setNamespace({ maxRunning: 5 }), { outcome: "too_many_limits" });
      await subject.advance(31 * DAY_MS);
      await limits.scene.store.maintain({ historyRetentionDays: 7, deadRetentionDays: 30, typeRetentionDays: 30 });
      // Types that were dropped have no tasks that could be limited.
      changed(await setting.setNamespace({ maxRunning: 5 }));
    },
  },
];
