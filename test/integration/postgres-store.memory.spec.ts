import { getHeapSpaceStatistics } from "node:v8";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { Scene } from "./postgres-store.scene.js";

/**
 * In a process that has run other tests, V8 has learned that lists live long, and allocates some of them in the old
 * generation: up to 78 bytes a row (less than 5 in a process of its own). A row that is kept takes 140 bytes or more.
 */
const BYTES_OF_LISTS = 100;
const ROWS = 300;
const ROUNDS = 1_500;

let scene: Scene;

beforeAll(async () => {
  scene = await Scene.start();
});
afterAll(() => scene?.stop());

const manyRows = {
  name: "many_rows",
  sql: () => `SELECT i, repeat('x', 200) AS payload FROM generate_series(1, ${ROWS}) i`,
  values: () => [],
  read: (row: Record<string, unknown>) => row.payload as string,
};

/**
 * From lists like these, V8 learns that lists of rows live long, and allocates each further one in the old generation.
 */
function keepManyReplies(): void {
  const kept: unknown[] = [];
  for (let made = 0; made < 500_000; made++) kept.push(new (pg as unknown as { Result: new () => object }).Result());
}

function oldGenerationBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === "old_space")!.space_used_size;
}

describe("a reply that was read", () => {
  test("a reply that was read is freed by the next minor collection, and is not promoted", async () => {
    const { database } = scene.open({ size: 1 });
    keepManyReplies();
    let promoted = 0;
    for (let round = 0, before = oldGenerationBytes(); round < ROUNDS; round++) {
      await database.run(manyRows, undefined);
      const after = oldGenerationBytes();
      promoted += Math.max(0, after - before);
      before = after;
    }
    expect(promoted / (ROUNDS * ROWS)).toBeLessThan(BYTES_OF_LISTS);
  });
});
