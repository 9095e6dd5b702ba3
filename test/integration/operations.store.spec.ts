import { describe, expect, test } from "@jest/globals";
import { isActedOn, type OperationAction, type OperationOptions, type Task } from "@tickwheel/core";
import { startForSpec } from "../support/start-for-spec.js";
import { HOUR, OperationScenes, startOperations } from "./operations.scene.js";
import { UndoScenes } from "./operations.undo.scene.js";

let operations: OperationScenes;

startForSpec(startOperations, (its) => ({ operations } = its));

/** A task in each state, and one that waits after a failed attempt. */
async function inEachState(its: OperationScenes) {
  const [paused, scheduled, failing, running, succeeded, dead, cancelled] = await its.tasks(7);
  await its.pause([paused!]);
  await its.fail([failing!]);
  await its.claim([running!]);
  await its.succeed([succeeded!]);
  await its.kill([dead!]);
  await its.cancel([cancelled!]);
  return [paused!, scheduled!, failing!, running!, succeeded!, dead!, cancelled!];
}

const LEFT = ["paused", "scheduled", "scheduled", "running", "succeeded", "dead", "cancelled"];
const MOVE = { kind: "shift", byMs: 1_000 } as const;

interface Case {
  action: OperationAction;
  options?: Partial<OperationOptions>;
  /** The states behind it. */
  states: string[];
  changed: number;
  passed?: object;
}

describe("an operation on a task in each state", () => {
  test.each<Case>([
    {
      action: "cancel",
      states: ["cancelled", "cancelled", "cancelled", "running", "succeeded", "dead", "cancelled"],
      changed: 3,
      passed: { ASKED: 1 },
    },
    { action: "reschedule", options: { move: MOVE }, states: LEFT, changed: 3 },
    { action: "run_now", states: LEFT, changed: 2 },
    {
      action: "pause",
      states: ["paused", "paused", "paused", "running", "succeeded", "dead", "cancelled"],
      changed: 2,
    },
    { action: "resume", states: ["scheduled", ...LEFT.slice(1)], changed: 1 },
    { action: "add_tag", options: { tag: "x" }, states: LEFT, changed: 4 },
    { action: "retry", states: [...LEFT.slice(0, 4), "scheduled", "scheduled", "scheduled"], changed: 4 },
    { action: "restore", states: [...LEFT.slice(0, 4), "scheduled", "scheduled", "scheduled"], changed: 3 },
    { action: "discard", states: [...LEFT.slice(0, 5), "cancelled", "cancelled"], changed: 1 },
  ])(
    "the operation $action changes $changed of seven tasks, one in each state",
    async ({ action, options = {}, states, changed, passed = {} }) => {
      const its = await operations.another();
      const ids = await inEachState(its);
      const before = await its.all(ids);
      const operation = await its.run({ action, options });
      expect(operation).toMatchObject({ state: "done", changed, passed, stopReason: null });
      const after = await its.all(ids);
      expect(after.map(({ state }) => state)).toEqual(states);
      const isTouched = ids.map((_, at) => after[at]!.version > before[at]!.version);
      expect(isTouched.filter(Boolean)).toHaveLength(operation.found);
      expect(await its.remembered(operation)).toEqual(
        ids.filter((_, at) => isTouched[at] && after[at]!.state !== "running"),
      );
    },
  );

  test.each<{ action: OperationAction; options: Partial<OperationOptions> }>([
    { action: "cancel", options: {} },
    { action: "reschedule", options: { move: MOVE } },
    { action: "run_now", options: {} },
    { action: "pause", options: {} },
    { action: "resume", options: {} },
    { action: "add_tag", options: { tag: "a" } },
    { action: "add_tag", options: { tag: "é".repeat(60) } },
    { action: "remove_tag", options: { tag: "a" } },
    { action: "retry", options: {} },
    { action: "restore", options: {} },
    { action: "discard", options: {} },
  ])("the operation $action finds just what the core's rule acts on", async ({ action, options }) => {
    const its = await operations.another();
    const ids: string[] = [];
    const many = Array.from({ length: 16 }, (_, at) => `t${at}`);
    const long = ["é".repeat(100), "ü".repeat(100)];
    for (const tags of [[], ["a"], ["b", "a"], many, long]) {
      for (const key of [null, `schedule:${tags.length}`, "plain"]) {
        const made = await its.task({ tags, key: key && `${key}:${ids.length}` });
        const other = await its.tasks(2, { tags });
        await its.pause(other.slice(1));
        ids.push(made.id, ...other);
      }
    }
    await its.claim(ids.slice(0, 2));
    await its.kill(ids.slice(3, 5));
    await its.fail(ids.slice(6, 8));
    await its.cancel(ids.slice(9, 10));
    await its.succeed(ids.slice(12, 13));
    const before = await its.all(ids);
    const plan = its.plan({ action, options });
    const acted = before.filter((task) => isActedOn(task, plan));
    expect(acted.length).toBeLessThan(ids.length);
    const operation = await its.carryOut(await its.start(plan), 7);
    const after = await its.all(ids);
    const touched = after.filter(({ version }, at) => version > before[at]!.version);
    expect(touched.map(({ id }) => id)).toEqual(acted.map(({ id }) => id));
    expect(operation.found).toBe(acted.length);
  });
});

describe("a reschedule", () => {
  const now = Date.now() + HOUR;
  const move = async (its: OperationScenes, move: OperationOptions["move"]) => {
    await its.at(now).run({ action: "reschedule", options: { move } });
  };

  test("a reschedule to an instant sets both times, and moves the start deadline along", async () => {
    const its = await operations.another();
    const task = await its.task({ startDeadlineMs: 5_000 });
    await move(its, { kind: "set", at: now + 60_000 });
    expect(await its.get(task.id)).toMatchObject({
      dueAt: now + 60_000,
      scheduledAt: now + 60_000,
      startDeadlineAt: now + 65_000,
      version: task.version + 1,
    });
    await move(its, { kind: "set", at: now - 60_000 });
    expect((await its.get(task.id)).dueAt).toBe(now);
  });

  test("a reschedule by a time moves each task by as much; a task that would be past is due now", async () => {
    const its = await operations.another();
    const far = await its.task({ due: { delayMs: 5 * HOUR } });
    const near = await its.task({ due: { delayMs: 2 * HOUR } });
    await move(its, { kind: "shift", byMs: -1.5 * HOUR });
    expect((await its.get(far.id)).dueAt).toBe(far.dueAt - 1.5 * HOUR);
    expect((await its.get(near.id)).dueAt).toBe(now);
  });

  test("a reschedule over a span of time puts each task somewhere in it", async () => {
    const its = await operations.another();
    const ids = await its.tasks(20);
    await move(its, { kind: "spread", from: now + HOUR, to: now + 2 * HOUR });
    const dues = (await its.all(ids)).map(({ dueAt }) => dueAt);
    expect(dues.every((due) => due >= now + HOUR && due < now + 2 * HOUR)).toBe(true);
    expect(new Set(dues).size).toBeGreaterThan(15);
  });

  test("a reschedule of a paused task gives it another countdown, and leaves it paused", async () => {
    const its = await operations.another();
    const task = await its.task({ due: { delayMs: 5 * HOUR } });
    await its.pause([task.id]);
    await move(its, { kind: "set", at: now + 60_000 });
    const moved = await its.get(task.id);
    expect(moved).toMatchObject({ state: "paused", dueAt: now + 60_000, pausedAt: now });
    const resumed = await its.at(now + HOUR).run({ action: "resume" });
    expect(await its.get(task.id)).toMatchObject({ state: "scheduled", dueAt: now + HOUR + 60_000, pausedAt: null });
    expect(await its.lastEntry(task.id)).toBe(`paused>scheduled RESUMED operation:${resumed.id}`);
  });
});

describe("what an operation leaves", () => {
  test("an operation leaves an entry by the operation in each task's journal", async () => {
    const its = await operations.another();
    const [id] = await its.tasks(1);
    for (const [wish, entry] of [
      [{ action: "pause" }, "scheduled>paused PAUSED"],
      [{ action: "resume" }, "paused>scheduled RESUMED"],
      [{ action: "run_now" }, "scheduled>scheduled RESCHEDULED"],
      [{ action: "add_tag", options: { tag: "x" } }, "scheduled>scheduled TAGGED"],
      [{ action: "remove_tag", options: { tag: "x" } }, "scheduled>scheduled TAGGED"],
      [{ action: "cancel" }, "scheduled>cancelled REQUESTED"],
    ] as const) {
      const operation = await its.run(wish);
      expect(await its.lastEntry(id!)).toBe(`${entry} operation:${operation.id}`);
    }
    expect((await its.get(id!)).tags).toEqual([]);
  });

  test("an operation's tag on a dead task is told behind the task's death", async () => {
    const its = await operations.another();
    const [id] = await its.tasks(1);
    await its.kill([id!]);
    const { id: operation } = await its.run({ action: "add_tag", options: { tag: "x" } });
    const told = (await new UndoScenes(its).journal(id!)).map(({ from, to, reason }) => `${from}>${to} ${reason}`);
    expect(told.slice(-2)).toEqual(["running>dead NON_RETRYABLE", "dead>dead TAGGED"]);
    expect(await its.lastEntry(id!)).toBe(`dead>dead TAGGED operation:${operation}`);
  });

  test("an operation that cancels members is counted by their batch, and frees their keys", async () => {
    const its = await operations.another();
    const task = await its.task({ key: "k" });
    const other = await its.task({ tags: ["stays"] });
    const scenes = new UndoScenes(its);
    await scenes.intoBatch([task.id, other.id]);
    await its.run({ action: "cancel", filter: { type: its.type, not: { tag: ["stays"] } } });
    expect(await scenes.members([task.id])).toEqual([expect.objectContaining({ total: 2, cancelled: 1 })]);
    expect(await its.get(task.id)).toMatchObject({ state: "cancelled", keyLive: false, reason: "REQUESTED" });
    expect((await its.task({ key: "k" })).id).not.toBe(task.id);
  });

  test("a page of an operation tells its caller of tasks with their states, and whom to ask", async () => {
    const its = await operations.another();
    const [running, scheduled] = await its.tasks(2);
    const [claimed] = await its.claim([running!]);
    const page = (await its.page(await its.start({ action: "cancel" })))!;
    expect(page.asked).toEqual([{ id: running, owner: claimed!.owner, fence: claimed!.fence }]);
    expect(page.tasks).toMatchObject([{ from: "scheduled", to: "cancelled", batchId: null, hint: { id: scheduled } }]);
    expect(page.tasks[0]!.finishedAt).toBe((await its.get(scheduled!)).finishedAt);
    expect(page.nextAt).toBeNull();
  });
});

describe("what an operation finds", () => {
  const ways: [string, (tasks: Task[], its: OperationScenes) => object, number[]][] = [
    ["its ids", ([, one]) => ({ id: [one!.id] }), [1]],
    ["its key", (_, { type }) => ({ type, key: "k2" }), [2]],
    ["a beginning of its key", (_, { type }) => ({ type: [type], keyPrefix: "k" }), [0, 1, 2, 3]],
    ["its tag, said beside the type", (_, { type }) => ({ type, also: { tag: "t" } }), [3]],
    ["no state that it acts on", (_, { type }) => ({ type, states: ["dead", "succeeded"] }), []],
    ["what was created since", (tasks, { type }) => ({ type, createdFrom: tasks[2]!.createdAt }), [2, 3]],
  ];
  test.each(ways)("an operation finds what fits by %s", async (_way, filterOf, wanted) => {
    const its = await operations.another();
    const tasks: Task[] = [];
    for (let at = 0; at < 4; at++) {
      tasks.push(await its.task({ key: `k${at}`, tags: at === 3 ? ["t"] : [] }));
      await its.query("SELECT pg_sleep(0.002)");
    }
    const operation = await its.run({ action: "pause", filter: filterOf(tasks, its) }, 2);
    const isPaused = (await its.all(tasks.map(({ id }) => id))).map(({ state }) => state === "paused");
    expect(isPaused.flatMap((is, at) => (is ? [at] : []))).toEqual(wanted);
    expect(operation.changed).toBe(wanted.length);
  });

  test("an operation finds tasks that lie between thousands of others", async () => {
    const its = await operations.another();
    const ids = await its.tasks(3);
    await its.query(
      `INSERT INTO tickwheel.task (id, slot, type_id, state, created_at, scheduled_at, due_at, priority, max_attempts, timeout_ms, key_live, created_by)
       SELECT gen_random_uuid(), 0, type_id, 0, created_at, scheduled_at, due_at, priority, max_attempts, timeout_ms, false, created_by
         FROM tickwheel.task, generate_series(1, 12000) WHERE id = $1`,
      [ids[0]],
    );
    await its.query("UPDATE tickwheel.task SET tags = '{t}' WHERE id = ANY ($1)", [ids]);
    const operation = await its.run({ action: "pause", filter: { type: its.type, tag: "t" } }, 2);
    expect(operation).toMatchObject({ state: "done", found: 3, changed: 3 });
    expect(await its.states(ids)).toEqual(["paused", "paused", "paused"]);
  });
});
