import { describe, expect, test } from "@jest/globals";
import type { ClaimedTask } from "@tickwheel/core";
import { mayStartBeside } from "./poison.js";

const taskOf = (id: string, crashCount: number): ClaimedTask => ({ id, crashCount }) as ClaimedTask;

describe("a task that was there when nodes died", () => {
  test.each([
    [0, [5, 5], true],
    [1, [2, 3], true],
    [2, [], true],
    [2, [0, 1, 1], true],
    [2, [0, 2], false],
    [3, [7], false],
  ])("with %d crashes beside tasks with %j may start: %p", (crashes, others, expected) => {
    const held = others.map((count, place) => ({ task: taskOf(`other ${place}`, count) }));
    expect(mayStartBeside(taskOf("task", crashes), () => held)).toBe(expected);
  });

  test("does not stand in its own way", () => {
    expect(mayStartBeside(taskOf("task", 2), () => [{ task: taskOf("task", 2) }])).toBe(true);
  });
});
