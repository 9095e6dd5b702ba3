import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type CallerTransaction, CONFLICT_POLICIES, type CreateResult, jsonTextOf } from "@tickwheel/core";
import type { PostgresStores } from "@tickwheel/postgres-store";
import type { Client } from "pg";
import { create, NAMESPACE, newTask, newType, Scene } from "./postgres-store.scene.js";

const TYPE = "of.one.key";
const ITEMS = 2_000;

let scene: Scene;
let stores: PostgresStores;
let client: Client;
let typeId: number;

beforeAll(async () => {
  scene = await Scene.start();
  stores = scene.open();
  client = await scene.client();
  typeId = await newType(stores, TYPE);
});
afterAll(() => scene?.stop());

type Policy = (typeof CONFLICT_POLICIES)[number];

/** Writes tasks of one key in a transaction that is rolled back; returns the number of statements. */
async function written(
  key: string,
  policies: readonly Policy[],
  payload = jsonTextOf("x".repeat(50_000)),
): Promise<{ results: CreateResult[]; statements: number }> {
  const tasks = policies.map((onConflict) => newTask({ typeId, type: TYPE, key, onConflict, payload }));
  let statements = 0;
  const counting: CallerTransaction = {
    query: (sql, parameters) => {
      statements++;
      return client.query(sql, parameters);
    },
  };
  await client.query("BEGIN");
  const reply = await stores.tasks.create({ namespace: NAMESPACE, tasks }, counting);
  await client.query("ROLLBACK");
  return { results: reply.kind === "written" ? reply.results : [], statements };
}

test.each(["return", "reject"] as const)("a bulk of one key with %s reads the key's holder once", async (policy) => {
  const holder = await create(stores, { typeId, type: TYPE, key: policy });
  const { results, statements } = await written(
    policy,
    Array.from({ length: ITEMS }, () => policy),
  );
  expect(statements).toBeLessThan(10);
  expect(results).toHaveLength(ITEMS);
  const ids = results.map((result) => (result.outcome === "rejected" ? result.existingId : result.task.id));
  expect(new Set(ids)).toEqual(new Set([holder.id]));
});

test.each(["a free key", "a key that is held"])(
  "a bulk of refreshes or replacements of %s takes few statements",
  async (what) => {
    for (const policy of ["refresh", "replace"] as const) {
      const key = `${policy} ${what}`;
      if (what !== "a free key") await create(stores, { typeId, type: TYPE, key });
      const policies = Array.from({ length: ITEMS }, () => policy);
      const { results, statements } = await written(key, policies, jsonTextOf(1));
      expect(results).toHaveLength(ITEMS);
      // One statement asks whether a transaction is open. Replacements that never hold the key are written a thousand
      // at a time.
      expect(statements).toBeLessThanOrEqual(policy === "refresh" ? 4 : 7);
    }
  },
);

test("each item of a bulk of one key sees the results of the items before it", async () => {
  const policies: Policy[] = [
    "reject",
    "return",
    "replace",
    "reject",
    "return",
    "refresh",
    "return",
    "replace",
    "return",
  ];
  const { results } = await written("mixed", policies);
  expect(results.map(({ outcome }) => outcome)).toEqual([
    "created",
    "existing",
    "replaced",
    "rejected",
    "existing",
    "refreshed",
    "existing",
    "replaced",
    "existing",
  ]);
  const ids = results.map((result) => (result.outcome === "rejected" ? result.existingId : result.task.id));
  const first = ids[0];
  const second = ids[2];
  const third = ids[7];
  expect(ids).toEqual([first, first, second, second, second, second, second, third, third]);
  expect(new Set([first, second, third]).size).toBe(3);
  const versions = results.map((result) => (result.outcome === "rejected" ? null : result.task.version));
  // Each task as the whole bulk left it: the first two were replaced.
  expect(versions).toEqual([2, 2, 3, null, 3, 3, 3, 1, 1]);
});

test.each(["unkeyed", "keyed"])(
  "a long bulk, %s, is written a thousand rows at a time, in order and all or nothing",
  async (kind) => {
    const keyOf = (index: number): string | null => (kind === "keyed" ? `long-${index}` : null);
    const tasks = Array.from({ length: 2_500 }, (_, index) => newTask({ typeId, type: TYPE, key: keyOf(index) }));
    const rows: number[] = [];
    const counting: CallerTransaction = {
      query: (sql, parameters = []) => {
        rows.push(Math.max(0, ...parameters.map((value) => (Array.isArray(value) ? value.length : 0))));
        return client.query(sql, parameters);
      },
    };
    await client.query("BEGIN");
    const reply = await stores.tasks.create({ namespace: NAMESPACE, tasks }, counting);
    await client.query("ROLLBACK");
    const written = reply.kind === "written" ? reply.results : [];
    expect(written.map((result) => result.outcome === "created" && result.task.id)).toEqual(tasks.map(({ id }) => id));
    // A slot's keys stay together.
    expect(Math.max(...rows)).toBeLessThan(1_050);
    const twice = [...tasks, { ...newTask({ typeId }), id: tasks[0]!.id }];
    await expect(stores.tasks.create({ namespace: NAMESPACE, tasks: twice })).rejects.toThrow("task_pkey");
    for (const { id } of [tasks[0]!, tasks.at(-1)!]) expect(await stores.tasks.get(NAMESPACE, id)).toBeNull();
  },
);
