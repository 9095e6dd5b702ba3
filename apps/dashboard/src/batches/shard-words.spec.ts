import { expect, test } from "@jest/globals";
import type { TaskState } from "../api/wire.js";
import { inShardOrder, shardCells, shardsSentence } from "./shard-words.js";

const member = (index: number | null, state: TaskState = "succeeded") => {
  return { shard: index === null ? null : { index, total: 4 }, state };
};

test("a batch's shards stand in their order, whatever order the members came in; a missing shard is unknown", () => {
  const cells = shardCells([member(2, "dead"), member(null, "running"), member(0)], 4);
  expect(cells).toEqual([
    { index: 0, state: "succeeded" },
    { index: 1, state: null },
    { index: 2, state: "dead" },
    { index: 3, state: null },
  ]);
  expect(inShardOrder([member(2), member(null), member(0)]).map(({ shard }) => shard?.index)).toEqual([
    0,
    2,
    undefined,
  ]);
});

test("one sentence counts a batch's shards, and names a few that are dead", () => {
  const cells = (states: TaskState[]) => states.map((state, index) => ({ index, state }));
  expect(shardsSentence(cells(["succeeded", "dead", "running", "dead"]))).toBe(
    "1 succeeded, 1 running, 2 dead. Dead: shards 1, 3.",
  );
  expect(shardsSentence(cells(["dead", "scheduled"]))).toBe("1 scheduled, 1 dead. Dead: shard 0.");
  expect(shardsSentence(cells(Array.from({ length: 6 }, () => "dead" as const)))).toBe("6 dead.");
  expect(shardsSentence(shardCells([], 2))).toBe("Nothing is known of its shards.");
});
