import { describe, expect, test } from "@jest/globals";
import type { TaskOperation } from "@tickwheel/core";
import { startForSpec } from "../support/start-for-spec.js";
import { HOUR, type OperationScenes, type OperationWish, startOperations } from "./operations.scene.js";
import { type Door, DOORS, goOn, killPage, stopPage } from "./page-door.js";
import { NAMESPACE } from "./postgres-store.scene.js";

let operations: OperationScenes;

startForSpec(startOperations, (its) => ({ operations } = its));

const SHIFT = { action: "reschedule", options: { move: { kind: "shift", byMs: 60_000 } } } as const;

interface FirstPage extends OperationWish {
  pageSize?: number;
}

/** Starts an operation over the scene's type, and stops its first page at a door. */
async function pageAt(its: OperationScenes, door: Door, { pageSize, ...wish }: FirstPage) {
  const operation = await its.start({ ...wish, filter: { type: its.type, ...wish.filter } });
  return { operation, ...(await stopPage(its, operation, { door, pageSize })) };
}

describe("a page beside claims and ends", () => {
  test.each([
    ["COMMIT", { state: "running", passed: { NO_LONGER: 1 }, changed: 2 }],
    ["ROLLBACK", { state: "cancelled", passed: {}, changed: 3 }],
  ] as const)(
    "a page of an operation passes by what an open claim holds, and comes back behind its %s",
    async (end, { state, passed, changed }) => {
      const its = await operations.another();
      const [claimed] = await its.tasks(3);
      const claim = await its.begin();
      await claim.query(
        "UPDATE tickwheel.task SET state = 1, owner = $2, fence = fence + 1, attempt = 1, claimed_at = now() WHERE id = $1",
        [claimed, its.owner],
      );
      const operation = await its.start({ action: "cancel", filter: { type: its.type, states: ["waiting"] } });
      expect((await its.page(operation))!.operation).toMatchObject({ state: "running", changed: 2, passed: {} });
      await claim.query(end);
      expect(await its.carryOut(operation)).toMatchObject({ state: "done", changed, passed });
      expect(await its.get(claimed!)).toMatchObject({ state, cancelRequestedAt: null });
    },
  );

  test.each<[string, number, string[]]>([
    ["and finds nothing behind its commit", 0, ["cancelled", "cancelled"]],
    ["and finds all once it is rolled back", 2, ["running", "running"]],
  ])("a page of an operation is passed by a claim, %s", async (_then, found, states) => {
    const its = await operations.another();
    const ids = await its.tasks(2, { due: { delayMs: 0 } });
    const under = await pageAt(its, "written", { action: "cancel" });
    expect(await its.claimDue(ids)).toHaveLength(0);
    await (found === 0 ? goOn(under) : killPage(its, under));
    expect(await its.claimDue(ids)).toHaveLength(found);
    expect(await its.states(ids)).toEqual(states);
  });

  test("a page of an operation leaves what was claimed since the look, unless its filter means running tasks, too", async () => {
    for (const [filter, passed, isAsked] of [
      [{ states: ["waiting"] }, { NO_LONGER: 1 }, false],
      [{}, { ASKED: 1 }, true],
    ] as const) {
      const its = await operations.another();
      const [claimed] = await its.tasks(3);
      const under = await pageAt(its, "looked", { action: "cancel", filter });
      await its.claim([claimed!]);
      expect((await goOn(under)).operation).toMatchObject({ state: "done", found: 3, changed: 2, passed });
      const task = await its.get(claimed!);
      expect([task.state, task.cancelRequestedAt !== null]).toEqual(["running", isAsked]);
    }
  });

  test("a page of an operation asks a task once whose end is open, or not at all if it ends", async () => {
    for (const [end, passed] of [
      ["COMMIT", { NO_LONGER: 1 }],
      ["ROLLBACK", { ASKED: 1 }],
    ] as const) {
      const its = await operations.another();
      const [id] = await its.tasks(1);
      await its.claim([id!]);
      const completion = await its.begin();
      await completion.query("UPDATE tickwheel.task SET state = 2, finished_at = now() WHERE id = $1", [id]);
      const operation = await its.start({ action: "cancel" });
      expect((await its.page(operation))!.asked).toEqual([]);
      await completion.query(end);
      expect(await its.carryOut(operation)).toMatchObject({ state: "done", found: 1, changed: 0, passed });
      expect(await its.carryOut(await its.start({ action: "cancel" }))).toMatchObject({ found: 0 });
    }
  });

  test("a page of an operation takes a task whose attempt has failed since the look if its filter means such tasks", async () => {
    for (const [states, state] of [
      [["running", "failing"], "cancelled"],
      [["running"], "scheduled"],
    ] as const) {
      const its = await operations.another();
      const [id] = await its.tasks(1);
      const [claimed] = await its.claim([id!]);
      const under = await pageAt(its, "looked", { action: "cancel", filter: { states: [...states] } });
      await its.failClaimed([claimed!]);
      await goOn(under);
      expect((await its.get(id!)).state).toBe(state);
    }
  });
});

describe("a page beside other changes", () => {
  test("a page of an operation leaves a task that was edited out of its filter since the look", async () => {
    const its = await operations.another();
    const [edited, other] = await its.tasks(2);
    const dueTo = Date.now() + 2 * HOUR;
    const under = await pageAt(its, "looked", { action: "cancel", filter: { dueTo } });
    await its.stores.tasks.edit({
      namespace: NAMESPACE,
      id: edited!,
      actor: "test",
      changes: { due: { delayMs: 3 * HOUR } },
    });
    expect((await goOn(under)).operation).toMatchObject({ changed: 1, passed: { NO_LONGER: 1 } });
    expect(await its.states([edited!, other!])).toEqual(["scheduled", "cancelled"]);
  });

  test("a page of an operation leaves what another operation holds to it, so each task is changed by one of them", async () => {
    const its = await operations.another();
    const ids = await its.tasks(6);
    const first = await pageAt(its, "written", { action: "cancel", pageSize: 4 });
    const pause = await its.start({ action: "pause" });
    expect((await its.page(pause))!.operation).toMatchObject({ state: "running", found: 6, changed: 2 });
    await goOn(first);
    expect(await its.carryOut(pause)).toMatchObject({ state: "done", changed: 2, passed: { NO_LONGER: 4 } });
    expect(await its.states(ids)).toEqual(["paused", "paused", ...Array<string>(4).fill("cancelled")]);
  });

  test("a page of an operation leaves what was created since the operation's start", async () => {
    const its = await operations.another();
    const old = await its.tasks(2);
    await its.query("SELECT pg_sleep(0.002)");
    const operation = await its.start({ action: "cancel" });
    const fresh = await its.tasks(2);
    expect(await its.carryOut(operation)).toMatchObject({ found: 2, changed: 2 });
    expect(await its.states([...old, ...fresh])).toEqual(["cancelled", "cancelled", "scheduled", "scheduled"]);
  });

  test("a page of an operation comes back to a row that is held for long six times, and then passes it", async () => {
    const its = await operations.another();
    const [held] = await its.tasks(3);
    const holder = await its.holding([held!]);
    const operation = await its.run({ action: "pause" });
    expect(operation).toMatchObject({ state: "done", found: 3, changed: 2, passed: { LOCKED: 1 }, pages: 6 });
    await holder.end();
    expect((await its.get(held!)).state).toBe("scheduled");
  });
});

describe("an operation's row", () => {
  test("an operation's row lets one carrier make the next page", async () => {
    const its = await operations.another();
    await its.tasks(2);
    for (const door of ["looked", "acted", "written"] as const) {
      const under = await pageAt(its, door, { ...SHIFT, pageSize: 1 });
      expect(await its.page(under.operation)).toBeNull();
      await goOn(under);
      expect((await its.dueNow(under.operation, 1))!.operation.changed).toBe(2);
    }
  });

  test.each<["hold" | "stop" | "undo", Partial<TaskOperation>]>([
    ["hold", { state: "running" }],
    ["stop", { state: "stopped" }],
    ["undo", { state: "undoing" }],
  ])(
    "an operation's row is changed by a %s behind the page that is being made, and no page of the act follows",
    async (kind, standing) => {
      const its = await operations.another();
      const ids = await its.tasks(4);
      for (const door of ["looked", "acted", "written"] as const) {
        const under = await pageAt(its, door, { ...SHIFT, pageSize: 2 });
        const change = its.change(under.operation, kind);
        await its.untilWaiting();
        await goOn(under);
        expect(await change).toMatchObject({ outcome: "changed", operation: { ...standing, changed: 2, pages: 1 } });
        if (kind !== "undo") expect(await its.carryOut(under.operation)).toMatchObject({ changed: 2, pages: 1 });
      }
      expect((await its.all(ids)).map(({ version }) => version)).toEqual([1, 1, 4, 4]);
    },
  );

  test("an operation's row tells where to go on when a carrier dies anywhere in a page: each task is moved once", async () => {
    for (const door of Object.keys(DOORS) as Door[]) {
      const its = await operations.another();
      const ids = await its.tasks(6);
      const before = await its.all(ids);
      const under = await pageAt(its, door, { ...SHIFT, pageSize: 2 });
      await killPage(its, under);
      expect(await its.read(under.operation)).toMatchObject({ changed: 0, pages: 0 });
      expect(await its.carryOut(under.operation, 2)).toMatchObject({ state: "done", changed: 6 });
      const after = await its.all(ids);
      expect(after.map(({ dueAt }) => dueAt)).toEqual(before.map(({ dueAt }) => dueAt + 60_000));
      expect(await its.remembered(under.operation)).toEqual(ids);
    }
  });

  test("an operation's row is taken over from carriers that die again and again", async () => {
    const its = await operations.another();
    const ids = await its.tasks(12);
    const before = await its.all(ids);
    const operation = await its.start(SHIFT);
    const places = Object.keys(DOORS) as Door[];
    for (let page = 0; page < 8; page++) {
      await killPage(its, await stopPage(its, operation, { door: places[page % places.length]!, pageSize: 2 }));
      await its.dueNow(operation, 1);
    }
    expect(await its.carryOut(operation, 2)).toMatchObject({ state: "done", changed: 12, found: 12 });
    const after = await its.all(ids);
    expect(after.map(({ dueAt }) => dueAt)).toEqual(before.map(({ dueAt }) => dueAt + 60_000));
  });
});
