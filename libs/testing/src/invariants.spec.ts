import { describe, expect, test } from "@jest/globals";
import { newTaskId, type NewTask } from "@tickwheel/core";
import { brokenInvariants, type SimulationHistory } from "./invariants.js";
import { ManualClock } from "./manual-clock.js";
import { MemoryClusterStore } from "./memory/memory-cluster-store.js";
import { MemoryDatabase } from "./memory/memory-database.js";
import { MemoryTaskStore } from "./memory/memory-task-store.js";
import type { StatementRecord } from "./memory/statement-record.js";
import type { TaskRow } from "./memory/task-row.js";
import { SeededRandom } from "./seeded-random.js";

const OWNER = "101";

/** The log of one keyed task that is claimed, fails, is claimed again and succeeds. */
async function honestLog(): Promise<readonly StatementRecord[]> {
  const clock = new ManualClock();
  const database = new MemoryDatabase({ clock });
  const connection = database.connect("node");
  const store = new MemoryTaskStore(connection);
  const type = await store.ensureType({ namespace: "n", type: "t", delivery: "handler" });
  const node = { bootId: OWNER, label: "a:1", version: "1", roles: [], typeIds: [type.id] };
  await new MemoryClusterStore(connection).join(node);
  const task: NewTask = {
    ...{ id: newTaskId(database.now(), 1, new SeededRandom(1)), typeId: type.id, key: "k", payload: null },
    ...{ due: { delayMs: 100 }, onConflict: "reject", priority: 5, maxAttempts: 3, timeoutMs: 1_000 },
    ...{ backoff: { kind: "fixed", delayMs: 0 }, webhook: null, actor: "test" },
  };
  await store.create({ namespace: "n", tasks: [task] });
  await clock.advance(100);
  const execute = async () => (await store.claim({ owner: OWNER, ids: [task.id], claimAheadMs: 0 })).tasks[0]!;
  const startedAt = database.now();
  await store.settle([{ ...(await execute()), startedAt, kind: "retry", delayMs: 0, error: "e" }]);
  await store.settle([{ ...(await execute()), startedAt, kind: "succeeded", result: null }]);
  await store.archive(10);
  return database.log;
}

function check(log: readonly StatementRecord[], given: Partial<SimulationHistory> = {}): string[] {
  const history = { log, liveOwners: [OWNER], claimAheadMs: 5, ...given };
  return [...new Set(brokenInvariants(history).map((broken) => broken.name))];
}

/** The log with one row of record `index` changed, as a faulty store would have written it. */
function forge(log: readonly StatementRecord[], index: number, changed: Partial<TaskRow>): StatementRecord[] {
  return log.map((record, place) => {
    if (place !== index) return record;
    return {
      ...record,
      changes: record.changes.map(({ before, after }) => ({ before, after: { ...after!, ...changed } })),
    };
  });
}

describe("brokenInvariants", () => {
  test("finds nothing in an honest log", async () => {
    const log = await honestLog();
    expect(log.map((record) => record.statement)).toEqual(["create", "claim", "settle", "claim", "settle"]);
    expect(check(log)).toEqual([]);
  });

  test("I1: a task that vanished, or whose change was overwritten", async () => {
    const log = await honestLog();
    const row = log[0]!.changes[0]!.after;
    const vanished: StatementRecord = { ...log[0]!, statement: "maintain", changes: [{ before: row, after: null }] };
    expect(check([log[0]!, vanished])).toEqual(["I1"]);
    expect(check([log[0]!, ...log.slice(2)])).toContain("I1");
  });

  test("I2: a fence that was claimed twice", async () => {
    const log = await honestLog();
    expect(check(forge(log, 3, { fence: 1 }))).toContain("I2");
  });

  test("I3: an execution that was ended by somebody else's statement", async () => {
    const log = await honestLog();
    const request = [{ id: log[4]!.changes[0]!.after!.id, owner: OWNER, fence: 1 }];
    expect(check([...log.slice(0, 4), { ...log[4]!, request }])).toEqual(["I3"]);
    expect(check([...log.slice(0, 4), { ...log[4]!, statement: "archive" }])).toContain("I3");
  });

  test("I4: a claim or a start before the task was due", async () => {
    const log = await honestLog();
    const { id, dueAt } = log[1]!.changes[0]!.after!;
    expect(check([log[0]!, { ...log[1]!, at: dueAt - 6 }])).toEqual(["I4"]);
    expect(check([log[0]!, { ...log[1]!, at: dueAt - 5 }])).toEqual([]);
    expect(check(log, { starts: [{ id, fence: 1, at: dueAt - 1 }] })).toEqual(["I4"]);
    expect(check(log, { starts: [{ id, fence: 1, at: dueAt }] })).toEqual([]);
  });

  test("I6: a task that still runs under a dead node", async () => {
    const log = await honestLog();
    expect(check(log.slice(0, 2), { liveOwners: [] })).toEqual(["I6"]);
    expect(check(log, { liveOwners: [] })).toEqual([]);
  });

  test("I8: an ended task that changed", async () => {
    const log = await honestLog();
    const before = log[4]!.changes[0]!.after!;
    const revived: StatementRecord = {
      ...{ at: 0, node: "n", request: null, changes: [{ before, after: { ...before, priority: 1 } }] },
      statement: "edit",
    };
    expect(check([...log, revived])).toEqual(["I8"]);
  });

  test("I9: two live tasks with one key", async () => {
    const log = await honestLog();
    const twin = { ...log[0]!, changes: [{ before: null, after: { ...log[0]!.changes[0]!.after!, id: "other" } }] };
    expect(check([log[0]!, twin])).toEqual(["I9"]);
  });
});
