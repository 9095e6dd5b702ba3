import { describe, expect, test } from "@jest/globals";
import { type DryRun, MOST_COUNTED, type OperationAction, SystemClock, type TaskState } from "@tickwheel/core";
import fc from "fast-check";
import { depth } from "../support/depth.js";
import { startForSpec } from "../support/start-for-spec.js";
import { HOUR, OperationScenes, type OperationWish, startOperations } from "./operations.scene.js";
import { UndoScenes } from "./operations.undo.scene.js";
import { NAMESPACE } from "./postgres-store.scene.js";

const RUNS = depth({ sample: 12, whole: 300 });

let operations: OperationScenes;

startForSpec(startOperations, (its) => ({ operations } = its));

function dry(its: OperationScenes, wish: OperationWish): Promise<DryRun> {
  return its.store.dryRun(its.plan(wish), { namespace: NAMESPACE });
}

/** An operation leaves what was created in its own millisecond. */
async function older(its: OperationScenes): Promise<void> {
  await its.query("SELECT pg_sleep(0.002)");
}

/** The time has passed for which these tasks were scheduled, wherever they are. */
async function passed(its: OperationScenes, ids: readonly string[]): Promise<void> {
  for (const table of ["task", "history"])
    await its.query(`UPDATE tickwheel.${table} SET scheduled_at = now() - interval '1 s' WHERE id = ANY ($1)`, [ids]);
}

describe("a dry run", () => {
  test("a dry run counts tasks by state and type, tells when they are due, and shows the newest", async () => {
    const one = await operations.another();
    const other = await operations.another();
    const many = await one.tasks(9);
    const ids = [...many, ...(await other.tasks(3, { due: { delayMs: 2 * HOUR } }))].toSorted();
    await one.pause(many.slice(0, 2));
    await one.claim(many.slice(2, 3));
    await one.cancel(many.slice(3, 4));
    const told = await dry(one, { action: "cancel", filter: { type: [one.type, other.type] } });
    const dues = (await one.all(ids)).filter(({ state }) => state === "scheduled").map(({ dueAt }) => dueAt);
    const fitting = ids.filter((id) => id !== many[3]).toReversed();
    expect(told).toMatchObject({
      count: 11,
      isAtLeast: false,
      incomplete: false,
      running: 1,
      members: 0,
      occurrences: 0,
      keysTaken: 0,
      states: { paused: 2, scheduled: 8, running: 1 },
      overdue: 0,
      dueSoon: 0,
      types: [
        { type: one.type, count: 8 },
        { type: other.type, count: 3 },
      ],
      dueFrom: Math.min(...dues),
      dueTo: Math.max(...dues),
    });
    expect(told.sample.map(({ id }) => id)).toEqual(fitting.slice(0, 10));
    expect(await one.states(many.slice(4))).toEqual(Array(5).fill("scheduled"));
  });

  test("a dry run names the ten types with the most tasks", async () => {
    const scenes = await Promise.all(Array.from({ length: 12 }, () => operations.another()));
    for (const [count, its] of scenes.entries()) await its.tasks(count + 1);
    const { types, count } = await dry(scenes[0]!, {
      action: "pause",
      filter: { type: scenes.map(({ type }) => type) },
    });
    expect(count).toBe(78);
    expect(types.map((one) => one.count)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
  });

  test("a dry run tells of occurrences, of members, and of tasks that are due within a minute", async () => {
    const its = await operations.another();
    await its.task({ key: "schedule:daily" });
    await its.task({ key: "daily" });
    const [member, soon] = await its.tasks(2);
    await its.query("UPDATE tickwheel.task SET due_at = now() + interval '50 s' WHERE id = $1", [soon]);
    await new UndoScenes(its).intoBatch([member!]);
    expect(await dry(its, { action: "cancel" })).toMatchObject({ count: 4, occurrences: 1, members: 1, dueSoon: 1 });
    expect(await dry(its, { action: "pause" })).toMatchObject({ count: 3, occurrences: 0, members: 1, dueSoon: 1 });
  });

  test("a dry run tells of tasks whose key another one has, and of a restore of tasks whose time has passed", async () => {
    const its = await operations.another();
    const past = await its.task({ key: "past" });
    const taken = await its.task({ key: "taken" });
    await its.cancel([past.id, taken.id]);
    await passed(its, [past.id]);
    await its.task({ key: "taken" });
    const filter = { type: its.type, states: ["cancelled"] as const };
    expect(await dry(its, { action: "restore", filter })).toMatchObject({ count: 2, keysTaken: 1, overdue: 1 });
    const all = { action: "restore", filter, options: { includeOverdue: true } } as const;
    expect(await dry(its, all)).toMatchObject({ count: 2, keysTaken: 1, overdue: 0 });
    expect(await dry(its, { action: "retry", filter })).toMatchObject({ count: 2, keysTaken: 1, overdue: 0 });
    expect(await dry(its, { action: "cancel" })).toMatchObject({ count: 1, keysTaken: 0, overdue: 0 });
  });

  test("a dry run counts none where the filter and the action mean different states", async () => {
    const its = await operations.another();
    await its.tasks(2);
    const told = await dry(its, { action: "cancel", filter: { type: its.type, states: ["dead"] } });
    expect(told).toMatchObject({ count: 0, incomplete: false, states: {}, types: [], sample: [], dueFrom: null });
  });
});

/** Makes this number of tasks that are alike. */
async function copies(its: OperationScenes, count: number): Promise<void> {
  const [id] = await its.tasks(1);
  await its.query(
    `INSERT INTO tickwheel.task (id, slot, type_id, state, created_at, scheduled_at, due_at, priority, max_attempts, timeout_ms, key_live, created_by)
     SELECT gen_random_uuid(), 0, type_id, 0, created_at, scheduled_at, due_at, priority, max_attempts, timeout_ms, false, created_by
       FROM tickwheel.task, generate_series(2, $2::int) WHERE id = $1`,
    [id, count],
  );
}

describe("the bounds of a dry run", () => {
  /** Each look takes this long, in milliseconds. */
  class SteadyClock extends SystemClock {
    private monoMs = 0;

    constructor(private readonly lookMs: number) {
      super();
    }

    override monotonicMs(): number {
      return (this.monoMs += this.lookMs / 2);
    }
  }

  test("a dry run is bounded by 100,000 tasks: it says that there are more", async () => {
    const its = (await operations.another()).by(new SteadyClock(0));
    await copies(its, MOST_COUNTED);
    const whole = { count: MOST_COUNTED, incomplete: false };
    expect(await dry(its, { action: "pause" })).toMatchObject({ ...whole, isAtLeast: false });
    await its.tasks(1);
    expect(await dry(its, { action: "pause" })).toMatchObject({ ...whole, isAtLeast: true });
  });

  test("a dry run is bounded by a second: it says how far it came, and what it counted there", async () => {
    const its = (await operations.another()).by(new SteadyClock(700));
    await copies(its, 3_000);
    const told = await dry(its, { action: "pause" });
    expect(told).toMatchObject({ incomplete: true, isAtLeast: false });
    expect(told.lookedAt).toBeGreaterThan(0);
    expect(told.lookedAt).toBeLessThan(3_000);
    expect(told.count).toBe(told.lookedAt);
  });
});

describe("a dry run and the operation behind it", () => {
  const STATES: readonly TaskState[] = ["paused", "scheduled", "running", "succeeded", "dead", "cancelled"];
  const ACTIONS: readonly OperationAction[] = ["cancel", "retry", "restore", "run_now", "pause", "resume", "discard"];
  const wishes = fc.record({
    action: fc.constantFrom(...ACTIONS),
    includeOverdue: fc.boolean(),
    states: fc.option(fc.uniqueArray(fc.constantFrom(...STATES), { minLength: 1 }), { nil: undefined }),
    tag: fc.option(fc.constantFrom("a", "b"), { nil: undefined }),
    not: fc.option(fc.record({ tag: fc.constantFrom("a", "b") }), { nil: undefined }),
    keyPrefix: fc.option(fc.constantFrom("k", "k1", "schedule:"), { nil: undefined }),
    priorityFrom: fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined }),
    pageSize: fc.integer({ min: 1, max: 20 }),
  });

  /** Tasks in all states, with tags and keys in turn; some keys of ended ones are taken, some times have passed. */
  async function population(its: OperationScenes): Promise<void> {
    const ids: string[] = [];
    for (let at = 0; at < 24; at++) {
      const tags = at % 4 === 0 ? ["a"] : at % 4 === 1 ? ["a", "b"] : [];
      const key = at % 3 === 0 ? `k${at}` : at % 7 === 0 ? `schedule:${at}` : null;
      ids.push((await its.task({ tags, key, priority: at % 10 })).id);
    }
    const [paused, failing, running, succeeded, dead, cancelled] = [1, 2, 3, 4, 5, 6].map((rest) =>
      ids.filter((_, at) => at % 8 === rest),
    );
    await its.pause(paused!);
    await its.fail(failing!);
    await its.succeed(succeeded!);
    await its.kill(dead!);
    await its.claim(running!);
    await older(its);
    // These end in history; a cancel of one task leaves it in the live table for now.
    await its.run({ action: "cancel", filter: { id: cancelled!.slice(0, 2) } });
    await its.cancel(cancelled!.slice(2));
    await passed(its, [succeeded![0]!, cancelled![1]!]);
    for (const id of [cancelled![0]!, cancelled![2]!]) {
      const { key } = await its.get(id);
      if (key !== null) await its.task({ key });
    }
    await older(its);
  }

  test("a dry run and the operation behind it agree about what is found, changed and passed, whatever the filter", async () => {
    const run = fc.asyncProperty(wishes, async ({ action, includeOverdue, pageSize, ...conditions }) => {
      const its = await operations.another();
      await population(its);
      const filter = Object.fromEntries(Object.entries(conditions).filter(([, value]) => value !== undefined));
      const wish = { action, options: { includeOverdue }, filter: { type: its.type, ...filter } };
      const told = await dry(its, wish);
      const done = await its.run(wish, pageSize);
      const { ASKED = 0, KEY_TAKEN = 0, OVERDUE = 0, ...others } = done.passed;
      expect([done.state, others]).toEqual(["done", {}]);
      expect(done.found).toBe(told.count);
      expect([ASKED, OVERDUE]).toEqual([action === "cancel" ? told.running : 0, told.overdue]);
      // One whose time has passed is told as that, though its key is taken, too.
      expect(KEY_TAKEN).toBeLessThanOrEqual(told.keysTaken);
      expect(KEY_TAKEN + OVERDUE).toBeGreaterThanOrEqual(told.keysTaken);
      expect(done.changed).toBe(told.count - ASKED - KEY_TAKEN - OVERDUE);
      expect(Object.values(told.states).reduce((sum, count) => sum + count, 0)).toBe(told.count);
    });
    await fc.assert(run, { numRuns: RUNS });
  });
});
