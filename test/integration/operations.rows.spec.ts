import { describe, expect, test } from "@jest/globals";
import { newTaskId, OPERATION_MEMORY_MS, type OperationChange, SystemRandom } from "@tickwheel/core";
import { startForSpec } from "../support/start-for-spec.js";
import { HOUR, type OperationScenes, startOperations } from "./operations.scene.js";
import { NAMESPACE } from "./postgres-store.scene.js";

let operations: OperationScenes;

startForSpec(startOperations, (its) => ({ operations } = its));

const DAY = 86_400_000;

describe("the pace of an operation", () => {
  const now = Date.now() + HOUR;

  test("the pace of an operation is that of its rate: a page is a second's share, and the next is due when it is over", async () => {
    const its = (await operations.another()).at(now);
    await its.tasks(5);
    const operation = await its.start({ action: "run_now", options: { rate: 2 } });
    const { store } = its;
    expect((await store.due()).ids).toContain(operation.id);
    const first = await its.page(operation);
    expect(first).toMatchObject({ operation: { changed: 2 } });
    // The time of the page is part of the second.
    expect(first!.nextAt).toBeGreaterThan(now);
    expect(first!.nextAt).toBeLessThanOrEqual(now + 1_000);
    expect(await its.page(operation)).toBeNull();
    expect((await store.due()).ids).not.toContain(operation.id);
    expect((await store.due()).nextAt).toBeLessThanOrEqual(now + 1_000);
    const later = its.at(now + 1_000);
    expect(await later.page(operation)).toMatchObject({ operation: { changed: 4 } });
    expect(await its.at(now + 2_000).page(operation)).toMatchObject({ operation: { state: "done", changed: 5 } });
  });

  test("the pace of an operation of less than one task a second is one task a page", async () => {
    const its = (await operations.another()).at(now);
    await its.tasks(2);
    const operation = await its.start({ action: "run_now", options: { rate: 0.01 } });
    const first = await its.page(operation);
    expect(first).toMatchObject({ operation: { changed: 1 } });
    expect(first!.nextAt).toBeGreaterThan(now + 90_000);
    expect(first!.nextAt).toBeLessThanOrEqual(now + 100_000);
  });

  test("an operation ends where it has changed as many tasks as it may", async () => {
    const its = await operations.another();
    const ids = await its.tasks(7);
    const operation = await its.run({ action: "pause", options: { atMost: 5 } }, 2);
    expect(operation).toMatchObject({ state: "stopped", stopReason: "LIMIT", changed: 5, pages: 3 });
    // The newest first.
    expect(await its.states(ids)).toEqual([...Array(2).fill("scheduled"), ...Array(5).fill("paused")]);
    expect(await its.audited(operation)).toMatchObject([
      { action: "operation.create", actor: "key:1" },
      { action: "operation.stopped", actor: "system", after: { state: "stopped", stopReason: "LIMIT", changed: 5 } },
    ]);
  });

  test("an operation is done where no more tasks fit than it may change, however its pages lie", async () => {
    for (const pageSize of [1, 2, 4, 5]) {
      const its = await operations.another();
      await its.tasks(4);
      const operation = await its.run({ action: "pause", options: { atMost: 4 } }, pageSize);
      expect(operation).toMatchObject({ state: "done", stopReason: null, changed: 4, found: 4 });
    }
  });

  test("an operation ends where others hold more tasks than it may change", async () => {
    const its = await operations.another();
    const ids = await its.tasks(3);
    const holder = await its.holding(ids.slice(2));
    const operation = await its.run({ action: "pause", options: { atMost: 2 } });
    expect(operation).toMatchObject({ state: "stopped", stopReason: "LIMIT", changed: 2 });
    await holder.end();
  });

  test("the pace of an operation holds in its rounds over tasks that others held, each of which is tried once in a round", async () => {
    const its = await operations.another();
    const ids = await its.tasks(5);
    const holder = await its.holding(ids);
    const operation = await its.start({ action: "run_now", options: { rate: 2 } });
    const page = async () => (await its.dueNow(operation))!.operation;
    for (const found of [2, 4, 5]) expect(await page()).toMatchObject({ found, changed: 0 });
    // The first round.
    for (let pages = 0; pages < 3; pages++) expect(await page()).toMatchObject({ changed: 0, state: "running" });
    await holder.end();
    for (const changed of [2, 4]) expect(await page()).toMatchObject({ changed, state: "running" });
    expect(await page()).toMatchObject({ changed: 5, found: 5, state: "done", passed: {}, pages: 9 });
  });

  test("an operation ends where too many of the tasks that it changed last have failed", async () => {
    const its = await operations.another();
    const ids = await its.tasks(42);
    const operation = await its.start({ action: "run_now", options: { rate: 10_000, stopWhenFailing: 0.5 } });
    await its.page(operation, 21);
    const changed = await its.remembered(operation);
    await its.kill(changed.slice(0, 11));
    await its.succeed(changed.slice(11));
    expect((await its.carryOut(operation, 21)).changed).toBe(21);
    expect(await its.read(operation)).toMatchObject({ state: "stopped", stopReason: "FAILING" });
    expect((await its.audited(operation)).at(-1)).toMatchObject({ action: "operation.stopped", actor: "system" });
    const left = ids.filter((id) => !changed.includes(id));
    expect((await its.all(left)).every(({ version }) => version === 1)).toBe(true);
  });

  test("an operation goes on where few of its tasks have failed, or not enough have ended to tell", async () => {
    for (const killed of [10, 19]) {
      const its = await operations.another();
      await its.tasks(30);
      const operation = await its.start({ action: "run_now", options: { rate: 10_000, stopWhenFailing: 0.51 } });
      await its.page(operation, 21);
      const changed = await its.remembered(operation);
      await its.kill(changed.slice(0, killed));
      if (killed === 10) await its.succeed(changed.slice(10));
      expect(await its.carryOut(operation, 21)).toMatchObject({ state: "done", changed: 30 });
    }
  });
});

describe("the row of an operation", () => {
  test("the row of an operation tells what was asked, and is found and listed again", async () => {
    const its = await operations.another();
    const filter = { type: [its.type], also: { tag: "t" }, createdFrom: 5 };
    const made = await its.start({ action: "cancel", filter, reason: "why", estimate: 3, options: { atMost: 9 } });
    expect(made).toMatchObject({ action: "cancel", filter, reason: "why", estimate: 3, createdBy: "key:1" });
    expect(made).toMatchObject({ state: "running", options: { atMost: 9, rate: null }, recent: [], passed: {} });
    expect(await its.read(made)).toEqual(made);
    expect(await its.store.get({ namespace: "other", id: made.id })).toBeNull();
    expect(await its.store.get({ namespace: NAMESPACE, id: "none" })).toBeNull();
    expect(await its.audited(made)).toMatchObject([
      {
        action: "operation.create",
        actor: "key:1",
        namespace: NAMESPACE,
        before: null,
        reason: "why",
        after: { filter },
      },
    ]);
  });

  test("the row of an operation is listed page by page, the newest first, by state and action", async () => {
    const its = operations.in("listed");
    const ids: string[] = [];
    for (const action of ["cancel", "pause", "resume", "pause"] as const) ids.unshift((await its.start({ action })).id);
    await its.change({ id: ids[1]! }, "stop");
    const list = (wish: object) =>
      its.store.list({ namespace: "listed", states: [], actions: [], limit: 2, before: null, ...wish });
    const first = await list({});
    expect([first.operations.map(({ id }) => id), first.next]).toEqual([ids.slice(0, 2), ids[1]]);
    const second = await list({ before: first.next });
    expect([second.operations.map(({ id }) => id), second.next]).toEqual([ids.slice(2), null]);
    expect((await list({ actions: ["pause"] })).operations.map(({ id }) => id)).toEqual([ids[0], ids[2]]);
    expect((await list({ states: ["stopped"] })).operations.map(({ id }) => id)).toEqual([ids[1]]);
  });

  test("the row of an operation is made once for an idempotency key", async () => {
    const its = await operations.another();
    const idempotency = { key: "once", bodyHash: "a" };
    const start = (wish: object) =>
      its.store.start(its.plan({ action: "cancel", idempotency, ...wish }), { open: 1_000 });
    const both = await Promise.all([start({}), start({})]);
    expect(both.map(({ outcome }) => outcome).toSorted()).toEqual(["existing", "started"]);
    expect(new Set(both.map((reply) => ("operation" in reply ? reply.operation.id : null))).size).toBe(1);
    expect(await start({ idempotency: { key: "once", bodyHash: "b" } })).toEqual({ outcome: "key_reused" });
  });

  test("the row of an operation is not made where the namespace has as many open operations as it may", async () => {
    const its = operations.in("full");
    const start = () => its.store.start(its.plan({ action: "cancel" }), { open: 2 });
    const first = await start();
    await start();
    expect(await start()).toEqual({ outcome: "too_many", open: 2 });
    if ("operation" in first) await its.change(first.operation, "stop");
    expect(await start()).toMatchObject({ outcome: "started" });
  });

  test("the row of an operation is due with the three other oldest ones of its namespace", async () => {
    const its = operations.in("crowd");
    const ids: string[] = [];
    for (let made = 0; made < 6; made++) ids.push((await its.start({ action: "cancel" })).id);
    const due = async () => (await its.store.due()).ids.filter((id) => ids.includes(id)).toSorted();
    const oldest = ids.toSorted();
    expect(await due()).toEqual(oldest.slice(0, 4));
    await its.change({ id: oldest[1]! }, "hold");
    expect(await due()).toEqual([oldest[0], ...oldest.slice(2, 5)]);
  });
});

describe("a change of an operation", () => {
  test("a change of an operation holds it, goes on with it, stops it and takes it back, each told in the audit", async () => {
    const its = await operations.another();
    await its.tasks(3);
    const operation = await its.start({ action: "pause" });
    expect(await its.change(operation, "hold")).toMatchObject({ outcome: "changed", operation: { heldBy: "key:2" } });
    expect(await its.change(operation, "hold")).toMatchObject({ outcome: "unchanged" });
    expect(await its.page(operation)).toBeNull();
    expect(await its.change(operation, "resume")).toMatchObject({ outcome: "changed", operation: { heldAt: null } });
    expect((await its.page(operation, 1))!.operation.changed).toBe(1);
    expect(await its.change(operation, "stop")).toMatchObject({
      outcome: "changed",
      operation: { state: "stopped", stopReason: "BY_HAND" },
    });
    expect(await its.change(operation, "stop")).toMatchObject({ outcome: "state_conflict" });
    expect(await its.change(operation, "undo")).toMatchObject({
      outcome: "changed",
      operation: { state: "undoing", finishedAt: null, undo: { by: "key:2", overdue: "leave", reason: "because" } },
    });
    expect(await its.change({ id: "none" }, "stop")).toEqual({ outcome: "not_found" });
    const id = newTaskId(Date.now(), 0, new SystemRandom());
    expect(await its.change({ id }, "stop")).toEqual({ outcome: "not_found" });
    const told = (await its.audited(operation)).slice(1);
    expect(told.map(({ action, actor, reason }) => [action, actor, reason])).toEqual(
      ["hold", "resume", "stop", "undo"].map((kind) => [`operation.${kind}`, "key:2", "because"]),
    );
    expect(told[2]).toMatchObject({ before: { state: "running" }, after: { state: "stopped", stopReason: "BY_HAND" } });
    expect(Object.keys(told[0]!.before as object)).toEqual(["heldAt", "heldBy"]);
  });

  test("a change of an operation takes back only what is remembered", async () => {
    const its = await operations.another();
    await its.tasks(1);
    const operation = await its.run({ action: "pause" });
    const undo = { kind: "undo", actor: "key:2", reason: null, overdue: "leave" } satisfies OperationChange;
    const ref = { namespace: NAMESPACE, id: operation.id };
    const over = operation.finishedAt! + OPERATION_MEMORY_MS;
    expect(await its.at(over).store.change(ref, undo)).toMatchObject({ outcome: "state_conflict" });
    expect(await its.at(over - 1).store.change(ref, undo)).toMatchObject({ outcome: "changed" });
  });
});

describe("what an operation remembers", () => {
  test("what an operation remembers is listed by id, page by page and by outcome", async () => {
    const its = await operations.another();
    const ids = await its.tasks(5);
    const operation = await its.run({ action: "pause" });
    await its.query("UPDATE tickwheel.operation_task SET undone = 'TOUCHED' WHERE operation_id = $1 AND task_id = $2", [
      operation.id,
      ids[1],
    ]);
    const list = (wish: object) =>
      its.store.tasksOf({
        namespace: NAMESPACE,
        operationId: operation.id,
        outcomes: [],
        limit: 3,
        after: null,
        ...wish,
      });
    const first = await list({});
    expect(first.tasks.map(({ id, outcome }) => [id, outcome])).toEqual([
      [ids[0], "CHANGED"],
      [ids[1], "TOUCHED"],
      [ids[2], "CHANGED"],
    ]);
    expect(first.tasks[0]).toMatchObject({ from: "scheduled", to: "paused" });
    expect((await list({ after: first.next })).tasks.map(({ id }) => id)).toEqual(ids.slice(3));
    expect((await list({ outcomes: ["TOUCHED"] })).tasks.map(({ id }) => id)).toEqual([ids[1]]);
    expect((await list({ namespace: "other" })).tasks).toEqual([]);
  });

  test("what an operation remembers is forgotten a day after its end, a thousand rows at once, and the row with the audit", async () => {
    const its = await operations.another();
    await its.tasks(1);
    const operation = await its.run({ action: "pause" });
    await its.query(
      `INSERT INTO tickwheel.operation_task (operation_id, task_id, at, version, fence, state, was, was_archived, had_key, is_whole, scheduled_at, due_at)
       SELECT operation_id, gen_random_uuid(), at, version, fence, state, was, was_archived, had_key, is_whole, scheduled_at, due_at
         FROM tickwheel.operation_task, generate_series(1, 1500) WHERE operation_id = $1`,
      [operation.id],
    );
    const count = async () => (await its.remembered(operation)).length;
    const early = its.at(operation.finishedAt! + DAY - 1).store;
    while (await early.forget());
    expect(await count()).toBe(1_501);
    const late = its.at(operation.finishedAt! + DAY).store;
    for (let left = 1_501; left === 1_501; left = await count()) expect(await late.forget()).toBe(true);
    expect([await count(), (await its.read(operation)).forgottenAt]).toEqual([501, null]);
    while (await late.forget());
    expect([await count(), (await its.read(operation)).forgottenAt]).toEqual([0, operation.finishedAt! + DAY]);
    const lastDays = its.at(operation.finishedAt! + 399 * DAY).store;
    while (await lastDays.forget());
    expect(await its.audited(operation)).toHaveLength(2);
    const behind = its.at(operation.finishedAt! + 401 * DAY).store;
    while (await behind.forget());
    expect(await its.store.get({ namespace: NAMESPACE, id: operation.id })).toBeNull();
    expect(await its.audited(operation)).toEqual([]);
  });
});
