import { describe, expect, test } from "@jest/globals";
import { newTaskId, type TaskHint } from "@tickwheel/core";
import { SeededRandom } from "@tickwheel/testing";
import { DueEntries } from "./due-entries.js";
import { type FoundTask, NEVER } from "./found-task.js";

const random = new SeededRandom(3);
const NOW = 1_767_225_600_000;

function hint(dueInMs: number, more: Partial<TaskHint> = {}): TaskHint {
  return { id: newTaskId(NOW, 7, random), typeId: 1, version: 1, dueAt: NOW + dueInMs, priority: 5, ...more };
}

function expired(entries: DueEntries, atMs: number): FoundTask[] {
  const taken: FoundTask[] = [];
  while (entries.expire(NOW + atMs, (found) => taken.push(found)));
  return taken;
}

describe("DueEntries", () => {
  test("an entry of DueEntries comes back as it was put, its lead before it is due, once", () => {
    const entries = new DueEntries(10, 5);
    const task = hint(1_000, { version: 4, typeId: 9, priority: 2 });
    entries.put(task, "wheel", 0);
    expect(entries.nextExpiryAt()).toBeLessThanOrEqual(NOW + 995);
    expect(expired(entries, 994)).toEqual([]);
    expect(expired(entries, 995)).toEqual([
      { ...task, foundBy: "wheel", knownMonoMs: 0, readyMonoMs: NEVER, offeredMonoMs: NEVER },
    ]);
    expect(entries.size).toBe(0);
    expect(expired(entries, 5_000)).toEqual([]);
  });

  test("a newer version of an entry takes the place of an older version, an older version changes nothing", () => {
    const entries = new DueEntries(10, 0);
    const task = hint(1_000, { version: 2 });
    entries.put(task, "wheel", 0);
    entries.put({ ...task, version: 1, dueAt: NOW + 10 }, "wheel", 0);
    expect(expired(entries, 999)).toEqual([]);
    entries.put({ ...task, version: 3, dueAt: NOW + 2_000 }, "wheel", 0);
    expect(expired(entries, 1_999)).toEqual([]);
    expect(expired(entries, 2_000)).toMatchObject([{ version: 3 }]);
  });

  test("the latest information about one version of an entry counts", () => {
    const entries = new DueEntries(10, 0);
    const task = hint(5_000);
    entries.put(task, "wheel", 0);
    entries.put({ ...task, dueAt: NOW + 100 }, "wheel", 0);
    expect(entries.size).toBe(1);
    expect(expired(entries, 100)).toHaveLength(1);
  });

  test("an entry leaves under the layer that brought it first, a changed entry under the layer that brought the change", () => {
    const entries = new DueEntries(10, 0);
    const tasks = [hint(10), hint(20), hint(30), hint(40)];
    const finders = ["sweep", "steal", "full-sweep", "wheel"] as const;
    for (const [index, task] of tasks.entries()) entries.put(task, finders[index]!, 0);
    for (const task of tasks) entries.put(task, "wheel", 0);
    entries.put({ ...tasks[2]!, version: 2 }, "wheel", 0);
    entries.put({ ...tasks[3]!, version: 0 }, "full-sweep", 0);
    expect(expired(entries, 100).map(({ foundBy }) => foundBy)).toEqual(["sweep", "steal", "wheel", "wheel"]);
  });

  test("a full wheel takes no more entries, but still updates those that it has", () => {
    const entries = new DueEntries(2, 0);
    const task = hint(500);
    expect([task, hint(600), hint(700)].map((each) => entries.put(each, "wheel", 0))).toEqual([true, true, false]);
    expect(entries.put({ ...task, version: 2 }, "wheel", 0)).toBe(true);
    entries.drop(task.id);
    expect(entries.put(hint(800), "wheel", 0)).toBe(true);
  });

  test("a dropped entry does not come back, and its place is used again", () => {
    const entries = new DueEntries(2, 0);
    for (let round = 0; round < 10; round++) {
      const task = hint(100 + round);
      entries.put(task, "wheel", 0);
      entries.drop(task.id);
    }
    expect(entries.size).toBe(0);
    expect(expired(entries, 1_000)).toEqual([]);
  });

  test("an entry takes at most 120 bytes, the wheel's record included, and its memory is counted", () => {
    const count = 20_000;
    const entries = new DueEntries(count, 0);
    const empty = entries.stats();
    for (let index = 0; index < count; index++) entries.put(hint(60_000 + index), "wheel", 0);
    const full = entries.stats();
    expect([empty.entries, full.entries]).toEqual([0, count]);
    const hashBytes = 2 ** 16 * 4;
    expect((full.bytes - empty.bytes + hashBytes) / count).toBeLessThanOrEqual(120);
    expect(full.bytes - empty.bytes).toBeGreaterThanOrEqual(32 * count);
  });

  test("only entries that are still wanted are kept in the wheel", () => {
    const entries = new DueEntries(10, 0);
    const foreign = hint(100, { id: newTaskId(NOW, 8, random) });
    const own = hint(100);
    entries.put(foreign, "wheel", 0);
    entries.put(own, "wheel", 0);
    entries.retain((typeId, slot) => typeId === 1 && slot === 7);
    expect(expired(entries, 100)).toMatchObject([{ ...own, foundBy: "wheel" }]);
    entries.retain(() => false);
    expect(entries.size).toBe(0);
  });

  test("many entries that are due at once are handed out in bounded steps, oldest first", () => {
    const entries = new DueEntries(5_000, 0);
    for (let index = 0; index < 5_000; index++) entries.put(hint(index % 50), "wheel", 0);
    let steps = 1;
    const dues: number[] = [];
    while (entries.expire(NOW + 100, ({ dueAt }) => dues.push(dueAt))) steps++;
    expect(steps).toBeGreaterThan(3);
    expect(dues).toHaveLength(5_000);
    expect(dues).toEqual(dues.toSorted((a, b) => a - b));
  });
});
