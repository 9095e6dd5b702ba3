import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { PostgresStores } from "@tickwheel/postgres-store";
import type { Client } from "pg";
import { jsonTextOf, RowsLockedError } from "@tickwheel/core";
import { eventually } from "../support/eventually.js";
import { create, joinNode, lead, NAMESPACE, newTask, newType, Scene } from "./postgres-store.scene.js";

let scene: Scene;
let stores: PostgresStores;

beforeAll(async () => {
  scene = await Scene.start();
  stores = scene.open();
});
afterAll(() => scene?.stop());

/** Statements that wait for a lock and whose text has this word in it. */
async function waitingFor(word: string): Promise<number> {
  const observer = await scene.client();
  const { rows } = await observer.query(
    "SELECT count(*)::int AS count FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $1",
    [`%${word}%`],
  );
  await observer.end();
  return (rows[0] as { count: number }).count;
}

async function untilWaiting(word: string): Promise<void> {
  await eventually(async () => expect(await waitingFor(word)).toBeGreaterThan(0));
}

async function begin(sql: string, values: unknown[] = []): Promise<Client> {
  const client = await scene.client();
  await client.query("BEGIN");
  await client.query(sql, values);
  return client;
}

describe("the claim's lock on the node row", () => {
  test("a claim that waits while its node is declared dead takes nothing", async () => {
    const typeId = await newType(stores);
    const task = await create(stores, { typeId });
    const owner = await joinNode(stores);
    const verdict = await begin("SELECT 1 FROM tickwheel.node WHERE boot_id = $1 FOR UPDATE", [owner]);
    const claim = stores.tasks.claim({ owner, ids: [task.id], claimAheadMs: 5 });
    await untilWaiting("FOR KEY SHARE");
    await verdict.query("UPDATE tickwheel.node SET state = 'dead' WHERE boot_id = $1", [owner]);
    await verdict.query("COMMIT");
    expect(await claim).toEqual({ fenced: true, tasks: [] });
    expect((await stores.tasks.get(NAMESPACE, task.id))!.state).toBe("scheduled");
  });

  test("a claim that waits for a verdict that is rolled back goes on", async () => {
    const typeId = await newType(stores);
    const task = await create(stores, { typeId });
    const owner = await joinNode(stores);
    const verdict = await begin("SELECT 1 FROM tickwheel.node WHERE boot_id = $1 FOR UPDATE", [owner]);
    const claim = stores.tasks.claim({ owner, ids: [task.id], claimAheadMs: 5 });
    await untilWaiting("FOR KEY SHARE");
    await verdict.query("ROLLBACK");
    expect((await claim).tasks.map(({ id }) => id)).toEqual([task.id]);
  });

  test("a goodbye waits for the claim that holds the node row", async () => {
    const owner = await joinNode(stores);
    const claim = await begin("SELECT 1 FROM tickwheel.node WHERE boot_id = $1 FOR KEY SHARE", [owner]);
    const draining = stores.cluster.startDraining(owner);
    await untilWaiting("FOR UPDATE");
    await claim.query("COMMIT");
    expect(await draining).toBe(true);
  });

  test("a verdict over a node whose claim hangs ends that node's sessions, answers busy, and succeeds the next time", async () => {
    const node = scene.open();
    const owner = await joinNode(node);
    const leader = await lead(stores, await joinNode(stores));
    const hanging = await begin("SELECT 1 FROM tickwheel.node WHERE boot_id = $1 FOR KEY SHARE", [owner]);
    const gone = new Promise<void>((resolve) => void hanging.once("end", () => resolve()));
    await hanging.query("SELECT set_config('application_name', $1, false)", [owner]);
    expect(await stores.cluster.declareDead({ bootId: owner, beat: 0, leader })).toBe("busy");
    await gone;
    expect(await stores.cluster.readBeats()).toContainEqual(expect.objectContaining({ bootId: owner, beat: 0 }));
    expect(await stores.cluster.declareDead({ bootId: owner, beat: 0, leader })).toBe("dead");
  });

  test("a beat that is raised while the verdict waits saves the node", async () => {
    const owner = await joinNode(stores);
    const leader = await lead(stores, await joinNode(stores));
    const beating = await begin("UPDATE tickwheel.heartbeat SET beat = beat + 1 WHERE boot_id = $1", [owner]);
    const verdict = stores.cluster.declareDead({ bootId: owner, beat: 0, leader });
    await untilWaiting('tickwheel".heartbeat');
    await beating.query("COMMIT");
    expect(await verdict).toBe("beat_moved");
  });

  test("the sessions of a pool carry the boot id of the node that joined with it, also after it joined anew", async () => {
    const node = scene.open({ size: 2 });
    const observer = await scene.client();
    for (let round = 0; round < 2; round++) {
      const bootId = await joinNode(node);
      await node.tasks.now();
      const { rows } = await observer.query("SELECT 1 FROM pg_stat_activity WHERE application_name = $1", [bootId]);
      expect(rows).not.toHaveLength(0);
    }
  });
});

describe("the reap's lock on the term", () => {
  test.each([
    ["takes the term", "UPDATE tickwheel.term SET term = term + 1, holder = 1", "running"],
    ["gives the term up", "UPDATE tickwheel.term SET holder = NULL", "running"],
    ["raises the term's beat", "UPDATE tickwheel.term SET beat = beat + 1", "scheduled"],
  ])("a reap that waits while somebody %s", async (_what, change, state) => {
    const typeId = await newType(stores);
    const { id } = await create(stores, { typeId });
    const owner = await joinNode(stores);
    await stores.tasks.claim({ owner, ids: [id], claimAheadMs: 5 });
    const leader = await lead(stores, await joinNode(stores));
    const other = await begin(change);
    const reap = stores.tasks.reap({ leader, owners: [owner], maxCrashes: 3, limit: 10 });
    await untilWaiting("FOR SHARE");
    await other.query("COMMIT");
    expect(await reap).toHaveLength(state === "scheduled" ? 1 : 0);
    expect(await stores.tasks.get(NAMESPACE, id)).toMatchObject({ state });
    const journal = await stores.tasks.journal({ namespace: NAMESPACE, id, limit: 200 });
    expect(journal!.entries).toHaveLength(state === "scheduled" ? 3 : 2);
  });
});

describe("row locks of others", () => {
  test("a row whose completion is never committed is free once the server has ended that transaction", async () => {
    const typeId = await newType(stores);
    const { id } = await create(stores, { typeId });
    const owner = await joinNode(stores);
    const { tasks } = await stores.tasks.claim({ owner, ids: [id], claimAheadMs: 5 });
    const handler = await begin("SELECT 1");
    const ended = new Promise<void>((resolve) => void handler.once("end", () => resolve()));
    const completion = { ...tasks[0]!, startedAt: tasks[0]!.claimedAt!, result: null };
    expect(await stores.tasks.completeWithin(completion, handler)).not.toBeNull();
    const waiting = await scene.client();
    await waiting.query("SELECT 1 FROM tickwheel.task WHERE id = $1 FOR UPDATE", [id]);
    await ended;
    expect(await stores.tasks.get(NAMESPACE, id)).toMatchObject({ state: "running" });
  });

  test("a claim leaves locked rows out and takes the others", async () => {
    const typeId = await newType(stores);
    const locked = await create(stores, { typeId });
    const free = await create(stores, { typeId });
    const owner = await joinNode(stores);
    const other = await begin("SELECT 1 FROM tickwheel.task WHERE id = $1 FOR UPDATE", [locked.id]);
    const { tasks } = await stores.tasks.claim({ owner, ids: [locked.id, free.id], claimAheadMs: 5 });
    await other.query("ROLLBACK");
    expect(tasks.map(({ id }) => id)).toEqual([free.id]);
  });

  test("an archive leaves locked rows for the next archive", async () => {
    const typeId = await newType(stores);
    const task = await create(stores, { typeId });
    await stores.tasks.cancel({ target: { namespace: NAMESPACE, id: task.id }, actor: "somebody" });
    const other = await begin("SELECT 1 FROM tickwheel.task WHERE id = $1 FOR UPDATE", [task.id]);
    expect(await stores.tasks.archive(100)).toBe(0);
    await other.query("ROLLBACK");
    expect(await stores.tasks.archive(100)).toBe(1);
  });

  test("a batch of settles goes on without a locked row, which is settled afterwards", async () => {
    const typeId = await newType(stores);
    const made = [await create(stores, { typeId }), await create(stores, { typeId }), await create(stores, { typeId })];
    const owner = await joinNode(stores);
    const { tasks } = await stores.tasks.claim({ owner, ids: made.map(({ id }) => id), claimAheadMs: 5 });
    const other = await begin("SELECT 1 FROM tickwheel.task WHERE id = $1 FOR UPDATE", [tasks[1]!.id]);
    const startedAt = tasks[0]!.claimedAt;
    const held = { ...tasks[1]!, kind: "succeeded", startedAt, result: '{"fine":true}' } as const;
    const settling = stores.tasks.settle([
      { ...tasks[0]!, kind: "succeeded", startedAt, result: null },
      held,
      { ...tasks[2]!, kind: "retry", startedAt, delayMs: 5, error: "once more" },
    ]);
    const error: unknown = await settling.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RowsLockedError);
    const states = (error as RowsLockedError).replies.map((reply) => reply && reply.state);
    expect(states).toEqual(["succeeded", undefined, "scheduled"]);
    await other.query("ROLLBACK");
    expect((await stores.tasks.settle([held])).map((reply) => reply?.state)).toEqual(["succeeded"]);
  });

  test("a row that is cancelled in an open transaction is released as cancelled once that commits", async () => {
    const typeId = await newType(stores);
    const { id } = await create(stores, { typeId });
    const owner = await joinNode(stores);
    const { tasks } = await stores.tasks.claim({ owner, ids: [id], claimAheadMs: 5 });
    const caller = await begin("SELECT 1");
    await stores.tasks.cancel({ target: { namespace: NAMESPACE, id }, actor: "somebody" }, caller);
    const release = () => stores.tasks.release(tasks.map((task) => ({ ...task, reason: "DRAIN" })));
    await expect(release()).rejects.toThrow(RowsLockedError);
    await caller.query("COMMIT");
    expect((await release()).map((reply) => reply?.state)).toEqual(["cancelled"]);
  });

  test("a cancel waits for the caller's transaction that holds the row, and then sees what it did", async () => {
    const typeId = await newType(stores);
    const { id } = await create(stores, { typeId, due: { delayMs: 60_000 } });
    const caller = await begin("SELECT 1");
    await stores.tasks.edit({ namespace: NAMESPACE, id, changes: { priority: 1 }, actor: "caller" }, caller);
    const cancelling = stores.tasks.cancel({ target: { namespace: NAMESPACE, id }, actor: "somebody" });
    await untilWaiting("cancel_requested_at");
    await caller.query("COMMIT");
    expect(await cancelling).toMatchObject({ outcome: "cancelled", task: { priority: 1, version: 3 } });
  });

  test("an idempotent create waits for its duplicate in flight and answers with the first one's task", async () => {
    const typeId = await newType(stores);
    const request = () => ({
      namespace: NAMESPACE,
      tasks: [newTask({ typeId })],
      idempotency: { key: `key-${typeId}`, bodyHash: "same" },
    });
    const caller = await begin("SELECT 1");
    const first = await stores.tasks.create(request(), caller);
    const second = stores.tasks.create(request());
    await untilWaiting("idempotency");
    await caller.query("COMMIT");
    expect(await second).toMatchObject({
      kind: "replayed",
      results: [
        {
          outcome: "created",
          task: {
            id: first.kind === "written" && first.results[0]!.outcome !== "rejected" && first.results[0]!.task.id,
          },
        },
      ],
    });
  });
});

describe("refresh against claim", () => {
  const type = "refresh";
  const refresh = (typeId: number, key: string) => ({
    namespace: NAMESPACE,
    tasks: [newTask({ typeId, type, key, onConflict: "refresh" as const, due: { delayMs: 60_000 } })],
  });

  test("a refresh that waits while the claim commits starts the next cycle", async () => {
    const typeId = await newType(stores, type);
    const { id } = await create(stores, { typeId, type, key: "claimed-first" });
    const owner = await joinNode(stores);
    const claim = await begin(
      "UPDATE tickwheel.task SET state = 1, owner = $2, fence = 1, attempt = 1, claimed_at = now() WHERE id = $1",
      [id, owner],
    );
    const refreshing = stores.tasks.create(refresh(typeId, "claimed-first"));
    await untilWaiting("ON CONFLICT");
    await claim.query("COMMIT");
    const reply = await refreshing;
    expect(reply).toMatchObject({
      kind: "written",
      results: [{ outcome: "created", task: { keyLive: true, state: "scheduled" } }],
    });
    expect(await stores.tasks.get(NAMESPACE, id)).toMatchObject({ state: "running", keyLive: false });
  });

  test("a claim that meets a refresh in progress skips the row, and finds it moved afterwards", async () => {
    const typeId = await newType(stores, type);
    const { id } = await create(stores, { typeId, type, key: "refreshed-first", due: { delayMs: 2_000 } });
    const owner = await joinNode(stores);
    const caller = await begin("SELECT 1");
    await stores.tasks.create(refresh(typeId, "refreshed-first"), caller);
    const claim = () => stores.tasks.claim({ owner, ids: [id], claimAheadMs: 5_000 });
    expect((await claim()).tasks).toEqual([]);
    await caller.query("COMMIT");
    expect((await claim()).tasks).toEqual([]);
    expect(await stores.tasks.get(NAMESPACE, id)).toMatchObject({ state: "scheduled", version: 2 });
  });

  test("concurrent refreshes and claims lose no cycle: the key has one holder at most, and every refresh after a claim is a task of its own", async () => {
    const typeId = await newType(stores, type);
    const owner = await joinNode(stores);
    const due = { delayMs: 0 };
    const created = new Set<string>();
    for (let round = 0; round < 20; round++) {
      const request = {
        namespace: NAMESPACE,
        tasks: [newTask({ typeId, type, key: "storm", onConflict: "refresh", due })],
      };
      const [reply] = await Promise.all([
        stores.tasks.create(request),
        stores.tasks.claim({ owner, ids: [...created], claimAheadMs: 5 }),
      ]);
      if (reply.kind !== "written" || reply.results[0]!.outcome === "rejected") throw new Error("not written");
      created.add(reply.results[0]!.task.id);
    }
    await stores.tasks.claim({ owner, ids: [...created], claimAheadMs: 5 });
    const { tasks } = await stores.tasks.find({ namespace: NAMESPACE, type, key: "storm", limit: 200 });
    expect(tasks.map(({ id }) => id).sort()).toEqual([...created].sort());
    expect(tasks.filter((task) => task.keyLive)).toHaveLength(1);
    expect(tasks.every((task) => task.state === "running" && task.fence === 1)).toBe(true);
  });
});

describe("statements that take too long", () => {
  test("a statement that takes too long is given up, its connection is destroyed, and the next statement works", async () => {
    const node = scene.open({ size: 1, statementTimeoutMs: 300 });
    const typeId = await newType(node);
    const owner = await joinNode(node);
    const { id } = await create(node, { typeId });
    const verdict = await begin("SELECT 1 FROM tickwheel.node WHERE boot_id = $1 FOR UPDATE", [owner]);
    const claim = node.tasks.claim({ owner, ids: [id], claimAheadMs: 5 });
    await expect(claim).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    await verdict.query("ROLLBACK");
    expect(await node.tasks.get(NAMESPACE, id)).toMatchObject({ id });
  });

  test("a refusal by Postgres names no parameter", async () => {
    const typeId = await newType(stores);
    const task = newTask({ typeId, payload: jsonTextOf({ password: "hunter2" }) });
    await stores.tasks.create({ namespace: NAMESPACE, tasks: [task] });
    const again = await stores.tasks.create({ namespace: NAMESPACE, tasks: [task] }).catch((error: unknown) => error);
    expect(again).toMatchObject({ code: "INTERNAL", details: { sqlState: "23505", constraint: "task_pkey" } });
    const { message, cause } = again as Error;
    expect(JSON.stringify([message, cause, again])).not.toMatch(new RegExp(`hunter2|${task.id}`));
  });

  test("a server that is away is STORE_UNAVAILABLE", async () => {
    const nowhere = scene.open({ url: "postgres://nobody@127.0.0.1:1/none" });
    await expect(nowhere.tasks.now()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  });
});
