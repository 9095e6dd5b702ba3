import { expect, test } from "@jest/globals";
import { TASK_NUMBERS } from "./sql-fragments.js";
import { numberAt, placesOf, readNumbers, readTask } from "./task-rows.js";

test("a row of numbers is read as Postgres writes it", () => {
  expect(readNumbers("(5)")).toEqual([5]);
  expect(readNumbers("(0,-12,1763712000123,9007199254740991,-9007199254740991)")).toEqual([
    0,
    -12,
    1_763_712_000_123,
    Number.MAX_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER,
  ]);
});

test("an empty place in a row of numbers is null, wherever it is", () => {
  expect(readNumbers("(,1,,,2,)")).toEqual([null, 1, null, null, 2, null]);
  expect(readNumbers("(,)")).toEqual([null, null]);
});

test("each number of a task is read from its own column", () => {
  const row = { numbers: `(${TASK_NUMBERS.map((name, place) => (name === "state" ? 3 : 100 + place)).join(",")})` };
  const at = placesOf(TASK_NUMBERS);
  const numbers = readNumbers(row.numbers);
  const task = readTask({
    ...row,
    payload: null,
    backoff: null,
    delivery: null,
    tags: null,
    later_ms: null,
    lateness_parts: null,
  });
  expect(task.state).toBe("dead");
  expect(task.dueAt).toBe(numberAt(numbers, at.due_at));
  expect(task.pausedMs).toBe(numberAt(numbers, at.paused_ms));
  expect(task.shard).toEqual({ index: numberAt(numbers, at.shard_index), total: numberAt(numbers, at.shard_total) });
  expect(new Set(numbers).size).toBe(TASK_NUMBERS.length);
});
