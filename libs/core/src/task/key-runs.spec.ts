import { describe, expect, test } from "@jest/globals";
import type { ConflictPolicy, NewTask, Task } from "./task.js";
import { firstKeyRuns, keyNameOf } from "./key-runs.js";

const POLICIES: Record<string, ConflictPolicy> = { f: "refresh", p: "replace", j: "reject" };

/** Tasks of keys a, b, …: `ap` asks for the key `a` with the policy `replace`. */
function runsOf(asked: string, holders: Record<string, Task["state"]> = {}): [runs: string[], later: string] {
  const words = asked.split(" ");
  const entries = words.map(([key, policy], place) => ({
    place,
    task: { typeId: 1, key, onConflict: POLICIES[policy!] } as NewTask,
  }));
  const known = Object.entries(holders).map(
    ([key, state]) => [keyNameOf({ typeId: 1, key }), { state } as Task] as const,
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
    ["aj aj", { a: "scheduled" }, ["0"], "1"],
  ] as const)("of %s with the holders %j are %j, and later %j", (...[asked, holders, ...expected]) => {
    expect(runsOf(asked, holders)).toEqual(expected);
  });

  test("refreshes of one run are counted, those that stood for several before as many", () => {
    const task = { typeId: 1, key: "a", onConflict: "refresh" } as NewTask;
    const entries = [task, { ...task, refreshCount: 3 }, task].map((one, place) => ({ place, task: one }));
    const [[run]] = firstKeyRuns(entries, new Map([[keyNameOf(task), { state: "scheduled" } as Task]]));
    expect(run!.task.refreshCount).toBe(5);
  });
});
