import assert from "node:assert/strict";
import {
  type ScheduleFilter,
  SCHEDULE_STATES,
  type SchedulePage,
  type SchedulePause,
  scheduleState,
} from "@tickwheel/schedules";
import { changeOf, ScheduleScenario } from "../subject/schedule-scene.js";
import type { ConformanceCase } from "../subject/subject.js";

export const scheduleListCases: ConformanceCase[] = [
  {
    name: "schedules are listed by name, page by page, but for deleted ones",
    run: ScheduleScenario.of(async (scene) => {
      for (const name of ["b", "a", "C", "d"]) await scene.add({ name });
      await remove(scene, "b");
      assert.deepEqual(await pagesOf(scene, { limit: 2 }), [["C", "a"], ["d"]]);
      assert.deepEqual(await pagesOf(scene, { limit: 3 }), [["C", "a", "d"], []]);
    }),
  },
  {
    name: "schedules of a state, of a type and of both are listed by name, page by page, but for deleted ones",
    run: ScheduleScenario.of(async (scene) => {
      const other = await otherType(scene);
      const pauses = ["REQUESTED", "FAILURES", "UNANNOUNCED"] as const;
      for (const [index, name] of ["h", "B", "e", "d", "a", "f", "g", "c"].entries()) {
        const pause = index < 5 ? pauseOf(pauses[index % 3]!) : null;
        await scene.add({ name, ...(index % 2 === 0 ? {} : other) }, (seen) => changeOf(seen, { planning: { pause } }));
      }
      for (const name of ["z", "y"]) await addFinished(scene, name);
      for (const name of ["e", "g", "y"]) await remove(scene, name);
      const { type } = scene.tasks.type;
      for (const [filter, names] of [
        [{ state: "paused" }, ["B", "a", "d", "h"]],
        [{ state: "active" }, ["c", "f"]],
        [{ state: "finished" }, ["z"]],
        [{ type }, ["a", "h", "z"]],
        [{ type: other.type }, ["B", "c", "d", "f"]],
        [{ type, state: "paused" }, ["a", "h"]],
        [{ type: other.type, state: "active" }, ["c", "f"]],
        [{ type: other.type, state: "finished" }, []],
        [{ type: "no.such.type" }, []],
      ] satisfies [Partial<ScheduleFilter>, string[]][])
        for (const limit of [1, 2, 100]) {
          const pages = await pagesOf(scene, { ...filter, limit });
          assert.deepEqual([filter, pages.flat()], [filter, names]);
          assert.equal(pages.length, Math.floor(names.length / limit) + 1, "a page is full, but for the last");
        }
    }),
  },
  {
    name: "schedules whose names begin so are listed by name, of any state and type, and case counts",
    run: ScheduleScenario.of(async (scene) => {
      const names = ["mail", "mail.a", "mail:", "mailer", "Mail", "mai", "maj", "ma_l", "m%", "z"];
      for (const name of names) await scene.add({ name });
      for (const name of ["mail.f", "y"]) await addFinished(scene, name);
      const paused = pauseOf("REQUESTED");
      await scene.add({ name: "mail.p" }, (seen) => changeOf(seen, { planning: { pause: paused } }));
      const { type } = scene.tasks.type;
      for (const [filter, found] of [
        [{ namePrefix: "mail" }, ["mail", "mail.a", "mail.f", "mail.p", "mail:", "mailer"]],
        [{ namePrefix: "mail.", type }, ["mail.a", "mail.f", "mail.p"]],
        [{ namePrefix: "mail", state: "active" }, ["mail", "mail.a", "mail:", "mailer"]],
        [{ namePrefix: "mail", state: "paused" }, ["mail.p"]],
        [{ namePrefix: "mail", state: "finished", type }, ["mail.f"]],
        [{ namePrefix: "ma%" }, []],
        [{ namePrefix: "ma_" }, ["ma_l"]],
        [{ namePrefix: "mä" }, []],
        [{ namePrefix: "z" }, ["z"]],
      ] satisfies [Partial<ScheduleFilter>, string[]][])
        for (const limit of [1, 2, 100]) {
          const pages = await pagesOf(scene, { ...filter, limit });
          assert.deepEqual([filter, pages.flat()], [filter, found]);
        }
    }),
  },
  {
    name: "the type of another namespace and its schedules are in no list of this one",
    run: ScheduleScenario.of(async (scene) => {
      const elsewhere = await ScheduleScenario.open(scene.subject);
      await elsewhere.add({ name: "a" });
      await addFinished(elsewhere, "b");
      await scene.add({ name: "c" });
      const { type } = elsewhere.tasks.type;
      assert.deepEqual(await pagesOf(scene, { limit: 9, type }), [["c"]]);
      assert.deepEqual(await pagesOf(scene, { limit: 9, state: "finished" }), [[]]);
      assert.deepEqual(await pagesOf(scene, { limit: 9, state: "active" }), [["c"]]);
    }),
  },
  {
    name: "a schedule is in the lists of the state that it has now",
    run: ScheduleScenario.of(async (scene) => {
      const { id } = await scene.add({ name: "a" });
      for (const [state, planning] of [
        ["paused", { pause: pauseOf("REQUESTED") }],
        ["active", { pause: null }],
        ["finished", { isFinished: true }],
        ["paused", { pause: pauseOf("FAILURES"), isFinished: true }],
        ["active", { pause: null, isFinished: false }],
      ] as const) {
        const done = await scene.change(id, (seen) => changeOf(seen, { planning }));
        assert.equal(scheduleState(done!.schedule.planning), state);
        const listed = await Promise.all(SCHEDULE_STATES.map((one) => pagesOf(scene, { limit: 9, state: one })));
        assert.deepEqual(
          listed.map((pages) => pages.flat().length),
          SCHEDULE_STATES.map((one) => (one === state ? 1 : 0)),
        );
      }
    }),
  },
];

/** The names of all pages. */
async function pagesOf(
  { store, namespace }: ScheduleScenario,
  filter: Omit<ScheduleFilter, "namespace" | "after">,
): Promise<string[][]> {
  const pages: string[][] = [];
  let page: SchedulePage | null = null;
  do {
    page = await store.list({ namespace, after: page?.next ?? null, ...filter });
    assert.equal(page.incomplete, false);
    pages.push(page.schedules.map(({ name }) => name));
  } while (page.next !== null);
  return pages;
}

async function otherType(scene: ScheduleScenario): Promise<{ typeId: number; type: string }> {
  const { namespace, subject } = scene;
  const { id, type } = await subject.store().ensureType({ namespace, type: "order.settle", delivery: "handler" });
  return { typeId: id, type };
}

function pauseOf(reason: SchedulePause["reason"]): SchedulePause {
  return { since: 0, until: null, reason };
}

async function addFinished(scene: ScheduleScenario, name: string): Promise<void> {
  await scene.add({ name }, (seen) => changeOf(seen, { planning: { isFinished: true } }));
}

async function remove({ store, namespace }: ScheduleScenario, name: string): Promise<void> {
  await store.change({ namespace, name }, (seen) => changeOf(seen, { isDeleted: true }));
}
