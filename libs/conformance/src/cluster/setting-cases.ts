import assert from "node:assert/strict";
import { compareRevisions, FIRST_VITALS, MAX_PAUSED_KEYS } from "@tickwheel/core";
import { killNode, Scenario } from "../subject/scenario.js";
import type { ConformanceCase, TaskStoreSubject } from "../subject/subject.js";
import { changed, SettingScene } from "./setting-scene.js";

async function open(subject: TaskStoreSubject): Promise<SettingScene> {
  return new SettingScene(await Scenario.open(subject));
}

/** What a change writes, and what it answers. */
const changeCases: ConformanceCase[] = [
  {
    name: "the values of a type are read with who changed them and when, and what a change does not name stays",
    async run(subject) {
      const setting = await open(subject);
      const typeId = setting.scene.type.id;
      const first = changed(await setting.set({ concurrency: 7, keepSucceededMs: 0, keepCancelledMs: 7_200_000 }));
      await subject.advance(5);
      const second = changed(await setting.set({ concurrency: null, keepDeadMs: 3_600_000 }));
      assert.deepEqual(second, { timeline: first.timeline, number: first.number + 1 });
      const { revision, types } = await setting.store.readSettings();
      assert.deepEqual(revision, second);
      assert.deepEqual(
        types.filter((type) => type.typeId === typeId),
        [
          {
            typeId,
            concurrency: null,
            keepSucceededMs: 0,
            keepCancelledMs: 7_200_000,
            keepDeadMs: 3_600_000,
            changedAt: subject.now(),
            changedBy: "operator",
          },
        ],
      );
    },
  },
  {
    name: "a pause of a namespace, a type and a key stand beside each other, with their ends, reasons and authors",
    async run(subject) {
      const setting = await open(subject);
      const until = subject.now() + 1_000;
      for (const given of [
        { subject: setting.namespace },
        { subject: setting.type, until },
        { subject: setting.key("k") },
      ])
        changed(await setting.pause(given.subject, { until: given.until, reason: "too hot" }));
      const told = { pausedAt: subject.now(), reason: "too hot", pausedBy: "operator" };
      assert.deepEqual(await setting.pauses(), [
        { ...setting.namespace, ...told, until: null },
        { ...setting.type, ...told, until },
        { ...setting.key("k"), ...told, until: null },
      ]);
    },
  },
  {
    name: "a change that changes nothing writes nothing, and answers the revision in force",
    async run(subject) {
      const setting = await open(subject);
      await setting.set({ concurrency: 3 });
      const revision = changed(await setting.pause(setting.type, { reason: "a" }));
      const before = await setting.store.readSettings();
      await subject.advance(10);
      const unchanged = { outcome: "unchanged", revision };
      assert.deepEqual(await setting.pause(setting.type, { reason: "a" }), unchanged);
      assert.deepEqual(await setting.set({ concurrency: 3 }), unchanged);
      assert.deepEqual(await setting.set({ keepDeadMs: null }), unchanged);
      assert.deepEqual(await setting.set({}), unchanged);
      assert.deepEqual(await setting.resume(setting.namespace), unchanged);
      assert.deepEqual(await setting.resume(setting.key("nobody's")), unchanged);
      assert.deepEqual(await setting.pause(setting.namespace, { until: subject.now() }), unchanged);
      assert.deepEqual(await setting.store.readSettings(), before);
    },
  },
  {
    name: "a pause that is changed keeps its beginning",
    async run(subject) {
      const setting = await open(subject);
      const pausedAt = subject.now();
      const first = changed(await setting.pause(setting.type));
      await subject.advance(10);
      const until = subject.now() + 5_000;
      const second = changed(await setting.pause(setting.type, { until }));
      assert.ok(compareRevisions(first, second) < 0);
      const told = { pausedAt, until, reason: null, pausedBy: "operator" };
      assert.deepEqual(await setting.pauses(), [{ ...setting.type, ...told }]);
    },
  },
  {
    name: "a pause that may only lengthen leaves one alone that ends later, and lengthens one that ends sooner",
    async run(subject) {
      const setting = await open(subject);
      const soon = subject.now() + 5_000;
      changed(await setting.pause(setting.type, { until: soon, reason: "by hand" }));
      const given = { reason: "slow", isOnlyLater: true } as const;
      assert.equal((await setting.pause(setting.type, { ...given, until: soon - 1 })).outcome, "unchanged");
      const until = soon + 1;
      changed(await setting.pause(setting.type, { ...given, until }));
      const shown = async (): Promise<object[]> =>
        (await setting.pauses()).map((pause) => ({ until: pause.until, reason: pause.reason }));
      assert.deepEqual(await shown(), [{ until, reason: "slow" }]);
      changed(await setting.pause(setting.type));
      assert.equal((await setting.pause(setting.type, { ...given, until })).outcome, "unchanged");
      assert.deepEqual(await shown(), [{ until: null, reason: null }]);
    },
  },
  {
    name: "a resume ends the pause of its subject alone; that of a key is told for a minute more",
    async run(subject) {
      const setting = await open(subject);
      for (const paused of [setting.namespace, setting.type, setting.key("a"), setting.key("b")])
        await setting.pause(paused);
      for (const resumed of [setting.namespace, setting.type, setting.key("a")]) changed(await setting.resume(resumed));
      const ended = subject.now();
      const told = async () => (await setting.pauses()).map(({ key, until }) => [key, until]);
      const both = [
        ["a", ended],
        ["b", null],
      ];
      assert.deepEqual(await told(), both);
      assert.equal((await setting.resume(setting.key("a"))).outcome, "unchanged");
      await subject.advance(59_999);
      assert.deepEqual(await told(), both);
      await subject.advance(1);
      assert.deepEqual(await told(), [["b", null]]);
    },
  },
  {
    name: "a pause whose time is over is none: it cannot be ended, and begins anew",
    async run(subject) {
      const setting = await open(subject);
      const until = subject.now() + 100;
      await setting.pause(setting.type, { until });
      await subject.advance(100);
      assert.equal((await setting.resume(setting.type)).outcome, "unchanged");
      changed(await setting.pause(setting.type));
      assert.deepEqual(
        (await setting.pauses()).map((pause) => [pause.pausedAt, pause.until]),
        [[subject.now(), null]],
      );
    },
  },
  {
    name: "an end that is over ends a pause now, not then",
    async run(subject) {
      const setting = await open(subject);
      await setting.pause(setting.type);
      await subject.advance(100);
      changed(await setting.pause(setting.type, { until: subject.now() - 50 }));
      assert.deepEqual(
        (await setting.pauses()).map((pause) => pause.until),
        [subject.now()],
      );
    },
  },
  {
    name: "a type that is not there, or is another namespace's, is told and nothing is written",
    async run(subject) {
      const setting = await open(subject);
      const other = await open(subject);
      const before = await setting.store.readSettings();
      const stranger = { ...setting.type, typeId: other.scene.type.id };
      const none = { outcome: "no_type" };
      assert.deepEqual(await setting.pause(stranger), none);
      assert.deepEqual(await setting.pause({ ...stranger, key: "k" }), none);
      assert.deepEqual(await setting.resume({ ...stranger, typeId: 2_000_000_000 }), none);
      assert.deepEqual(await setting.set({ concurrency: 1 }, 2_000_000_000), none);
      assert.deepEqual(await setting.store.readSettings(), before);
    },
  },
  {
    name: "so many keys may be paused at once and no more; a change of one of them is no further one",
    async run(subject) {
      const setting = await open(subject);
      const until = subject.now() + 1_000;
      const later = subject.now() + 2_000;
      const known = (await setting.store.readSettings()).pauses;
      const before = known.filter((pause) => pause.key !== null && (pause.until ?? Infinity) > subject.now()).length;
      for (let count = before; count < MAX_PAUSED_KEYS; count++)
        changed(await setting.pause(setting.key(`k${count}`), { until }));
      assert.deepEqual(await setting.pause(setting.key("one more"), { until }), { outcome: "too_many_keys" });
      changed(await setting.pause(setting.key(`k${before}`), { until: later }));
      changed(await setting.pause(setting.type, { until }));
      await subject.advance(1_000);
      changed(await setting.pause(setting.key("one more"), { until: later }));
    },
  },
  {
    name: "what a change was, and who made it, is an event of the cluster",
    async run(subject) {
      const setting = await open(subject);
      const { namespace, type } = setting.scene.type;
      const until = subject.now() + 1_000;
      const revisions = [
        changed(await setting.pause(setting.namespace, { until })),
        changed(await setting.pause(setting.key("k"))),
        changed(await setting.set({ concurrency: 2 })),
        changed(await setting.resume(setting.namespace)),
      ];
      await setting.resume(setting.namespace);
      const { events } = await subject.events().page({ kinds: ["SETTINGS_CHANGED"], limit: 4 });
      const told = (place: number) => ({ actor: "operator", namespace, ...revisions[place]! });
      assert.deepEqual(events.map(({ facts }) => ({ ...facts })).reverse(), [
        { ...told(0), change: "PAUSED", of: "NAMESPACE", type: null, until },
        { ...told(1), change: "PAUSED", of: "KEY", type, until: null },
        { ...told(2), change: "SET", of: "TYPE", type, values: { concurrency: 2 } },
        { ...told(3), change: "RESUMED", of: "NAMESPACE", type: null },
      ]);
      assert.deepEqual([events[0]?.at, events[0]?.bootId, events[0]?.label], [subject.now(), null, null]);
    },
  },
];

/** Who obeys a change. */
const obeyCases: ConformanceCase[] = [
  {
    name: "a live and a draining node are behind until their beats say that they obey the revision or a later one; a dead one is not",
    async run(subject) {
      const setting = await open(subject);
      const { scene } = setting;
      const nodes = [scene.node, await scene.join(), await scene.join(), await scene.join()] as const;
      const [obeying, silent, draining, dead] = nodes;
      const before = (await setting.store.readSettings()).revision;
      const revision = changed(await setting.set({ concurrency: 1 }));
      for (const node of [draining, dead]) await setting.obey(node, before);
      await setting.obey(obeying, revision);
      await subject.cluster().startDraining(draining);
      await killNode(subject, dead);
      assert.deepEqual(await setting.behind(revision, ...nodes), [silent, draining]);
      await setting.obey(silent, changed(await setting.set({ concurrency: 2 })));
      assert.deepEqual(await setting.behind(revision, ...nodes), [draining]);
      await killNode(subject, draining);
      assert.deepEqual(await setting.behind(revision, ...nodes), []);
    },
  },
  {
    name: "the labels of those behind are in order",
    async run(subject) {
      const setting = await open(subject);
      for (let count = 0; count < 5; count++) await setting.scene.join();
      const labels = await setting.store.nodesBehind(changed(await setting.set({ concurrency: 1 })));
      assert.deepEqual(labels, [...labels!].sort());
    },
  },
  {
    name: "a revision that is later than the one in force was lost",
    async run(subject) {
      const setting = await open(subject);
      const { timeline, number } = changed(await setting.set({ concurrency: 1 }));
      assert.equal(await setting.store.nodesBehind({ timeline, number: number + 1 }), null);
      assert.equal(await setting.store.nodesBehind({ timeline: timeline + 1, number: 1 }), null);
    },
  },
  {
    name: "a beat brings the revision in force, so the first one after a change brings another",
    async run(subject) {
      const setting = await open(subject);
      const beat = async () => (await subject.cluster().beat(setting.scene.node, FIRST_VITALS))!.settings;
      const { revision } = await setting.store.readSettings();
      assert.deepEqual([await beat(), await beat()], [revision, revision]);
      const next = changed(await setting.set({ concurrency: 1 }));
      assert.deepEqual(await beat(), next);
      assert.ok(compareRevisions(revision, next) < 0);
    },
  },
  {
    name: "the first change on a promoted standby is later than a change that it has lost, so who obeys that one is behind",
    async run(subject) {
      const setting = await open(subject);
      const { scene } = setting;
      const known = changed(await setting.set({ concurrency: 1 }));
      const lost = { ...known, number: known.number + 7 };
      await setting.obey(scene.node, lost);
      await subject.promote();
      assert.equal(await setting.store.nodesBehind(lost), null);
      const first = changed(await setting.set({ concurrency: 2 }));
      assert.deepEqual(first, { timeline: known.timeline + 1, number: 1 });
      assert.ok(compareRevisions(lost, first) < 0);
      assert.deepEqual(await setting.behind(first, scene.node), [scene.node]);
      assert.deepEqual(changed(await setting.set({ concurrency: 3 })), { ...first, number: 2 });
    },
  },
];

export const settingCases: ConformanceCase[] = [...changeCases, ...obeyCases];
