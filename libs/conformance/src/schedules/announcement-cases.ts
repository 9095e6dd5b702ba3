import assert from "node:assert/strict";
import type { AnnouncedSchedule } from "@tickwheel/schedules";
import { killNode } from "../subject/scenario.js";
import { ScheduleScenario } from "../subject/schedule-scene.js";
import type { ConformanceCase } from "../subject/subject.js";

const FORGET_MS = 60_000;

function definition(scene: ScheduleScenario, hash: string, name = "report"): AnnouncedSchedule {
  return { namespace: scene.namespace, name, application: "shop", hash, content: scene.codeContent };
}

/** Name, hash, when it was first seen and for how long it has been live. */
async function known(scene: ScheduleScenario): Promise<unknown[]> {
  const all = await scene.store.announced(FORGET_MS);
  const own = all.filter(({ namespace }) => namespace === scene.namespace);
  return own.map(({ name, hash, firstSeenAt, liveForMs }) => [name, hash, firstSeenAt, liveForMs]);
}

export const announcementCases: ConformanceCase[] = [
  {
    name: "a definition is known with its content, since when, and for how long a node that announces it is live",
    run: ScheduleScenario.of(async (scene) => {
      const first = scene.tasks.now();
      await scene.store.announce(scene.tasks.node, [definition(scene, "h1")]);
      await scene.tasks.advance(5_000);
      const second = await scene.tasks.join();
      await scene.store.announce(second, [definition(scene, "h1"), definition(scene, "h2", "other")]);
      await scene.tasks.advance(1_000);
      assert.deepEqual(await known(scene), [
        ["other", "h2", first + 5_000, 1_000],
        ["report", "h1", first, 6_000],
      ]);
      const all = await scene.store.announced(FORGET_MS);
      const told = all.find(({ namespace, hash }) => namespace === scene.namespace && hash === "h1")!;
      assert.deepEqual(told, { ...definition(scene, "h1"), firstSeenAt: first, liveForMs: 6_000 });
    }),
  },
  {
    name: "a node's new announcement takes the place of its old one, whose hash keeps its age while it is known",
    run: ScheduleScenario.of(async (scene) => {
      const first = scene.tasks.now();
      await scene.store.announce(scene.tasks.node, [definition(scene, "h1")]);
      await scene.tasks.advance(1_000);
      await scene.store.announce(scene.tasks.node, [definition(scene, "h2")]);
      const later = [
        ["report", "h1", first, null],
        ["report", "h2", first + 1_000, 1_000],
      ];
      assert.deepEqual(await known(scene), later);
      await scene.store.announce(scene.tasks.node, [definition(scene, "h1")]);
      assert.deepEqual(await known(scene), [
        ["report", "h1", first, 1_000],
        ["report", "h2", first + 1_000, null],
      ]);
    }),
  },
  {
    name: "what no live node announces any more is known for a while, and then forgotten",
    run: ScheduleScenario.of(async (scene) => {
      const first = scene.tasks.now();
      await scene.store.announce(scene.tasks.node, [definition(scene, "h1")]);
      await scene.tasks.advance(3_000);
      await killNode(scene.subject, scene.tasks.node);
      await scene.tasks.advance(FORGET_MS);
      assert.deepEqual(await known(scene), [["report", "h1", first, null]]);
      await scene.tasks.advance(1);
      assert.deepEqual(await known(scene), []);
      const again = await scene.tasks.join();
      await scene.store.announce(again, [definition(scene, "h1")]);
      assert.deepEqual(await known(scene), [["report", "h1", scene.tasks.now(), 0]]);
      await scene.store.announce(again, []);
    }),
  },
];
