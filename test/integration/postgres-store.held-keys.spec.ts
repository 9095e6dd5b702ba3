import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type CreateReply, newBootId, SystemRandom } from "@tickwheel/core";
import { PostgresDatabase, type PostgresStores, PostgresTaskStore } from "@tickwheel/postgres-store";
import type { Client } from "pg";
import { eventually } from "../support/eventually.js";
import { joinNode, NAMESPACE, newTask, newType, Scene } from "./postgres-store.scene.js";

const random = new SystemRandom();
const BULK = 10_000;
/** The places in the slow lane that one name may have, of those of its namespace. */
const PLACES_OF_A_NAME = 250;

let scene: Scene;
let stores: PostgresStores;
let type: string;
let typeId: number;

beforeAll(async () => {
  scene = await Scene.start();
  stores = scene.open();
});
afterAll(() => scene?.stop());
beforeEach(async () => {
  type = `type-${newBootId(random)}`;
  typeId = await newType(stores, type);
});

const keyed = (keys: readonly string[], onConflict: "return" | "refresh" = "return") => ({
  namespace: NAMESPACE,
  tasks: keys.map((key) => newTask({ typeId, type, key, onConflict, due: { delayMs: 3_600_000 } })),
});
const ask = (key: string, { tasks } = stores) => tasks.create(keyed([key]));
const cancelled = (key: string) =>
  stores.tasks.cancel({ target: { namespace: NAMESPACE, type, key }, actor: "somebody" });
const outcomes = (reply: CreateReply) => reply.kind === "written" && reply.results.map(({ outcome }) => outcome);

/** A caller whose open transaction has created a task under each of these keys. */
async function hold(keys: readonly string[]): Promise<Client> {
  const caller = await scene.client();
  await caller.query("BEGIN");
  await stores.tasks.create(keyed(keys), caller);
  return caller;
}

/** Another caller's open transaction, which locks the rows of existing tasks. */
async function holdRows(keys: readonly string[]): Promise<Client> {
  const other = await scene.client();
  await other.query("BEGIN");
  await other.query("SELECT 1 FROM tickwheel.task WHERE type_id = $1 AND key = ANY ($2) FOR UPDATE", [typeId, keys]);
  return other;
}

/** How long each statement that waits for a lock has waited, in milliseconds. */
async function waits(): Promise<number[]> {
  const observer = await scene.client();
  const { rows } = await observer.query(
    `SELECT (extract(epoch FROM clock_timestamp() - xact_start) * 1000)::int AS ms
       FROM pg_stat_activity WHERE wait_event_type = 'Lock'`,
  );
  await observer.end();
  return (rows as { ms: number }[]).map(({ ms }) => ms);
}

/** Expects that a statement waits for a lock. */
const someoneWaits = () => eventually(async () => expect(await waits()).not.toHaveLength(0));

/** Expects that a statement waits in the slow lane: on the pool none waits for this long. */
const allInLane = () =>
  eventually(async () => {
    const inTurn = await waits();
    expect(inTurn).not.toHaveLength(0);
    expect(Math.min(...inTurn)).toBeGreaterThan(70);
  });

/** Whether it is answered; the answers of what is not keep. */
function watched<Reply>(call: Promise<Reply>) {
  const seen = { isOver: false, call };
  call.then(
    () => (seen.isOver = true),
    () => (seen.isOver = true),
  );
  return seen;
}

describe("keys that others hold", () => {
  test("one caller's open transaction on a key delays no other key; creates of that key wait in the slow lane", async () => {
    const caller = await hold(["held"]);
    const asked = Array.from({ length: 20 }, () => stores.tasks.create(keyed(["held"])));
    await someoneWaits();
    const others = await Promise.all(
      Array.from({ length: 20 }, (_, index) => stores.tasks.create(keyed([`free-${index}`]))),
    );
    expect(others.map((reply) => reply.kind === "written" && reply.results[0]!.outcome)).toEqual(
      Array(20).fill("created"),
    );
    await caller.query("COMMIT");
    const replies = await Promise.all(asked);
    expect(replies.map((reply) => reply.kind === "written" && reply.results[0]!.outcome)).toEqual(
      Array(20).fill("existing"),
    );
  });

  test("a batch that waits for one key in the slow lane holds no other, whose tasks can be claimed meanwhile", async () => {
    // Some of them come before the held one in the lock order.
    const keys = ["1", "2", "3", "4", "5", "6"];
    const tasks = keyed(keys);
    await stores.tasks.create(tasks);
    const caller = await hold(["held"]);
    const batch = stores.tasks.create(keyed([...keys, "held"]));
    await someoneWaits();
    const owner = await joinNode(stores);
    const left = new Set(tasks.tasks.map(({ id }) => id));
    await eventually(async () => {
      const claimed = await stores.tasks.claim({ owner, ids: [...left], claimAheadMs: 7_200_000 });
      for (const { id } of claimed.tasks) left.delete(id);
      expect(left.size).toBe(0);
    });
    await caller.query("COMMIT");
    const reply = await batch;
    expect(reply.kind === "written" && reply.results.map(({ outcome }) => outcome)).toEqual(Array(7).fill("existing"));
  });

  test("a caller that waits for a second held key is answered when it is free, whatever waits for the first", async () => {
    const first = await hold(["first"]);
    const second = await hold(["second"]);
    const crowd = Array.from({ length: 75 }, () => watched(ask("first")));
    const others = Array.from({ length: 20 }, () => watched(ask("second")));
    await allInLane();
    await second.query("COMMIT");
    const replies = await Promise.all(others.map(({ call }) => call));
    expect(crowd.filter(({ isOver }) => isOver)).toEqual([]);
    expect(replies.map(outcomes)).toEqual(Array(20).fill(["existing"]));
    await first.query("COMMIT");
    expect((await Promise.all(crowd.map(({ call }) => call))).map(outcomes)).toEqual(Array(75).fill(["existing"]));
  });

  test("cancels and edits of a second held row are answered when it is free, too", async () => {
    const made = await stores.tasks.create(keyed(["first", "second", "third"]));
    const ids =
      made.kind === "written" ? made.results.map((one) => (one.outcome === "created" ? one.task.id : "")) : [];
    const change = (id: string) =>
      stores.tasks.edit({ namespace: NAMESPACE, id, changes: { priority: 1 }, actor: "somebody" });
    const first = await holdRows(["first"]);
    const second = await holdRows(["second", "third"]);
    const crowd = Array.from({ length: 30 }, () => watched(change(ids[0]!)));
    const cancelling = cancelled("second");
    const editing = change(ids[2]!);
    await allInLane();
    await second.query("ROLLBACK");
    expect(await cancelling).toMatchObject({ outcome: "cancelled" });
    expect(await editing).toMatchObject({ outcome: "changed", task: { priority: 1 } });
    expect(crowd.filter(({ isOver }) => isOver)).toEqual([]);
    await first.query("ROLLBACK");
    for (const { call } of crowd) expect(await call).toMatchObject({ outcome: "changed" });
  });

  test("a cancel by key waits behind the creates of that key", async () => {
    const holder = await hold(["one"]);
    const order: string[] = [];
    const creating = ask("one").finally(() => order.push("create"));
    await allInLane();
    const cancelling = cancelled("one").finally(() => order.push("cancel"));
    await holder.query("COMMIT");
    expect(outcomes(await creating)).toEqual(["existing"]);
    expect(await cancelling).toMatchObject({ outcome: "cancelled" });
    expect(order).toEqual(["create", "cancel"]);
  });

  test("many held keys take turns: each is answered when its own holder is gone", async () => {
    const keys = Array.from({ length: 30 }, (_, index) => `key-${index}`);
    const holders = await Promise.all(keys.map((key) => hold([key])));
    const asked = keys.map((key) => watched(ask(key)));
    await someoneWaits();
    for (const [place, holder] of holders.entries()) {
      if (place % 3 > 0) continue;
      await holder.query("ROLLBACK");
      expect(outcomes(await asked[place]!.call)).toEqual(["created"]);
    }
    expect(asked.filter(({ isOver }) => isOver)).toHaveLength(10);
    for (const holder of holders) await holder.query("ROLLBACK");
    await Promise.all(asked.map(({ call }) => call));
  });

  test("a write that has waited too long has changed nothing, and its place is free", async () => {
    const node = scene.open({ lockPatienceMs: 300 });
    const holder = await hold(["held"]);
    const refused = await Promise.allSettled([ask("held", node), ask("held", node)]);
    expect(refused).toEqual(Array(2).fill(expect.objectContaining({ reason: UNAVAILABLE })));
    await expect(node.tasks.create(keyed(["free", "held"]))).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    await holder.query("ROLLBACK");
    expect(outcomes(await node.tasks.create(keyed(["free", "held"])))).toEqual(["created", "created"]);
  });

  test("a flood of calls under one name is refused beyond its share, and calls of other names have room", async () => {
    const holder = await hold(["flood"]);
    const other = await hold(["other"]);
    const flood = Array.from({ length: PLACES_OF_A_NAME + 50 }, () => watched(ask("flood")));
    await eventually(async () => expect(flood.filter(({ isOver }) => isOver)).toHaveLength(50));
    const late = ask("other");
    await other.query("COMMIT");
    expect(outcomes(await late)).toEqual(["existing"]);
    await holder.query("COMMIT");
    const replies = await Promise.allSettled(flood.map(({ call }) => call));
    expect(replies.filter(({ status }) => status === "fulfilled")).toHaveLength(PLACES_OF_A_NAME);
    expect(replies.filter(({ status }) => status === "rejected")).toEqual(
      Array(50).fill(expect.objectContaining({ reason: UNAVAILABLE })),
    );
  });

  test("a node that stops answers the waiting callers, and its connections end", async () => {
    const node = scene.open({ applicationName: "stopping" });
    const holder = await hold(["held"]);
    const asked = Array.from({ length: 5 }, () => ask("held", node));
    asked.push(node.tasks.create(keyed(["held", "free"])).then((reply) => reply));
    await someoneWaits();
    const ends = Promise.allSettled(asked);
    await node.close();
    expect(await ends).toEqual(Array(6).fill(expect.objectContaining({ reason: UNAVAILABLE })));
    await holder.query("ROLLBACK");
    const observer = await scene.client();
    await eventually(async () => {
      const { rows } = await observer.query("SELECT 1 FROM pg_stat_activity WHERE application_name = 'stopping'");
      expect(rows).toEqual([]);
    });
    expect(outcomes(await ask("free"))).toEqual(["created"]);
  });
});

describe("a bulk that meets held keys", () => {
  const keys = Array.from({ length: BULK }, (_, index) => `bulk-${index}`);

  test("a bulk waits only for the one held key of ten thousand, and finds it with few transactions", async () => {
    const side = new CountingDatabase({ url: scene.server.url, size: 3 });
    const tasks = new PostgresTaskStore(stores.database, { side });
    const holder = await hold([keys[7_654]!]);
    const bulk = watched(tasks.create(keyed(keys)));
    const others = scene.open({ lockPatienceMs: 1 });
    const neighbours = ["0", "4999", "7653", "7655", "9999"].map((number) => `bulk-${number}`);
    await eventually(async () => expect(side.transactions).toBeGreaterThan(2 * Math.log2(BULK)));
    await eventually(async () => void (await others.tasks.create(keyed(neighbours))));
    expect(bulk.isOver).toBe(false);
    await holder.query("ROLLBACK");
    const written = outcomes(await bulk.call) || [];
    expect(written.filter((outcome) => outcome === "existing")).toHaveLength(neighbours.length);
    expect(written.filter((outcome) => outcome === "created")).toHaveLength(BULK - neighbours.length);
    expect(side.transactions).toBeLessThan(200);
    await tasks.close();
  });

  test("a bulk is written when all of several holders of its keys are gone, in whatever order", async () => {
    const some = keys.slice(0, 200);
    const holders = await Promise.all([some[0]!, some[99]!, some[199]!].map((key) => hold([key])));
    const bulk = watched(stores.tasks.create(keyed(some, "refresh")));
    for (const holder of holders.reverse()) {
      await someoneWaits();
      expect(bulk.isOver).toBe(false);
      await holder.query("COMMIT");
    }
    const replies = outcomes(await bulk.call) || [];
    expect(replies.filter((outcome) => outcome === "refreshed")).toHaveLength(3);
    expect(replies.filter((outcome) => outcome === "created")).toHaveLength(197);
  });

  test("a bulk under an idempotency key that is in flight waits for the first bulk, and answers with what that wrote", async () => {
    const request = () => ({ ...keyed(keys.slice(0, 50)), idempotency: { key: type, bodyHash: "same" } });
    const caller = await scene.client();
    await caller.query("BEGIN");
    await stores.tasks.create(request(), caller);
    const second = stores.tasks.create(request());
    await someoneWaits();
    await caller.query("COMMIT");
    expect(await second).toMatchObject({ kind: "replayed" });
  });
});

const UNAVAILABLE = expect.objectContaining({ code: "STORE_UNAVAILABLE" }) as unknown;

/** Counts what it was asked for. */
class CountingDatabase extends PostgresDatabase {
  transactions = 0;

  override transaction<Result>(...call: Parameters<PostgresDatabase["transaction"]>): Promise<Result> {
    this.transactions++;
    return super.transaction(...call) as Promise<Result>;
  }
}
