import { beforeEach, describe, expect, test } from "@jest/globals";
import type { OperationMove } from "@tickwheel/core";
import type { PostgresStores } from "@tickwheel/postgres-store";
import { startForSpec } from "../support/start-for-spec.js";
import { HOUR, OperationScenes, startOperations, type OperationWish } from "./operations.scene.js";
import { UndoScenes } from "./operations.undo.scene.js";
import { NAMESPACE, type Scene } from "./postgres-store.scene.js";

let scene: Scene;
let stores: PostgresStores;
let undo: UndoScenes;

startForSpec(startOperations, (its) => ({ scene, stores } = its));
beforeEach(async () => {
  undo = new UndoScenes(await OperationScenes.open(scene, stores));
});

const COUNT = 37;
type Prepare = (scenes: UndoScenes) => Promise<string[]>;
const waiting: Prepare = (scenes) => scenes.waiting(COUNT);
const scheduled: Prepare = (scenes) => scenes.scheduled(COUNT);
const paused: Prepare = (scenes) => scenes.paused(COUNT);
const dead: Prepare = (scenes) => scenes.dead(COUNT);
const ended: Prepare = (scenes) => scenes.ended(COUNT);
const failing: Prepare = (scenes) => scenes.failing(COUNT);

interface Action {
  title: string;
  wish: OperationWish;
  /** The tasks that it is done to. */
  prepare: Prepare;
  /** What the journal tells of it. */
  told: string;
}

const moved = (move: OperationMove): OperationWish => ({ action: "reschedule", options: { move } });
const at = Date.now() + 3 * HOUR;

const ACTIONS: readonly Action[] = [
  { title: "cancel", wish: { action: "cancel" }, prepare: waiting, told: "REQUESTED" },
  { title: "reschedule to an instant", wish: moved({ kind: "set", at }), prepare: waiting, told: "RESCHEDULED" },
  {
    title: "reschedule by a minute",
    wish: moved({ kind: "shift", byMs: 60_000 }),
    prepare: waiting,
    told: "RESCHEDULED",
  },
  {
    title: "reschedule over an hour",
    wish: moved({ kind: "spread", from: at, to: at + HOUR }),
    prepare: waiting,
    told: "RESCHEDULED",
  },
  { title: "run now", wish: { action: "run_now" }, prepare: scheduled, told: "RESCHEDULED" },
  { title: "pause", wish: { action: "pause" }, prepare: scheduled, told: "PAUSED" },
  { title: "resume", wish: { action: "resume" }, prepare: paused, told: "RESUMED" },
  { title: "add a tag", wish: { action: "add_tag", options: { tag: "x" } }, prepare: waiting, told: "TAGGED" },
  {
    title: "add a tag to dead ones",
    wish: { action: "add_tag", options: { tag: "x" } },
    prepare: dead,
    told: "TAGGED",
  },
  { title: "remove a tag", wish: { action: "remove_tag", options: { tag: "y" } }, prepare: scheduled, told: "TAGGED" },
  { title: "retry", wish: { action: "retry" }, prepare: ended, told: "RETRIED" },
  { title: "retry of failing ones", wish: { action: "retry" }, prepare: failing, told: "RETRIED" },
  {
    title: "restore",
    wish: { action: "restore", options: { includeOverdue: true } },
    prepare: ended,
    told: "RESTORED",
  },
  { title: "discard", wish: { action: "discard" }, prepare: dead, told: "DISCARDED" },
];

describe("an undo", () => {
  test.each(ACTIONS)(
    "an undo of $title leaves each task as it was, and tells of both",
    async ({ wish, prepare, told }) => {
      const ids = await prepare(undo);
      const image = await undo.image(ids);
      const members = await undo.members(ids);
      const journals = await Promise.all(ids.map((id) => undo.journal(id)));
      const operation = await undo.done(wish, COUNT, 10);
      expect(await undo.image(ids)).not.toBe(image);
      expect(await undo.gaps()).toEqual([]);
      expect(await undo.reach(operation)).toEqual({ lookedAt: COUNT, reachable: COUNT, due: 0 });
      const undone = await undo.undo(operation, "leave", 10);
      expect(undone).toMatchObject({ state: "undone", undone: COUNT, leftBehind: {} });
      expect(await undo.image(ids)).toBe(image);
      expect(await undo.members(ids)).toEqual(members);
      expect(await undo.gaps()).toEqual([]);
      for (const [i, id] of ids.entries()) {
        const journal = await undo.journal(id);
        expect(journal.slice(0, -2)).toEqual(journals[i]);
        expect(journal.slice(-2).map(({ reason, count }) => [reason, count])).toEqual([
          [told, 1],
          ["UNDONE", 1],
        ]);
        expect(journal.at(-1)!.actor).toBe(`operation:${operation.id}`);
      }
    },
  );

  test("an undo finds what an operation has cancelled, also where a type keeps no cancelled tasks", async () => {
    const { its } = undo;
    const [byOne, ...byAll] = await undo.scheduled(COUNT);
    await its.cancel([byOne!]);
    await stores.tasks.archive(100_000);
    const operation = await undo.done({ action: "cancel" }, byAll.length, 10);
    const forget = () =>
      stores.tasks.forgetEnded({ typeId: its.typeId, state: "cancelled", keptMs: -60_000, after: null, limit: 1_000 });
    expect(await forget()).toEqual({ forgotten: 1, next: null });
    expect(await undo.undo(operation)).toMatchObject({ state: "undone", undone: byAll.length, leftBehind: {} });
    expect(new Set(await its.states(byAll))).toEqual(new Set(["scheduled"]));

    const again = await undo.done({ action: "cancel" }, byAll.length);
    await its.query("UPDATE tickwheel.operation SET forgotten_at = now() WHERE id = $1", [again.id]);
    expect(await forget()).toEqual({ forgotten: 0, next: null });
    await its.query("UPDATE tickwheel.operation SET forgotten_at = now()");
    expect(await forget()).toEqual({ forgotten: byAll.length, next: null });
  });

  test("an undo takes out of the counters what an operation ended, and counts again what the operation brought back", async () => {
    await undo.ended(10);
    const counted = await undo.counted();
    await undo.undo(await undo.done({ action: "retry" }, 10));
    expect(await undo.counted()).toEqual(counted);
    await undo.undo(await undo.done({ action: "discard" }, 4));
    await undo.its.tasks(3);
    await undo.undo(await undo.done({ action: "cancel" }, 3));
    // The node that makes a page counts what the page has ended; the undo takes that out.
    expect(await undo.counted()).toEqual(counted.map((count, end) => (end === 2 ? count - 7 : count)));
  });

  test("an undo may be followed by the same operation and its undo again, and by an end", async () => {
    const [id] = await undo.dead(1);
    for (let round = 0; round < 3; round++) await undo.undo(await undo.done({ action: "retry" }, 1));
    await undo.undo(await undo.done({ action: "discard" }, 1));
    await undo.done({ action: "retry" }, 1);
    await undo.its.succeed([id!]);
    const told = (await undo.journal(id!)).map(({ from, to, reason }) => `${from}>${to} ${reason}`);
    const pair = ["dead>scheduled RETRIED", "scheduled>dead UNDONE"];
    expect(told).toEqual([
      "null>scheduled null",
      "scheduled>running null",
      "running>dead NON_RETRYABLE",
      ...pair,
      ...pair,
      ...pair,
      "dead>cancelled DISCARDED",
      "cancelled>dead UNDONE",
      "dead>scheduled RETRIED",
      "scheduled>running null",
      "running>succeeded null",
    ]);
    expect(await undo.gaps()).toEqual([]);
  });

  test("an undo of many retries keeps the row's notes bounded", async () => {
    const [id] = await undo.dead(1);
    for (let round = 0; round < 12; round++) await undo.undo(await undo.done({ action: "retry" }, 1));
    const journal = await undo.journal(id!);
    expect(journal.length).toBe(3 + 20);
    expect(journal.reduce((sum, { count }) => sum + count, 0)).toBe(3 + 24);
    expect(journal.at(-1)).toMatchObject({ from: "scheduled", to: "dead", reason: "UNDONE" });
  });
});

describe("a journal that is full", () => {
  /** As if so many entries were stored as there may be. */
  async function fill(id: string): Promise<void> {
    await undo.its.query(
      `INSERT INTO tickwheel.journal (task_id, recorded_at, at, seq, fence, attempt, from_state, to_state)
       SELECT id, now(), now(), n, 1, 1, 1, 0 FROM tickwheel.task, generate_series(1, 1999) n WHERE id = $1`,
      [id],
    );
    await undo.its.query("UPDATE tickwheel.task SET journal_count = 1999 WHERE id = $1", [id]);
  }
  const tail = async (id: string): Promise<string[]> => {
    const rest = await stores.tasks.journal({ namespace: NAMESPACE, id, limit: 200, after: 1_999 });
    return rest!.entries.map(({ from, to, reason, count }) => `${from}>${to} ${reason} ${count}`);
  };

  test("a journal that is full tells of a discard behind the death, and of what comes after", async () => {
    const [id] = await undo.dead(1);
    await fill(id!);
    const before = await undo.image([id!]);
    const discarded = await undo.done({ action: "discard" }, 1);
    expect(await tail(id!)).toEqual(["running>dead NON_RETRYABLE 2", "dead>cancelled DISCARDED 1"]);
    await undo.undo(discarded);
    expect(await undo.image([id!])).toBe(before);
    expect(await tail(id!)).toEqual([
      "scheduled>running null 1",
      "running>dead NON_RETRYABLE 1",
      "dead>cancelled DISCARDED 1",
      "cancelled>dead UNDONE 1",
    ]);
  });

  test("a journal that is full tells of a way back before the end that follows it", async () => {
    const [id] = await undo.dead(1);
    await fill(id!);
    await undo.done({ action: "retry" }, 1);
    expect(await tail(id!)).toEqual(["dead>scheduled RETRIED 3"]);
    await undo.its.succeed([id!]);
    expect(await tail(id!)).toEqual([
      "dead>scheduled RETRIED 3",
      "scheduled>running null 1",
      "running>succeeded null 1",
    ]);
  });
});

describe("what became of a task is told", () => {
  test("an undo tells DUE_MEANWHILE of a task that would be due by now: it is left, or put back and due now, as asked", async () => {
    for (const [overdue, outcome] of [
      ["leave", "DUE_MEANWHILE"],
      ["run", "UNDONE"],
    ] as const) {
      undo = await undo.another();
      const { its } = undo;
      const late = await its.task({ due: { delayMs: 0 } });
      const soon = await its.task({ due: { delayMs: 0 } });
      const far = await its.task({ due: { delayMs: HOUR } });
      const operation = await undo.done({ action: "cancel" }, 3);
      // As if one had been due a moment after the operation.
      await its.query("UPDATE tickwheel.operation_task SET due_at = at + interval '1 ms' WHERE task_id = $1", [
        soon.id,
      ]);
      await its.query("UPDATE tickwheel.operation_task SET due_at = at - interval '1 h' WHERE task_id = $1", [late.id]);
      expect(await undo.reach(operation)).toEqual({ lookedAt: 3, reachable: 3, due: 1 });
      const undone = await undo.undo(operation, overdue);
      expect(await undo.outcomes(operation, [late.id, soon.id, far.id])).toEqual(["UNDONE", outcome, "UNDONE"]);
      expect(undone.leftBehind).toEqual(overdue === "leave" ? { DUE_MEANWHILE: 1 } : {});
      expect(await its.states([soon.id])).toEqual([overdue === "leave" ? "cancelled" : "scheduled"]);
      const { dueAt } = await its.get(late.id);
      expect(dueAt).toBeGreaterThanOrEqual(undone.undo!.at);
      expect((await its.get(far.id)).dueAt).toBe(far.dueAt);
    }
  });

  test("an undo tells KEY_TAKEN of a task whose key another live task has", async () => {
    const ids = await undo.waiting(2);
    const [one, other] = ids;
    const operation = await undo.done({ action: "cancel" }, 2);
    const { key } = await undo.its.get(one!);
    const taker = await undo.its.task({ key: key! });
    expect((await undo.undo(operation)).leftBehind).toEqual({ KEY_TAKEN: 1 });
    expect(await undo.outcomes(operation, ids)).toEqual(["KEY_TAKEN", "UNDONE"]);
    expect(await undo.its.states([one!, other!, taker.id])).toEqual(["cancelled", "scheduled", "scheduled"]);
  });

  test("an undo tells STARTED and HAS_RUN of a task that runs, or has run since", async () => {
    const ids = await undo.dead(4);
    const operation = await undo.done({ action: "retry" }, 4);
    await undo.its.fail([ids[0]!]);
    await undo.its.succeed([ids[1]!]);
    await undo.its.claim([ids[2]!]);
    expect(await undo.reach(operation)).toEqual({ lookedAt: 4, reachable: 1, due: 0 });
    expect((await undo.undo(operation)).leftBehind).toEqual({ HAS_RUN: 2, STARTED: 1 });
    expect(await undo.outcomes(operation, ids)).toEqual(["HAS_RUN", "HAS_RUN", "STARTED", "UNDONE"]);
    expect(await undo.its.states(ids)).toEqual(["scheduled", "succeeded", "running", "dead"]);
  });

  test("an undo tells TOUCHED of a task that was edited, retried or cancelled since, or changed by another operation", async () => {
    const ids = await undo.its.tasks(4);
    const operation = await undo.done({ action: "pause" }, 4);
    const target = { namespace: NAMESPACE, id: ids[0]! };
    await stores.tasks.edit({ ...target, changes: { priority: 1 }, actor: "test" });
    await stores.tasks.cancel({ target: { ...target, id: ids[1]! }, actor: "test" });
    await undo.undo(await undo.its.run({ action: "cancel", filter: { type: undo.its.type, id: [ids[2]!] } }));
    expect((await undo.undo(operation)).leftBehind).toEqual({ TOUCHED: 3 });
    expect(await undo.outcomes(operation, ids)).toEqual(["TOUCHED", "TOUCHED", "TOUCHED", "UNDONE"]);
    expect(await undo.its.states(ids)).toEqual(["paused", "cancelled", "paused", "scheduled"]);
    expect((await undo.its.get(ids[0]!)).priority).toBe(1);
  });

  test("an undo tells GONE of a task that is past its retention", async () => {
    const ids = await undo.its.tasks(2);
    const operation = await undo.done({ action: "cancel" }, 2);
    await undo.its.query("DELETE FROM tickwheel.history WHERE id = $1", [ids[0]]);
    expect((await undo.undo(operation)).leftBehind).toEqual({ GONE: 1 });
    expect(await undo.outcomes(operation, ids)).toEqual(["GONE", "UNDONE"]);
  });

  test("an undo tells LOCKED of a task that others held for six rounds, and all else is undone", async () => {
    const ids = await undo.its.tasks(5);
    const operation = await undo.done({ action: "pause" }, 5);
    const other = await undo.its.holding([ids[2]!]);
    const undone = await undo.undo(operation, "leave", 2);
    expect(undone).toMatchObject({ state: "undone", undone: 4, leftBehind: { LOCKED: 1 } });
    expect(await undo.outcomes(operation, ids)).toEqual(["UNDONE", "UNDONE", "LOCKED", "UNDONE", "UNDONE"]);
    await other.query("ROLLBACK");
    expect(await undo.its.states(ids)).toEqual(["scheduled", "scheduled", "paused", "scheduled", "scheduled"]);
  });

  test("an undo tells WITHOUT_RESULT of a task whose result was too large to remember, or one too many, and undoes it", async () => {
    const ids = await undo.ended(5);
    const succeeded = ids[1]!;
    await undo.its.query("UPDATE tickwheel.history SET result = to_json(repeat('x', 65535)) WHERE id = $1", [
      succeeded,
    ]);
    const large = await undo.undo(await undo.done({ action: "retry" }, 5));
    expect(large).toMatchObject({ undone: 5, leftBehind: { WITHOUT_RESULT: 1 } });
    expect(await undo.its.get(succeeded)).toMatchObject({ state: "succeeded", result: null });

    await undo.its.query("UPDATE tickwheel.history SET result = to_json(repeat('x', 65534)) WHERE id = $1", [
      succeeded,
    ]);
    const kept = await undo.undo(await undo.done({ action: "retry" }, 5));
    expect(kept).toMatchObject({ undone: 5, leftBehind: {} });

    const full = await undo.its.start({ action: "retry" });
    await undo.its.query("UPDATE tickwheel.operation SET result_bytes = 256 * 1024 * 1024 WHERE id = $1", [full.id]);
    await undo.its.carryOut(full);
    expect(await undo.undo(full)).toMatchObject({ undone: 5, leftBehind: { WITHOUT_RESULT: 1 } });
  });
});

describe("a restore", () => {
  test("a restore leaves tasks whose time has passed, unless it is to bring them; all others are due as they were", async () => {
    const { its } = undo;
    const late = await its.task({ due: { delayMs: 0 } });
    const far = await its.task({ due: { delayMs: HOUR }, startDeadlineMs: HOUR });
    await undo.done({ action: "cancel" }, 2);
    const some = await its.run({ action: "restore" });
    expect(some).toMatchObject({ changed: 1, passed: { OVERDUE: 1 } });
    expect(await its.get(far.id)).toMatchObject({ dueAt: far.dueAt, startDeadlineAt: far.startDeadlineAt });
    await undo.done({ action: "restore", options: { includeOverdue: true } }, 1);
    expect((await its.get(late.id)).dueAt).toBeGreaterThanOrEqual(some.createdAt);
  });
});

describe("members of a batch", () => {
  test("members of a batch that are discarded count as cancelled, and as dead again after the undo", async () => {
    const ids = await undo.dead(2);
    const [before] = (await undo.members(ids)) as [{ dead: number }];
    const operation = await undo.done({ action: "discard" }, 2);
    expect(await undo.members(ids)).toEqual([expect.objectContaining({ dead: before.dead - 1, cancelled: 1 })]);
    await undo.undo(operation);
    expect(await undo.members(ids)).toEqual([before]);
  });
});
