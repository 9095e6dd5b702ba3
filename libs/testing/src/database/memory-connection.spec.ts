import { describe, expect, test } from "@jest/globals";
import { newTaskId, type NewTask, JSON_NULL } from "@tickwheel/core";
import { ManualClock } from "../system/manual-clock.js";
import { SeededRandom } from "../system/seeded-random.js";
import { MemoryClusterStore } from "../stores/memory-cluster-store.js";
import { MemoryDatabase } from "./memory-database.js";
import { MemoryTaskStore } from "../stores/memory-task-store.js";

const OWNER = "101";

/** A due task, a live node with its own connection, and the store of another, undisturbed client. */
async function stage() {
  const clock = new ManualClock();
  const database = new MemoryDatabase({ clock });
  const connection = database.connect("node");
  const onlooker = new MemoryTaskStore(database.connect("onlooker"));
  const type = await onlooker.ensureType({ namespace: "n", type: "t", delivery: "handler" });
  await new MemoryClusterStore(connection).join({
    bootId: OWNER,
    label: "a:1",
    version: "1",
    roles: [],
    typeIds: [type.id],
  });
  const task: NewTask = {
    id: newTaskId(database.now(), 1, new SeededRandom(1)),
    typeId: type.id,
    key: null,
    payload: JSON_NULL,
    due: { delayMs: 0 },
    startDeadlineMs: null,
    onConflict: "reject",
    priority: 5,
    maxAttempts: 3,
    timeoutMs: 1_000,
    backoff: { kind: "fixed", delayMs: 0 },
    delivery: null,
    actor: "test",
  };
  await onlooker.create({ namespace: "n", tasks: [task] });
  const store = new MemoryTaskStore(connection);
  const claim = () => store.claim({ owner: OWNER, ids: [task.id], claimAheadMs: 0 });
  const state = async () => (await onlooker.get("n", task.id))?.state;
  return { clock, database, connection, onlooker, store, claim, state, id: task.id };
}

describe("MemoryConnection", () => {
  test("a statement that a test makes fail is not applied, but the next one is", async () => {
    const { connection, claim, state } = await stage();
    connection.failNext("claim");
    await expect(claim()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    expect(await state()).toBe("scheduled");
    expect((await claim()).tasks).toHaveLength(1);
  });

  test("a statement whose reply is lost is applied", async () => {
    const { connection, claim, state, store } = await stage();
    connection.loseNextReply("claim");
    await expect(claim()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    expect(await state()).toBe("running");
    expect(await store.runningUnder(OWNER)).toHaveLength(1);
  });

  test("a disconnected node reaches nothing until it is connected again", async () => {
    const { connection, store, onlooker } = await stage();
    connection.disconnect();
    await expect(store.now()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    await expect(onlooker.now()).resolves.toBeGreaterThan(0);
    connection.connect();
    await expect(store.now()).resolves.toBeGreaterThan(0);
  });

  test("a node killed in mid-claim leaves the claim behind and never hears of it", async () => {
    const { clock, connection, claim, store, state } = await stage();
    const heard: string[] = [];
    connection.gate = ({ statement, phase }) => {
      if (statement === "claim" && phase === "after") connection.kill();
    };
    const listen = (name: string) => [() => heard.push(name), () => heard.push(`${name} failed`)] as const;
    void claim().then(...listen("claim"));
    await clock.settle();
    void store.now().then(...listen("now"));
    await clock.settle();
    expect(heard).toEqual([]);
    expect(await state()).toBe("running");
  });

  test("a gate stops a statement until it opens", async () => {
    const { clock, connection, claim, state } = await stage();
    connection.gate = ({ phase }) =>
      phase === "before" ? new Promise((open) => clock.setTimer(100, open)) : undefined;
    const claimed = claim();
    await clock.advance(99);
    expect(await state()).toBe("scheduled");
    await clock.advance(1);
    expect((await claimed).tasks).toHaveLength(1);
  });
});

describe("MemoryDatabase", () => {
  test("the clock of MemoryDatabase is the manual clock on its epoch, in whole milliseconds", async () => {
    const clock = new ManualClock();
    const database = new MemoryDatabase({ clock, epochMs: 1_000 });
    await clock.advance(2.7);
    expect(database.now()).toBe(1_002);
  });

  test("replies and stored rows of MemoryDatabase share no objects", async () => {
    const { onlooker, database, id } = await stage();
    const task = await onlooker.get("n", id);
    Object.assign(task!, { state: "dead" });
    expect((await onlooker.get("n", id))?.state).toBe("scheduled");
    expect(database.log).toHaveLength(1);
  });

  test("the log of MemoryDatabase tells who changed what, by which statement, in the order of the commits", async () => {
    const { claim, database, id } = await stage();
    await claim();
    await claim();
    expect(database.log.map(({ node, statement, changes }) => [node, statement, changes.length])).toEqual([
      ["onlooker", "create", 1],
      ["node", "claim", 1],
    ]);
    expect(database.log[1]?.changes[0]).toMatchObject({
      before: { id, state: "scheduled" },
      after: { state: "running" },
    });
  });

  test("a transaction's effects run at its commit, and never after a rollback", async () => {
    const { database } = await stage();
    const effects: string[] = [];
    await database.transaction(async (within) => {
      within.onCommit(() => effects.push("kept"));
      expect(effects).toEqual([]);
    });
    const undone = database.transaction(async (within) => {
      within.onCommit(() => effects.push("undone"));
      throw new Error("no");
    });
    await expect(undone).rejects.toThrow("no");
    expect(effects).toEqual(["kept"]);
  });

  test("a transaction that is over refuses statements, and a foreign transaction is refused", async () => {
    const { database, onlooker, id } = await stage();
    const target = { namespace: "n", id };
    const over = await database.transaction(async (within) => within);
    await expect(onlooker.cancel({ target, actor: "a" }, over)).rejects.toMatchObject({
      code: "TRANSACTION_ALREADY_COMMITTED",
    });
    const foreign = { query: async () => [] };
    await expect(onlooker.cancel({ target, actor: "a" }, foreign)).rejects.toMatchObject({
      code: "TRANSACTION_UNAVAILABLE",
    });
    await expect(over.query()).rejects.toMatchObject({ code: "TRANSACTION_UNAVAILABLE" });
  });

  test("when two transactions wait for each other, one is refused and the other goes on", async () => {
    const { database, onlooker, id } = await stage();
    const type = await onlooker.ensureType({ namespace: "n", type: "t", delivery: "handler" });
    const other = newTaskId(database.now(), 2, new SeededRandom(2));
    const [row] = database.log[0]!.changes;
    await onlooker.create({
      namespace: "n",
      tasks: [
        {
          ...row!.after!,
          id: other,
          typeId: type.id,
          due: { delayMs: 0 },
          startDeadlineMs: null,
          onConflict: "reject",
          actor: "a",
          batchId: undefined,
          shard: undefined,
        },
      ],
    });
    const edit = (task: string) => ({ namespace: "n", id: task, changes: { priority: 1 }, actor: "a" });
    let meet: () => void = () => undefined;
    const meeting = new Promise<void>((resolve) => (meet = resolve));
    let arrived = 0;
    const cross = (first: string, second: string) =>
      database.transaction(async (within) => {
        await onlooker.edit(edit(first), within);
        if (++arrived === 2) meet();
        await meeting;
        await onlooker.edit(edit(second), within);
      });
    const results = await Promise.allSettled([cross(id, other), cross(other, id)]);
    expect(results.map((result) => result.status).sort()).toEqual(["fulfilled", "rejected"]);
  });
});
