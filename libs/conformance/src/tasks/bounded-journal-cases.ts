import assert from "node:assert/strict";
import {
  type EditRequest,
  type FoldedRefreshes,
  JOURNAL_NOTES,
  JOURNAL_ROWS,
  type JournalEntry,
} from "@tickwheel/core";
import { type NewTaskWish, refOf, Scenario } from "../subject/scenario.js";
import type { ConformanceCase } from "../subject/subject.js";

const REFRESHES = 1_000;
const KEY = "debounced";

/** Refreshes that another one stands for. */
const folding = (count: number): FoldedRefreshes => ({ count, earliestAt: null, leastDelayMs: 60_000 });

export const boundedJournalCases: ConformanceCase[] = [
  {
    name: "a thousand refreshes leave the first, the last and their number in the journal, permanently",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id, createdAt } = await scene.create({ key: KEY });
      for (let count = 1; count <= REFRESHES; count++) {
        await scene.advance(1);
        await refresh(scene, { actor: `refresher ${count}` });
      }
      const kept = [
        { at: createdAt, reason: null, actor: "creator", count: 1 },
        { at: createdAt + 1, reason: "REFRESHED", actor: "refresher 1", count: 1 },
        { at: createdAt + REFRESHES, reason: "REFRESHED", actor: `refresher ${REFRESHES}`, count: REFRESHES - 1 },
      ];
      const told = async () =>
        (await scene.journal(id)).slice(0, 3).map(({ at, reason, actor, count }) => ({ at, reason, actor, count }));
      assert.deepEqual(await told(), kept);
      await scene.fail(await scene.reclaim(id));
      assert.deepEqual(await told(), kept);
      await scene.succeed(await scene.reclaim(id));
      assert.deepEqual(await told(), kept);
      assert.deepEqual(await scene.steps(id), [
        "none>scheduled",
        "scheduled>scheduled",
        "scheduled>scheduled",
        "scheduled>running",
        "running>scheduled",
        "scheduled>running",
        "running>succeeded",
      ]);
    },
  },
  {
    name: "the journal of a task that ended without a way back tells its refreshes from the live table and from history",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create({ key: KEY });
      await refresh(scene);
      await refresh(scene);
      await scene.cancel(id);
      const entries = await scene.journal(id);
      assert.deepEqual(countsOf(entries), ["-", "REFRESHED", "REFRESHED", "REQUESTED"]);
      await scene.store.archive(1_000);
      assert.deepEqual(await scene.journal(id), entries);
      await scene.retry(id);
      assert.deepEqual((await scene.journal(id)).slice(0, -1), entries);
      await refresh(scene);
      assert.deepEqual(countsOf(await scene.journal(id)).slice(4), ["RETRIED", "REFRESHED"]);
    },
  },
  {
    name: "a refresh that stands for several counts as several, wherever it comes among the others",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create({ key: KEY });
      await refresh(scene, { folded: folding(4) });
      assert.deepEqual(countsOf(await scene.journal(id)), ["-", "REFRESHED 5"]);
      const others = scene.newTask({ key: "another", onConflict: "refresh" });
      await scene.createAll(others, refreshOf(scene, { folded: folding(2) }));
      await refresh(scene, { folded: folding(3) });
      assert.deepEqual(countsOf(await scene.journal(id)), ["-", "REFRESHED 5", "REFRESHED 7"]);
      assert.deepEqual(countsOf(await scene.journal(others.id)), ["-"]);
    },
  },
  {
    name: "of deferrals that follow each other the first and the last are told, with how many there were",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create({});
      for (let count = 1; count <= 2 * JOURNAL_NOTES; count++)
        await scene.store.defer([{ ...refOf(await scene.reclaim(id)), delayMs: 0 }]);
      await scene.succeed(await scene.reclaim(id));
      const folded = ["-", "BREAKER", `BREAKER ${2 * JOURNAL_NOTES - 1}`, "-", "-"];
      assert.deepEqual(countsOf(await scene.journal(id)), folded);
    },
  },
  {
    name: "another change between refreshes ends their folding, and so does a deferral",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create({ key: KEY });
      const refreshThrice = async () => {
        for (let count = 1; count <= 3; count++) await refresh(scene);
      };
      await refreshThrice();
      await edit(scene, { id, actor: "editor" });
      await refreshThrice();
      const { owner, fence } = await scene.reclaim(id);
      await scene.store.defer([{ id, owner, fence, delayMs: 0 }]);
      await refresh(scene);
      await scene.store.release([{ ...refOf(await scene.reclaim(id)), reason: "DRAIN" }]);
      await refreshThrice();
      assert.deepEqual(countsOf(await scene.journal(id)), [
        "-",
        "REFRESHED",
        "REFRESHED 2",
        "EDITED",
        "REFRESHED",
        "REFRESHED 2",
        "BREAKER",
        "REFRESHED",
        "-",
        "DRAIN",
        "REFRESHED",
        "REFRESHED 2",
      ]);
      const refreshed = (await scene.journal(id)).filter(({ reason }) => reason === "REFRESHED");
      assert.deepEqual(
        refreshed.map(({ fence: at, attempt, node }) => [at, attempt, node]),
        [0, 0, 0, 0, 2, 4, 4].map((at) => [at, 0, null]),
      );
    },
  },
  {
    name: "edits of one kind by one actor are folded, others get one entry each",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create();
      for (let count = 1; count <= 4; count++) await edit(scene, { id, actor: "one" });
      await edit(scene, { id, actor: "another" });
      await edit(scene, { id, actor: "another", changes: { due: { delayMs: 1_000 } } });
      await edit(scene, { id, actor: "one" });
      await edit(scene, { id, actor: "one" });
      const told = (await scene.journal(id)).map(({ reason, actor, count }) => [reason, actor, count]);
      assert.deepEqual(told, [
        [null, "creator", 1],
        ["EDITED", "one", 1],
        ["EDITED", "one", 3],
        ["EDITED", "another", 1],
        ["RESCHEDULED", "another", 1],
        ["EDITED", "one", 1],
        ["EDITED", "one", 1],
      ]);
    },
  },
  {
    name: "alternating changes of all kinds leave a bounded number of entries, and the last one stands for the rest",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create({ key: KEY });
      const rounds = 50;
      for (let round = 1; round <= rounds; round++) {
        await edit(scene, { id, actor: `editor ${round}` });
        await refresh(scene);
      }
      const entries = await scene.journal(id);
      assert.equal(entries.length, 1 + JOURNAL_NOTES);
      assert.equal(entries.at(-1)?.reason, "REFRESHED");
      assert.equal(totalOf(entries), 1 + 2 * rounds);
      await scene.fail(await scene.reclaim(id));
      await edit(scene, { id, actor: "editor" });
      assert.deepEqual(countsOf(await scene.journal(id)).slice(entries.length), ["-", "FAILED", "EDITED"]);
    },
  },
  {
    name: "a task that is cancelled and retried endlessly has a bounded journal, which ends with the last transitions",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create({ key: KEY });
      let transitions = 1;
      const cancelAndRetry = async () => {
        await scene.cancel(id);
        await scene.retry(id);
        transitions += 2;
      };
      while (transitions < JOURNAL_ROWS - 1) await cancelAndRetry();
      assert.equal((await scene.journal(id)).length, transitions);
      for (let round = 1; round <= 3; round++) await cancelAndRetry();
      const atLimit = await scene.journal(id);
      assert.deepEqual(countsOf(atLimit).slice(-2), ["RETRIED", "RETRIED 6"]);
      assert.equal(totalOf(atLimit), transitions);
      await refresh(scene);
      await refresh(scene);
      await scene.fail(await scene.reclaim(id));
      assert.deepEqual(countsOf(await scene.journal(id)).slice(-2), ["RETRIED", "FAILED 10"]);
      await scene.reap(await claimedByVictim(scene, id));
      assert.deepEqual(countsOf(await scene.journal(id)).slice(-2), ["RETRIED", "CRASHED 12"]);
      await scene.bury(await scene.reclaim(id));
      const entries = await scene.journal(id);
      assert.deepEqual(countsOf(entries).slice(-4), ["RETRIED", "CRASHED 12", "-", "ATTEMPTS"]);
      assert.equal(totalOf(entries), transitions + 8);
    },
  },
  {
    name: "a journal is read page by page, over the stored rows and the entries that the task's row tells",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create();
      for (let attempt = 1; attempt <= 2; attempt++) await scene.fail(await scene.reclaim(id));
      await edit(scene, { id, actor: "editor" });
      await scene.bury(await scene.reclaim(id));
      const entries = await scene.journal(id);
      assert.equal(entries.length, 8);
      for (const limit of [1, 3, 4, 7, 8]) assert.deepEqual(await scene.journal(id, limit), entries);
      const first = await scene.journalPage(id, { limit: 3 });
      assert.deepEqual(first.entries, entries.slice(0, 3));
      assert.notEqual(first.next, null);
      assert.deepEqual(await scene.journalPage(id, { limit: 8 }), { entries, next: null });
      assert.deepEqual(await scene.journalPage(id, { limit: 8, after: 1_000_000 }), { entries: [], next: null });
    },
  },
];

/** A node of its own that has claimed the task. */
async function claimedByVictim(scene: Scenario, id: string): Promise<string> {
  const victim = await scene.join();
  await scene.reclaim(id, victim);
  return victim;
}

function refreshOf(scene: Scenario, given: NewTaskWish = {}) {
  return scene.newTask({ key: KEY, onConflict: "refresh", ...given });
}

async function refresh(scene: Scenario, given: NewTaskWish = {}): Promise<void> {
  const [result] = await scene.createAll(refreshOf(scene, given));
  assert.equal(result?.outcome, "refreshed");
}

interface Edit {
  id: string;
  actor: string;
  changes?: EditRequest["changes"];
}
async function edit(scene: Scenario, { changes = { priority: 1 }, ...given }: Edit): Promise<void> {
  const { outcome } = await scene.store.edit({ namespace: scene.namespace, changes, ...given });
  assert.equal(outcome, "changed");
}

/** The reason of each entry, and how many transitions it stands for. */
function countsOf(entries: readonly JournalEntry[]): string[] {
  return entries.map(({ reason, count }) => `${reason ?? "-"}${count === 1 ? "" : ` ${count}`}`);
}

function totalOf(entries: readonly JournalEntry[]): number {
  return entries.reduce((sum, { count }) => sum + count, 0);
}
