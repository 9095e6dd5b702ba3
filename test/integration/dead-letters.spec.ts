import { describe, expect, test } from "@jest/globals";
import { DEAD_HOURS, fingerprintOf, MAX_LOOKED_UNSEEN, MAX_TOLD_UNSEEN, NODES_DIED, printOf } from "@tickwheel/core";
import type { PostgresStores } from "@tickwheel/postgres-store";
import { startForSpec } from "../support/start-for-spec.js";
import { causes, type DeadLetterScenes, startDeadLetters, TOO_MANY_CAUSES } from "./dead-letters.scene.js";
import { HOUR } from "./operations.scene.js";
import { joinNode, lead, NAMESPACE } from "./postgres-store.scene.js";

const GONE = "Error: order 42 is gone\n    at Orders.find (/app/orders.js:3:7)";
const ALSO_GONE = "Error: order 4711 is gone\n    at Orders.find (/app/lib/orders.js:9:1)";
const FULL = "Error: the disk is full";
const RETENTION = { historyRetentionDays: 7, deadRetentionDays: 30, typeRetentionDays: 30 };

let dead: DeadLetterScenes;
let stores: PostgresStores;

startForSpec(startDeadLetters, (its) => ({ dead, stores } = its));

describe("dead tasks are counted by cause", () => {
  test("each dead task is counted by its cause once, with what the last of them tells", async () => {
    const its = await dead.another();
    const ids = await its.died([GONE, FULL, ALSO_GONE]);
    expect((await its.list()).groups).toEqual([]);
    await its.fold();
    const { groups, tasks, causes: all, next } = await its.list();
    expect([all, tasks, next]).toEqual([2, 3, null]);
    const last = await its.its.get([ids[0]!, ids[2]!].toSorted()[1]!);
    expect(groups[0]).toEqual({
      type: its.its.type,
      print: printOf(GONE).print,
      title: "Error: order # is gone",
      place: "Orders.find",
      count: 2,
      firstAt: expect.any(Number),
      lastAt: last.finishedAt,
      seenAt: null,
      reason: "NON_RETRYABLE",
      hours: [...Array<number>(DEAD_HOURS - 1).fill(0), 2],
      sample: {
        id: last.id,
        key: null,
        finishedAt: last.finishedAt,
        lastError: last.lastError,
        attempt: 1,
        maxAttempts: 3,
        node: "10.0.0.1:1",
      },
    });
    expect(groups[1]).toMatchObject({ title: FULL, place: "", count: 1 });
    expect(await its.wrong()).toEqual([]);
  });

  test("tasks that crashed with their nodes have one cause, and are found by its print", async () => {
    const its = await dead.another();
    const ids = await its.its.tasks(2);
    const owner = await joinNode(stores);
    await its.its.query("UPDATE tickwheel.task SET due_at = now() WHERE id = ANY ($1)", [ids]);
    await stores.tasks.claim({ owner, ids, claimAheadMs: 20 });
    const leader = await lead(stores, await joinNode(stores));
    await stores.cluster.declareDead({ bootId: owner, beat: 0, leader });
    await stores.tasks.reap({ leader, owners: [owner], maxCrashes: 1, limit: 10 });
    expect(await its.groups()).toEqual([`${NODES_DIED}: 2`]);
    expect(await its.group(NODES_DIED)).toMatchObject({ reason: "CRASHES", place: "" });
    expect(await its.wrong()).toEqual([]);
  });

  test("an attempt that fails and is tried again is not counted as a death", async () => {
    const its = await dead.another();
    await its.its.fail(await its.its.tasks(1));
    expect(await its.groups()).toEqual([]);
    expect(await its.deaths()).toBe(0);
  });
});

describe("a task that is dead no more is not counted", () => {
  test("a retry takes a dead task out of its group, and the last retry takes the group away", async () => {
    const its = await dead.another();
    const ids = await its.died([GONE, ALSO_GONE]);
    await its.fold();
    const { id: last } = (await its.group(GONE))!.sample!;
    await stores.tasks.retry({ namespace: NAMESPACE, id: last, actor: "test" });
    expect(await its.groups()).toEqual(["Error: order # is gone: 1"]);
    expect((await its.group(GONE))!.sample).toBeNull();
    const other = ids.find((id) => id !== last)!;
    await stores.tasks.retry({ namespace: NAMESPACE, id: other, actor: "test" });
    expect(await its.groups()).toEqual([]);
    expect(await its.wrong()).toEqual([]);
  });

  test("a group of dead tasks that emptied begins anew, and its hours go on", async () => {
    const its = await dead.another();
    const [id] = await its.died([FULL]);
    await its.fold();
    const before = (await its.group(FULL))!;
    await stores.tasks.retry({ namespace: NAMESPACE, id: id!, actor: "test" });
    await its.fold();
    await its.die([id!], [FULL]);
    await its.fold();
    const again = (await its.group(FULL))!;
    expect(again.firstAt).toBeGreaterThanOrEqual(before.lastAt);
    expect(again).toMatchObject({ count: 1, firstAt: again.lastAt });
    expect(await its.deaths()).toBe(2);
  });

  test.each(["retry", "discard"] as const)(
    "a %s of many dead tasks takes them out of their group, and its undo brings them back",
    async (action) => {
      const its = await dead.another();
      await its.died([GONE, ALSO_GONE, FULL]);
      await its.fold();
      const first = (await its.group(GONE))!;
      const fingerprint = first.print!.toString(16).padStart(12, "0");
      const operation = await its.its.run({ action, filter: { type: its.its.type, states: ["dead"], fingerprint } });
      expect(operation.changed).toBe(2);
      expect(await its.groups()).toEqual([`${FULL}: 1`]);
      expect(await its.wrong()).toEqual([]);
      await its.its.change(operation, "undo");
      await its.its.carryOut(operation);
      expect(await its.groups()).toEqual(["Error: order # is gone: 2", `${FULL}: 1`]);
      expect(await its.group(GONE)).toEqual(first);
      expect(await its.deaths()).toBe(3);
      expect(await its.wrong()).toEqual([]);
    },
  );

  test("a retry of tasks that ended otherwise than dead, and its undo, count nothing", async () => {
    const its = await dead.another();
    const ids = await its.its.tasks(2);
    await its.its.succeed(ids);
    const operation = await its.its.run({ action: "retry" });
    await its.its.change(operation, "undo");
    await its.its.carryOut(operation);
    expect(await its.its.query("SELECT FROM tickwheel.dead_tally")).toEqual([]);
  });

  test("retention takes the dead tasks that it deletes out of their groups: of all types, and of one that is kept shorter", async () => {
    const its = await dead.another();
    const ids = await its.died([GONE, GONE, FULL]);
    await its.fold();
    await its.its.query("UPDATE tickwheel.task SET finished_at = now() - interval '31 days' WHERE id = $1", [ids[0]]);
    await stores.tasks.maintain(RETENTION);
    expect((await its.groups()).toSorted()).toEqual(["Error: order # is gone: 1", `${FULL}: 1`]);
    const { typeId } = await its.its.get(ids[1]!);
    const reply = await stores.tasks.forgetEnded({ typeId, state: "dead", keptMs: 0, after: null, limit: 10 });
    expect(reply.forgotten).toBe(2);
    expect(await its.groups()).toEqual([]);
    expect(await its.wrong()).toEqual([]);
  });

  test("a type that is dropped leaves no groups of dead tasks behind, and hours go after a week", async () => {
    const its = await dead.another();
    const [id] = await its.died([FULL]);
    await its.fold();
    const { typeId } = await its.its.get(id!);
    const other = await dead.another();
    await other.died([FULL]);
    await other.fold();
    await its.its.query("UPDATE tickwheel.dead_hour SET at = at - interval '8 days' WHERE type_id <> $1", [typeId]);
    await its.its.query("UPDATE tickwheel.type SET used_at = now() - interval '40 days' WHERE id = $1", [typeId]);
    await its.its.query("DELETE FROM tickwheel.task WHERE type_id = $1", [typeId]);
    expect((await stores.tasks.maintain(RETENTION)).droppedTypes).toEqual([its.its.type]);
    for (const table of ["dead_group", "dead_hour"])
      expect(await its.its.query(`SELECT FROM tickwheel.${table} WHERE type_id = $1`, [typeId])).toEqual([]);
    expect(await other.deaths()).toBe(0);
  });
});

describe("a cause that nobody has looked at", () => {
  test("a cause that nobody has looked at is told until somebody looks, and again once a further task dies of it", async () => {
    const its = await dead.another();
    const ids = await its.died([GONE, ALSO_GONE, FULL]);
    await its.fold();
    const group = (await its.group(GONE))!;
    expect(group.seenAt).toBeNull();
    const told = await its.unseen();
    expect(told.find(({ print }) => print === group.print)).toEqual({
      typeId: (await its.its.get(ids[0]!)).typeId,
      type: its.its.type,
      print: group.print,
      title: group.title,
      count: 2,
      lastAt: group.lastAt,
      seenAt: null,
    });
    const { title, seenAt } = (await its.see(GONE))!;
    expect([title, seenAt! >= group.lastAt]).toEqual([group.title, true]);
    expect((await its.unseen()).map((one) => one.title)).toEqual([FULL]);
    await its.died([FULL]);
    await its.fold();
    expect(await its.unseen()).toMatchObject([{ title: FULL, count: 2 }]);
    await its.died([GONE]);
    await its.fold();
    const again = (await its.unseen()).find(({ print }) => print === group.print);
    expect(again).toMatchObject({ count: 3, seenAt });
  });

  test("each look at a cause is told by the audit, with the look before it, and a look at no cause is not", async () => {
    const its = await dead.another();
    await its.died([FULL]);
    await its.fold();
    const looks = [(await its.see(FULL))!.seenAt, (await its.see(FULL))!.seenAt];
    expect(await its.see(GONE)).toBeNull();
    const entry = { namespace: NAMESPACE, actor: "test", action: "dead_group.see", reason: null };
    const target = `dead_group:${its.its.type}/${fingerprintOf(printOf(FULL).print)}`;
    expect(await its.audited()).toMatchObject([
      { ...entry, target, before: null, after: { seenAt: looks[0] } },
      { ...entry, target, before: { seenAt: looks[0] }, after: { seenAt: looks[1] } },
    ]);
  });

  test("a cause whose tasks are dead no more is not told, and nobody looks at what is no cause", async () => {
    const its = await dead.another();
    const [id] = await its.died([FULL]);
    await its.fold();
    expect(await its.see(GONE)).toBeNull();
    expect(await its.see(FULL, "elsewhere")).toBeNull();
    expect(await its.unseen()).toHaveLength(1);
    await stores.tasks.retry({ namespace: NAMESPACE, id: id!, actor: "test" });
    await its.fold();
    expect(await its.unseen()).toEqual([]);
  });

  test("an unseen cause is told with the newest ones, others are counted up to a limit, and those without a group left out", async () => {
    const its = await dead.another();
    const namespace = "of-many-causes";
    const [row] = await its.its.query(
      "INSERT INTO tickwheel.type (namespace, type, delivery) VALUES ($1, 'many', 'handler') RETURNING id",
      [namespace],
    );
    await its.its.query(
      `INSERT INTO tickwheel.dead_group (type_id, print, count, first_at, last_at, sample_id, reason, title, place)
       SELECT $1, n, 1, now() - interval '1 hour' + n * interval '1 second', now(), gen_random_uuid(), 'ATTEMPTS', 'cause ' || n, ''
         FROM generate_series(0, $2::int) n`,
      [row!.id, MAX_LOOKED_UNSEEN],
    );
    const whole = async () => (await its.store.unseen()).find((unseen) => unseen.namespace === namespace)!;
    expect(await whole()).toMatchObject({ count: MAX_LOOKED_UNSEEN, isAtLeast: false });
    const newest = Array.from({ length: MAX_TOLD_UNSEEN }, (_, place) => `cause ${MAX_LOOKED_UNSEEN - place}`);
    expect((await whole()).groups.map(({ title }) => title)).toEqual(newest);
    await its.its.query("UPDATE tickwheel.dead_group SET print = 1000000 WHERE print = 0 AND type_id = $1", [row!.id]);
    expect(await whole()).toMatchObject({ count: MAX_LOOKED_UNSEEN + 1, isAtLeast: true });
    await its.its.query("DELETE FROM tickwheel.dead_group WHERE type_id = $1", [row!.id]);
  });
});

describe("folds", () => {
  test("what is appended beside a fold of deaths waits for the next fold", async () => {
    const its = await dead.another();
    const [id] = await its.died([FULL]);
    const { typeId } = await its.its.get(id!);
    const other = await its.its.begin();
    await other.query("DELETE FROM tickwheel.task WHERE id = $1", [id]);
    await other.query("INSERT INTO tickwheel.dead_tally (type_id, print, count) VALUES ($1, $2, -1)", [
      typeId,
      printOf(FULL).print,
    ]);
    expect(await its.groups()).toEqual([`${FULL}: 1`]);
    await other.query("COMMIT");
    expect(await its.groups()).toEqual([]);
  });

  test("one of two folds at once goes on, and the other leaves it all to that one", async () => {
    const its = await dead.another();
    await its.died([FULL, GONE]);
    const row = await its.its.begin();
    await row.query("SELECT FROM tickwheel.dead_tally FOR UPDATE");
    const first = its.store.fold();
    await its.its.untilWaiting();
    expect(await its.its.scene.open().deadLetters.fold()).toBe(false);
    await row.query("COMMIT");
    await first;
    expect(await its.groups()).toHaveLength(2);
    expect(await its.wrong()).toEqual([]);
  });

  test("a fold that is cut off has moved nothing", async () => {
    const its = await dead.another();
    await its.died([FULL]);
    const row = await its.its.begin();
    await row.query("SELECT FROM tickwheel.dead_tally FOR UPDATE");
    const cut = its.store.fold();
    cut.catch(() => undefined);
    await its.its.untilWaiting();
    await its.its.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%dead_tally%'",
    );
    await expect(cut).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    await row.query("COMMIT");
    expect(await its.groups()).toEqual([`${FULL}: 1`]);
  });

  test("deaths and retries of many nodes at once, beside folds, are all counted", async () => {
    const its = await dead.another();
    const errors = [GONE, FULL, "Error: a", "Error: b"];
    const rounds = Array.from({ length: 12 }, async (_, round) => {
      const ids = await its.died(errors.map((_error, at) => errors[(at + round) % errors.length]!));
      await its.store.fold();
      for (const id of ids.slice(0, round % 4)) await stores.tasks.retry({ namespace: NAMESPACE, id, actor: "test" });
      await its.store.fold();
    });
    await Promise.all(rounds);
    expect(await its.wrong()).toEqual([]);
    expect((await its.list()).tasks).toBe(48 - 3 * (0 + 1 + 2 + 3));
    expect(await its.deaths()).toBe(48);
  });
});

describe("a type has at most 1,000 groups", () => {
  test("causes beyond a type's 1,000 groups are counted together, and have groups again when none of those is left", async () => {
    const its = await dead.another();
    const errors = causes(TOO_MANY_CAUSES);
    const ids = await its.died(errors);
    await its.fold();
    const others = async () => (await its.list({ limit: 1_001 })).groups.find(({ print }) => print === null);
    expect(await its.list()).toMatchObject({ causes: 1_001, tasks: 1_001 });
    expect(await others()).toMatchObject({ count: 1, title: "", sample: { id: expect.any(String) } });
    const late = (await others())!.sample!.id;
    const lateError = errors[ids.indexOf(late)]!;
    const [again] = await its.died([lateError]);
    expect(await its.wrong()).toEqual([]);
    expect(await others()).toMatchObject({ count: 2 });
    const known = ids.find((id) => id !== late)!;
    await stores.tasks.retry({ namespace: NAMESPACE, id: known, actor: "test" });
    const [full] = await its.died([FULL]);
    expect(await its.wrong()).toEqual([]);
    expect(await others()).toMatchObject({ count: 3 });
    for (const id of [late, again!, full!]) await stores.tasks.retry({ namespace: NAMESPACE, id, actor: "test" });
    await its.fold();
    expect(await others()).toBeUndefined();
    await its.died([FULL]);
    expect(await its.wrong()).toEqual([]);
    expect(await its.get(FULL)).toMatchObject({ count: 1, title: FULL });
  });
});

describe("what a list and a group tell", () => {
  test("a list of causes tells them by type, reason, words and time, in pages", async () => {
    const its = await dead.another();
    await its.died([GONE, GONE, GONE, FULL, FULL, "Error: a%"]);
    await its.fold();
    const titles = async (wish: Parameters<typeof its.list>[0]) =>
      (await its.list(wish)).groups.map(({ title }) => title);
    expect(await titles({ error: "ORDERS.FIND" })).toEqual(["Error: order # is gone"]);
    expect(await titles({ error: "%" })).toEqual(["Error: a%"]);
    expect(await titles({ reasons: ["ATTEMPTS"] })).toEqual([]);
    expect(await titles({ since: Date.now() + HOUR })).toEqual([]);
    expect(await titles({ types: ["no-such-type"] })).toEqual([]);
    expect(await titles({ namespace: "elsewhere" })).toEqual([]);
    const first = await its.list({ limit: 2 });
    expect(first).toMatchObject({ causes: 3, tasks: 6, next: { count: 2 } });
    expect(await titles({ limit: 2, after: first.next })).toEqual(["Error: a%"]);
  });

  test("a group tells where and on which versions its tasks died, who fails for the same cause, and until when they are kept", async () => {
    const its = await dead.another();
    const ids = await its.died([GONE, ALSO_GONE, FULL]);
    const [waits, other] = await its.its.tasks(2);
    for (const [id, error] of [
      [waits!, GONE],
      [other!, FULL],
    ] as const) {
      const [claimed] = await its.its.claim([id]);
      const { fence } = claimed!;
      const failed = { kind: "retry" as const, id, owner: its.its.owner, fence, startedAt: Date.now() };
      await stores.tasks.settle([{ ...failed, delayMs: HOUR, error }]);
    }
    await its.fold();
    const group = (await its.get(GONE, 60_000))!;
    expect(group).toMatchObject({
      count: 2,
      lookedAt: 2,
      nodes: [{ node: "10.0.0.1:1", count: 2 }],
      versions: [{ version: "0.1.0", count: 2 }],
      retrying: { count: 1, isAtLeast: false },
      keptUntil: group.firstAt + 60_000,
    });
    expect(group.newest.map(({ id }) => id)).toEqual(ids.slice(0, 2).toSorted().toReversed());
    expect(group.sample).toEqual(group.newest[0]);
    expect(await its.get("Error: something else")).toBeNull();
    expect(await dead.get(GONE)).toBeNull();
  });
});
