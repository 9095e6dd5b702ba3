import { describe, expect, test } from "@jest/globals";
import type { JsonText } from "./json-text.js";
import type { ConflictPolicy, NewTask, Task } from "./task.js";
import { firstKeyRuns, foldRefreshes } from "./key-runs.js";
import { keyNameOf, MergeGroups, type RequestedTask } from "./merge-groups.js";

const POLICIES: Record<string, ConflictPolicy> = { f: "refresh", p: "replace", j: "reject", m: "merge" };

/** Tasks of keys a, b, …: `ap` asks for the key `a` with the policy `replace`. */
function runsOf(asked: string, holders: Record<string, Task["state"]> = {}): [runs: string[], later: string] {
  const words = asked.split(" ");
  const entries = words.map(([key, policy], place) => ({
    place,
    task: { typeId: 1, key, onConflict: POLICIES[policy!], payload: "{}", due: { delayMs: 3 } } as NewTask,
  }));
  const known = Object.entries(holders).map(
    ([key, state]) => [keyNameOf({ typeId: 1, key }), { state, startedAt: null } as Task] as const,
  );
  const [runs, later] = firstKeyRuns(entries, new Map(known));
  const text = (of: readonly { place: number }[]): string => of.map(({ place }) => place).join(" ");
  return [runs.map((run) => text(run.entries)), text(later)];
}

describe("the first runs of keys", () => {
  test.each([
    ["ap ap ap", {}, ["0 1 2"], ""],
    ["ap bp ap bp", {}, ["0 2", "1 3"], ""],
    ["ap ap af ap", {}, ["0 1"], "2 3"],
    ["af af af", {}, ["0"], "1 2"],
    ["af af af", { a: "scheduled" }, ["0 1 2"], ""],
    ["af af", { a: "running" }, ["0"], "1"],
    ["am am am", {}, ["0 1 2"], ""],
    ["am am af am", { a: "running" }, ["0 1"], "2 3"],
    ["aj aj", { a: "scheduled" }, ["0"], "1"],
  ] as const)(
    "the first runs of the keys of %s with the holders %j are %j, and later %j",
    (...[asked, holders, ...expected]) => {
      expect(runsOf(asked, holders)).toEqual(expected);
    },
  );

  test("refreshes of one run of a key are counted, those that stood for several before as many", () => {
    const task = { typeId: 1, key: "a", onConflict: "refresh", payload: "{}", due: { delayMs: 3 } } as NewTask;
    const entries = [task, { ...task, folded: { count: 2, earliestAt: 5, leastDelayMs: 7 } }, task].map(
      (one, place) => ({ place, task: one }),
    );
    const [[run]] = firstKeyRuns(
      entries,
      new Map([[keyNameOf(task), { state: "scheduled", startedAt: null } as Task]]),
    );
    expect(run!.task.folded).toEqual({ count: 4, earliestAt: 5, leastDelayMs: 3 });
  });

  test("the least maxWait of a key's refreshes holds for their run", () => {
    const tasks = [7, 5, undefined].map((maxWaitMs) => ({ due: { delayMs: 1 }, maxWaitMs }) as NewTask);
    expect(foldRefreshes(tasks).maxWaitMs).toBe(5);
  });

  test("merges of one run of a key have the same reducers, are at most a thousand, and belong together", () => {
    const entryOf = (place: number, more: Partial<NewTask> = {}): RequestedTask => ({
      place,
      task: { typeId: 1, key: "a", onConflict: "merge", payload: "{}", ...more } as NewTask,
    });
    const sizesOf = (entries: readonly RequestedTask[], groups = new MergeGroups()): number[] => {
      const [runs, later] = firstKeyRuns(entries, new Map(), groups);
      return [...runs.map((run) => run.entries.length), later.length];
    };
    const many = Array.from({ length: 1_200 }, (_, place) => entryOf(place));
    expect(sizesOf(many)).toEqual([1_000, 200]);
    const groups = new MergeGroups();
    groups.halvesOf(many.slice(0, 7));
    expect(sizesOf(many, groups)).toEqual([4, 1_196]);
    expect(sizesOf(many.slice(4), groups)).toEqual([3, 1_193]);
    expect(sizesOf([many[0]!, entryOf(1, { reducers: { n: "add" } })])).toEqual([1, 1]);
    const long = Array.from({ length: 20 }, (_, place) => entryOf(place, { payload: "x".repeat(65_536) as JsonText }));
    expect(sizesOf(long)).toEqual([16, 4]);
  });
});
