import { getHeapSpaceStatistics } from "node:v8";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { Scene } from "./postgres-store.scene.js";

jest.setTimeout(60_000);

/** Of a list that V8 puts into the old generation, since its like survived once, up to 45 bytes a row are its own; a row has 140 and more. */
const BYTES_OF_LISTS = 70;
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

function oldGenerationBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === "old_space")!.space_used_size;
}

describe("a reply that was read", () => {
  test("is forgotten at the next minor collection, and does not grow old", async () => {
    const { database } = scene.open({ size: 1 });
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
