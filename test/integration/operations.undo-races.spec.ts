import { beforeEach, describe, expect, test } from "@jest/globals";
import type { PostgresStores } from "@tickwheel/postgres-store";
import { startForSpec } from "../support/start-for-spec.js";
import { OperationScenes, startOperations } from "./operations.scene.js";
import { storm } from "./operations.storm.js";
import { UndoScenes } from "./operations.undo.scene.js";
import { goOn, killPage, stopPage, UNDO_DOORS } from "./page-door.js";
import { joinNode, NAMESPACE, type Scene } from "./postgres-store.scene.js";

let scene: Scene;
let stores: PostgresStores;
let undo: UndoScenes;

startForSpec(startOperations, (its) => ({ scene, stores } = its));
beforeEach(async () => {
  undo = new UndoScenes(await OperationScenes.open(scene, stores));
});

/** How somebody else's transaction ends. */
const ENDS = ["COMMIT", "ROLLBACK"] as const;

describe("keys", () => {
  test("a create waits for keys of cancelled tasks and makes a new task; the undo leaves it its key", async () => {
    const ids = await undo.waiting(2);
    const { key } = await undo.its.get(ids[0]!);
    const operation = await undo.its.start({ action: "cancel" });
    const under = await stopPage(undo.its, operation, { door: "written" });
    const created = undo.its.task({ key: key! });
    await undo.its.untilWaiting();
    expect((await goOn(under)).operation.changed).toBe(2);
    expect(await undo.its.states([(await created).id])).toEqual(["scheduled"]);
    await undo.its.carryOut(operation);
    expect((await undo.undo(operation)).leftBehind).toEqual({ KEY_TAKEN: 1 });
    expect(await undo.outcomes(operation, ids)).toEqual(["KEY_TAKEN", "UNDONE"]);
  });

  test("a key that two retried tasks want goes to the newer; a live holder keeps its key", async () => {
    const { its } = undo;
    const cancel = (id: string) => stores.tasks.cancel({ target: { namespace: NAMESPACE, id }, actor: "test" });
    const made: string[] = [];
    for (const key of ["one", "one", "other"]) {
      const { id } = await its.task({ key });
      made.push(id);
      await cancel(id);
    }
    const holder = await its.task({ key: "other" });
    const retry = await its.run({ action: "retry", filter: { type: its.type, states: ["cancelled"] } });
    expect(retry).toMatchObject({ changed: 1, passed: { KEY_TAKEN: 2 } });
    const [older, newer] = made.slice(0, 2).toSorted();
    expect(await its.states([older!, newer!, made[2]!, holder.id])).toEqual([
      "cancelled",
      "scheduled",
      "cancelled",
      "scheduled",
    ]);
  });

  test.each(ENDS)(
    "keys that are being taken while a page retries or undoes cost only their own task: %s",
    async (end) => {
      for (const action of ["retry", "cancel"] as const) {
        undo = await undo.another();
        const ids = await undo.waiting(3);
        if (action === "retry") await undo.done({ action: "cancel" }, 3);
        const operation = action === "retry" ? await undo.its.start({ action }) : await undo.done({ action }, 3);
        if (action === "cancel") await undo.begin(operation);
        const other = await undo.its.begin();
        await undo.takeKey(other, ids[1]!);
        expect((await undo.its.page(operation))!.tasks.length).toBe(2);
        await other.query(end);
        const { state, undone, changed, leftBehind, passed } = await undo.its.carryOut(operation);
        const all = end === "COMMIT" ? 2 : 3;
        expect([state, action === "retry" ? changed : undone]).toEqual([action === "retry" ? "done" : "undone", all]);
        expect(action === "retry" ? passed : leftBehind).toEqual(end === "COMMIT" ? { KEY_TAKEN: 1 } : {});
        await undo.its.query("DELETE FROM tickwheel.task WHERE created_by = 'test'");
      }
    },
  );
});

describe("an undo", () => {
  test.each(ENDS)("an undo passes by what a claim holds: %s", async (end) => {
    const ids = await undo.scheduled(3);
    const image = await undo.image(ids);
    const operation = await undo.done({ action: "run_now" }, 3);
    const other = await undo.its.begin();
    await undo.claimIn(other, ids[1]!);
    await undo.begin(operation);
    expect((await undo.its.page(operation))!.operation.undone).toBe(2);
    await other.query(end);
    const undone = await undo.its.carryOut(operation);
    expect(undone.leftBehind).toEqual(end === "COMMIT" ? { STARTED: 1 } : {});
    if (end === "ROLLBACK") expect(await undo.image(ids)).toBe(image);
  });

  test("an undo is passed by by a claim, which finds nothing due behind it", async () => {
    const ids = await undo.scheduled(1);
    const operation = await undo.done({ action: "run_now" }, 1);
    const owner = await joinNode(stores);
    const claim = async () => (await stores.tasks.claim({ owner, ids, claimAheadMs: 0 })).tasks;
    await undo.begin(operation);
    const under = await stopPage(undo.its, operation, { door: "written" });
    expect(await claim()).toEqual([]);
    expect((await goOn(under)).operation.undone).toBe(1);
    expect(await claim()).toEqual([]);
  });

  test("an undo is waited for by an edit, which changes what was put back", async () => {
    const [id] = await undo.scheduled(1);
    const before = await undo.its.get(id!);
    const shift = { kind: "shift", byMs: 60_000 } as const;
    const operation = await undo.done({ action: "reschedule", options: { move: shift } }, 1);
    await undo.begin(operation);
    const under = await stopPage(undo.its, operation, { door: "written" });
    const edit = stores.tasks.edit({ namespace: NAMESPACE, id: id!, changes: { priority: 1 }, actor: "test" });
    await undo.its.untilWaiting();
    expect((await goOn(under)).operation.undone).toBe(1);
    await edit;
    expect(await undo.its.get(id!)).toMatchObject({ dueAt: before.dueAt, priority: 1, version: before.version + 3 });
  });

  test("an undo is begun by one of two who ask for it at once, and never again; two carriers put each task back once", async () => {
    const ids = await undo.scheduled(20);
    const operation = await undo.done({ action: "cancel" }, 20);
    const replies = await Promise.all([undo.begin(operation), undo.begin(operation)]);
    expect(replies.map(({ outcome }) => outcome).toSorted()).toEqual(["changed", "state_conflict"]);
    await Promise.all([undo.its.carryOut(operation, 4), undo.its.carryOut(operation, 4)]);
    const undone = await undo.its.carryOut(operation);
    expect(undone).toMatchObject({ state: "undone", undone: 20 });
    expect((await undo.begin(operation)).outcome).toBe("state_conflict");
    const [told] = await undo.its.query(
      "SELECT count(*)::int AS count FROM tickwheel.journal WHERE reason = 'UNDONE' AND task_id = ANY ($1)",
      [ids],
    );
    expect(told!.count).toBe(20);
  });

  test("an undo whose carrier is killed in the middle of a page puts every task back once", async () => {
    const ids = await undo.waiting(12);
    const image = await undo.image(ids);
    const operation = await undo.done({ action: "cancel" }, 12);
    await undo.begin(operation);
    for (const [killed, door] of UNDO_DOORS.entries()) {
      await killPage(undo.its, await stopPage(undo.its, operation, { door, pageSize: 3 }));
      expect((await undo.its.page(operation, 3))!.operation.undone).toBe(3 * (killed + 1));
    }
    expect((await undo.its.carryOut(operation, 3)).undone).toBe(12);
    expect(await undo.image(ids)).toBe(image);
    expect(await undo.gaps()).toEqual([]);
  });

  test("an undo leaves what was retried by hand, and what retention takes, committed or not", async () => {
    const ids = await undo.its.tasks(3);
    const operation = await undo.done({ action: "cancel" }, 3);
    await stores.tasks.retry({ namespace: NAMESPACE, id: ids[0]!, actor: "test" });
    await undo.its.query("DELETE FROM tickwheel.history WHERE id = $1", [ids[1]]);
    const other = await undo.its.begin();
    await other.query("DELETE FROM tickwheel.history WHERE id = $1", [ids[2]]);
    await undo.begin(operation);
    expect((await undo.its.page(operation))!.operation).toMatchObject({ undone: 0, state: "undoing" });
    await other.query("COMMIT");
    expect((await undo.its.carryOut(operation)).leftBehind).toEqual({ TOUCHED: 1, GONE: 2 });
    expect(await undo.outcomes(operation, ids)).toEqual(["TOUCHED", "GONE", "GONE"]);
  });

  test("an undo waits for a batch's review, in later rounds; the batch's members wait again, also where it has completed", async () => {
    const ids = await undo.its.tasks(3);
    const batch = await undo.intoBatch(ids);
    const operation = await undo.done({ action: "cancel" }, 3);
    expect(await undo.members(ids)).toEqual([expect.objectContaining({ cancelled: 3 })]);
    const review = await undo.its.begin();
    await review.query("SELECT FROM tickwheel.batch WHERE id = $1 FOR UPDATE", [batch]);
    await undo.begin(operation);
    expect((await undo.its.page(operation))!.operation).toMatchObject({ undone: 0, state: "undoing" });
    await review.query("UPDATE tickwheel.batch SET state = 'complete', finished_at = now() WHERE id = $1", [batch]);
    await review.query("COMMIT");
    expect((await undo.its.carryOut(operation)).undone).toBe(3);
    expect(await undo.members(ids)).toEqual([expect.objectContaining({ cancelled: 0 })]);
    expect(await undo.its.states(ids)).toEqual(["scheduled", "scheduled", "scheduled"]);
  });

  test("an undo of a cancel leaves what remained of a paused task's countdown", async () => {
    const [id] = await undo.paused(1);
    const remaining = async () => {
      const { dueAt, pausedAt } = await undo.its.get(id!);
      return dueAt - pausedAt!;
    };
    const before = await remaining();
    await undo.undo(await undo.done({ action: "cancel" }, 1));
    expect(await undo.its.states([id!])).toEqual(["paused"]);
    expect(await remaining()).toBe(before);
  });

  test("an undo of the later of two operations comes first; an undo of the earlier leaves what the later has touched", async () => {
    const ids = await undo.scheduled(4);
    const image = await undo.image(ids);
    const early = await undo.done({ action: "add_tag", options: { tag: "x" } }, 4);
    const late = await undo.done({ action: "pause" }, 4);
    expect((await undo.undo(early)).leftBehind).toEqual({ TOUCHED: 4 });
    await undo.undo(late);
    expect(await undo.image(ids)).not.toBe(image);
    await undo.done({ action: "remove_tag", options: { tag: "x" } }, 4);
    expect(await undo.image(ids)).toBe(image);
  });
});

describe("pages, their undo, claims, ends and creates of the same keys, all at once", () => {
  test("pages, undos, claims, ends and creates of the same keys lose no task, double none, leave no journal gap, never deadlock", async () => {
    const ids = await undo.waiting(300);
    const { errors, changes } = await storm(undo, ids, 4_000);
    expect(errors).toEqual([]);
    expect(changes).toBeGreaterThan(0);
    const rows = "(SELECT id FROM tickwheel.task UNION ALL SELECT id FROM tickwheel.history) t";
    expect(await undo.its.query(`SELECT id FROM ${rows} GROUP BY id HAVING count(*) > 1`)).toEqual([]);
    const [here] = await undo.its.query(`SELECT count(*)::int AS count FROM ${rows} WHERE id = ANY ($1)`, [ids]);
    expect(here!.count).toBe(300);
    expect(await undo.gaps()).toEqual([]);
    const [met] = await undo.its.query(
      "SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()",
    );
    expect(met!.deadlocks).toBe(0);
  });
});
