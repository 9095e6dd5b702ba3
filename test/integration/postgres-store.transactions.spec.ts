import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type CallerTransaction, type JsonText, jsonTextOf } from "@tickwheel/core";
import type { PostgresStores } from "@tickwheel/postgres-store";
import { DataSource } from "typeorm";
import { create, joinNode, NAMESPACE, newTask, newType, Scene } from "./postgres-store.scene.js";

let scene: Scene;
let stores: PostgresStores;
let dataSource: DataSource;

beforeAll(async () => {
  scene = await Scene.start();
  stores = scene.open();
  dataSource = await new DataSource({ type: "postgres", url: scene.server.url }).initialize();
});
afterAll(async () => {
  await dataSource?.destroy();
  await scene?.stop();
});

const KINDS = ["TypeORM's EntityManager", "TypeORM's QueryRunner", "a pg client"] as const;

/** Runs `work` in a caller's transaction, and commits it or rolls it back as asked. */
async function within<Result>(
  kind: (typeof KINDS)[number],
  end: "commit" | "rollback",
  work: (transaction: CallerTransaction) => Promise<Result>,
): Promise<Result> {
  if (kind === "a pg client") {
    const client = await scene.client();
    await client.query("BEGIN");
    const result = await work(client);
    await client.query(end);
    return result;
  }
  const runner = dataSource.createQueryRunner();
  await runner.startTransaction();
  const result = await work(kind === "TypeORM's QueryRunner" ? runner : runner.manager);
  await (end === "commit" ? runner.commitTransaction() : runner.rollbackTransaction());
  await runner.release();
  return result;
}

describe.each(KINDS)("within a transaction of %s", (kind) => {
  test("a create within a transaction is there after the commit, and never after a rollback", async () => {
    const typeId = await newType(stores);
    const kept = newTask({ typeId });
    const lost = newTask({ typeId });
    const reply = await within(kind, "commit", (transaction) =>
      stores.tasks.create({ namespace: NAMESPACE, tasks: [kept] }, transaction),
    );
    await within(kind, "rollback", (transaction) =>
      stores.tasks.create({ namespace: NAMESPACE, tasks: [lost] }, transaction),
    );
    expect(reply).toMatchObject({ kind: "written", results: [{ outcome: "created", task: { id: kept.id } }] });
    expect(await stores.tasks.get(NAMESPACE, kept.id)).toEqual(
      reply.kind === "written" && reply.results[0]!.outcome !== "rejected" && reply.results[0]!.task,
    );
    expect(await stores.tasks.get(NAMESPACE, lost.id)).toBeNull();
  });

  test("a keyed create within a transaction treats its key's holder by every policy", async () => {
    const type = `keys of ${kind}`;
    const typeId = await newType(stores, type);
    const { id } = await create(stores, { typeId, type, key: "k" });
    const outcomes: string[] = [];
    for (const onConflict of ["reject", "return", "refresh", "replace"] as const) {
      const reply = await within(kind, "commit", (transaction) =>
        stores.tasks.create(
          { namespace: NAMESPACE, tasks: [newTask({ typeId, type, key: "k", onConflict })] },
          transaction,
        ),
      );
      outcomes.push(reply.kind === "written" ? reply.results[0]!.outcome : reply.kind);
    }
    expect(outcomes).toEqual(["rejected", "existing", "refreshed", "replaced"]);
    expect(await stores.tasks.get(NAMESPACE, id)).toMatchObject({ state: "cancelled", reason: "REPLACED" });
  });

  test("a cancel and an edit within a transaction count after the commit, and not after a rollback", async () => {
    const typeId = await newType(stores);
    const { id } = await create(stores, { typeId });
    const cancel = (transaction: CallerTransaction) =>
      stores.tasks.cancel({ target: { namespace: NAMESPACE, id }, actor: "somebody" }, transaction);
    const edit = (transaction: CallerTransaction) =>
      stores.tasks.edit({ namespace: NAMESPACE, id, changes: { priority: 0 }, actor: "somebody" }, transaction);
    expect(await within(kind, "rollback", edit)).toMatchObject({ outcome: "changed", task: { priority: 0 } });
    expect(await within(kind, "rollback", cancel)).toMatchObject({ outcome: "cancelled" });
    expect(await stores.tasks.get(NAMESPACE, id)).toMatchObject({ state: "scheduled", priority: 5, version: 1 });
    await within(kind, "commit", edit);
    await within(kind, "commit", cancel);
    expect(await stores.tasks.get(NAMESPACE, id)).toMatchObject({ state: "cancelled", priority: 0, version: 3 });
  });

  test("a completion counts with the handler's commit, and a stale one changes nothing", async () => {
    const typeId = await newType(stores);
    const { id } = await create(stores, { typeId });
    const owner = await joinNode(stores);
    const { tasks } = await stores.tasks.claim({ owner, ids: [id], claimAheadMs: 5 });
    const completion = { ...tasks[0]!, startedAt: tasks[0]!.claimedAt, result: '{"done":true}' };
    const complete = (transaction: CallerTransaction) => stores.tasks.completeWithin(completion, transaction);
    expect(await within(kind, "rollback", complete)).not.toBeNull();
    expect((await stores.tasks.get(NAMESPACE, id))!.state).toBe("running");
    expect(await within(kind, "commit", complete)).not.toBeNull();
    expect(await within(kind, "commit", complete)).toBeNull();
    expect(await stores.tasks.get(NAMESPACE, id)).toMatchObject({
      state: "succeeded",
      result: completion.result,
    });
  });

  test("a transaction that is over, or has failed before, is said to be at fault", async () => {
    const typeId = await newType(stores);
    const make = (transaction: CallerTransaction) =>
      stores.tasks.create({ namespace: NAMESPACE, tasks: [newTask({ typeId })] }, transaction);
    let kept: CallerTransaction | undefined;
    await within(kind, "commit", (transaction) => Promise.resolve((kept = transaction)));
    await expect(make(kept!)).rejects.toMatchObject({ code: "TRANSACTION_UNAVAILABLE" });
    const failed = within(kind, "rollback", async (transaction) => {
      await Promise.resolve(transaction.query("SELECT 1 / 0", [])).catch(() => undefined);
      return make(transaction).catch((error: unknown) => error);
    });
    expect(await failed).toMatchObject({
      code: "TRANSACTION_UNAVAILABLE",
      message: expect.stringMatching(/savepoint/),
    });
  });

  test("a marked completion and step are refused in another transaction than the marked one", async () => {
    const typeId = await newType(stores);
    const { id } = await create(stores, { typeId });
    const owner = await joinNode(stores);
    const [task] = (await stores.tasks.claim({ owner, ids: [id], claimAheadMs: 5 })).tasks;
    const ref = { id, owner, fence: task!.fence };
    const write = { ...ref, isBegun: true };
    const completion = { ...write, startedAt: task!.claimedAt, result: null };
    const refused = { code: "TRANSACTION_UNAVAILABLE", message: expect.stringMatching(/by hand/) };
    const ended = async (call: (transaction: CallerTransaction) => Promise<unknown>): Promise<unknown> =>
      within(kind, "rollback", async (transaction) => {
        await stores.tasks.beginWithin({ ...ref, timeoutMs: 1_000 }, transaction);
        await transaction.query("ROLLBACK", []);
        await transaction.query("BEGIN", []);
        return call(transaction).catch((error: unknown) => error);
      });
    expect(await ended((t) => stores.tasks.completeWithin(completion, t))).toMatchObject(refused);
    expect(await ended((t) => stores.effects.storeStep({ ...write, name: "pay", result: null }, t))).toMatchObject(
      refused,
    );
    const state = jsonTextOf(1);
    expect(await ended((t) => stores.effects.storeCheckpoint({ ...write, before: null, state }, t))).toMatchObject(
      refused,
    );
    expect((await stores.tasks.get(NAMESPACE, id))!.state).toBe("running");
  });

  test("a retry whose key is taken leaves the caller's transaction usable", async () => {
    const type = `retries of ${kind}`;
    const typeId = await newType(stores, type);
    const { id } = await create(stores, { typeId, type, key: "k" });
    await stores.tasks.cancel({ target: { namespace: NAMESPACE, id }, actor: "somebody" });
    await stores.tasks.archive(100);
    await create(stores, { typeId, type, key: "k" });
    const replies = await within(kind, "commit", async (transaction) => [
      await stores.tasks.retry({ namespace: NAMESPACE, id, actor: "somebody" }, transaction),
      await stores.tasks.create({ namespace: NAMESPACE, tasks: [newTask({ typeId })] }, transaction),
    ]);
    expect(replies).toMatchObject([{ outcome: "key_conflict", task: { id, state: "cancelled" } }, { kind: "written" }]);
  });

  test("no setting of the store outlives the call within a caller's transaction", async () => {
    const typeId = await newType(stores);
    const { id } = await create(stores, { typeId });
    const timeout = await within(kind, "commit", async (transaction) => {
      await stores.tasks.cancel({ target: { namespace: NAMESPACE, id }, actor: "somebody" }, transaction);
      const answer = (await transaction.query("SELECT current_setting('lock_timeout') AS value")) as
        | { value: string }[]
        | { rows: { value: string }[] };
      return ("rows" in answer ? answer.rows : answer)[0]!.value;
    });
    expect(timeout).toBe("0");
  });
});

describe("payloads", () => {
  test("a claim's reply leaves out payloads beyond its limit, and the store reads them after the commit", async () => {
    const node = scene.open({ claimReplyBytes: 10_000 });
    const typeId = await newType(node);
    const payloads = Array.from({ length: 8 }, (_, index) => ({ index, text: "x".repeat(4_000) }));
    const made = await Promise.all(payloads.map((payload) => create(node, { typeId, payload: jsonTextOf(payload) })));
    const owner = await joinNode(node);
    const { tasks } = await node.tasks.claim({ owner, ids: made.map(({ id }) => id), claimAheadMs: 5 });
    expect(tasks.map(({ payload }) => payload)).toEqual(payloads.map(jsonTextOf));
  });

  test("JSON comes back unchanged, with NUL, null, the text of long numbers and half surrogates", async () => {
    const typeId = await newType(stores);
    const values = [null, "a\0b", { "k\0": ["\ud800", 1e300, ""] }, 0, false].map(jsonTextOf);
    for (const payload of [...values, '{"a":1e400,\t"a" : 12345678901234567890.10}' as JsonText]) {
      const { id } = await create(stores, { typeId, payload });
      expect((await stores.tasks.get(NAMESPACE, id))!.payload).toBe(payload);
    }
  });

  test("an error's text with a NUL is kept without it", async () => {
    const typeId = await newType(stores);
    const { id } = await create(stores, { typeId });
    const owner = await joinNode(stores);
    const { tasks } = await stores.tasks.claim({ owner, ids: [id], claimAheadMs: 5 });
    const startedAt = tasks[0]!.claimedAt;
    await stores.tasks.settle([{ ...tasks[0]!, kind: "dead", reason: "NON_RETRYABLE", error: "bad\0byte", startedAt }]);
    expect(await stores.tasks.get(NAMESPACE, id)).toMatchObject({ state: "dead", lastError: "bad\uFFFDbyte" });
  });
});

describe("a handler's transaction", () => {
  const settings =
    "SELECT current_setting('application_name') AS name, current_setting('idle_in_transaction_session_timeout') AS idle";
  const execution = { id: "0198c0de-0000-7000-8000-0123456789ab", owner: "9223372036854775807", fence: 9_999_999 };

  test("a handler's transaction carries the task's name and a limit that follows from its time-out, until it ends", async () => {
    const client = await scene.client();
    const { rows: before } = await client.query(settings);
    await client.query("BEGIN");
    await stores.tasks.beginWithin({ ...execution, timeoutMs: 30_000 }, client);
    const name = "tw/9223372036854775807/0198c0de0000700080000123456789ab/9999999";
    expect((await client.query(settings)).rows).toEqual([{ name, idle: "35s" }]);
    await client.query("COMMIT");
    expect((await client.query(settings)).rows).toEqual(before);
  });

  test.each([
    ["20s", 30_000, "20s"],
    ["1min", 30_000, "35s"],
    ["0", 500, "5500ms"],
    ["0", 1e12, "2147483647ms"],
  ])(
    "a handler's transaction keeps the application's own limit where that is stricter: %s, a time-out of %i ms",
    async (own, timeoutMs, idle) => {
      const client = await scene.client();
      await client.query("BEGIN");
      await client.query(`SET LOCAL idle_in_transaction_session_timeout = '${own}'`);
      await stores.tasks.beginWithin({ ...execution, timeoutMs }, client);
      expect((await client.query(settings)).rows).toMatchObject([{ idle }]);
      await client.query("ROLLBACK");
    },
  );
});
