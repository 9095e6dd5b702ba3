import { expect, test } from "@jest/globals";
import { DEFAULT_OPTIONS, type DueRequest, SlotSet, type TaskHint } from "@tickwheel/core";
import { ManualClock } from "@tickwheel/testing";
import type { EngineContext } from "../runtime/engine-context.js";
import { FullSweep } from "./full-sweep.js";

const START_MS = 1_800_000_000_000;
const LIMIT_MS = 2_000;

/**
 * A full sweep of a store in which tasks have run since `heldMs` ago, and all of them are in the way: a look passes
 * 1,000 a millisecond, and fails after two seconds. `overdue` are the due times of the tasks to be found.
 */
function sweepOf({ heldMs = 0, perSecond = 0, overdue: given = [] as number[], room = Infinity }) {
  const overdue = [...given];
  const clock = new ManualClock();
  const looks: string[] = [];
  const found: number[] = [];
  const nowMs = (): number => START_MS + clock.monotonicMs();
  const findDue = async ({ scopes: [scope], limitPerType }: DueRequest) => {
    const from = Math.max(scope!.notBefore ?? -Infinity, scope!.after?.dueAt ?? -Infinity);
    const before = Math.min(scope!.before ?? Infinity, nowMs());
    const inTheWayMs = Math.max(0, before - Math.max(from, START_MS - heldMs));
    const tookMs = (inTheWayMs / 1_000) * (perSecond / 1_000);
    await new Promise<void>((resolve) => clock.setTimer(Math.min(tookMs, LIMIT_MS), resolve));
    looks.push(tookMs > LIMIT_MS ? "failed" : "read");
    if (tookMs > LIMIT_MS) throw new Error("no answer in time");
    const due = overdue.filter((dueAt) => dueAt > from && dueAt < before).toSorted((one, other) => one - other);
    const hints = due.slice(0, limitPerType).map((dueAt) => ({ typeId: 1, dueAt, id: "a" }) as TaskHint);
    return { now: nowMs(), hints, shortTypes: due.length < limitPerType ? [1] : [] };
  };
  const options = { ...DEFAULT_OPTIONS, sweepPageSize: 2 };
  const health = { isPostgresAway: false };
  const tasks = { findDue, expire: async () => 0 };
  const context = { clock, options, health, tasks, dbClock: { nowMs } } as unknown as EngineContext;
  let places = room;
  const give = (hints: readonly TaskHint[]): boolean => {
    found.push(...hints.slice(0, places).map(({ dueAt }) => dueAt));
    places -= hints.length;
    return places > 0;
  };
  const parts = {
    membership: { ownership: () => ({ mineOrNobodys: () => SlotSet.all() }) },
    types: { runnable: async () => [1], known: async () => [] },
    feed: { give },
  };
  const sweep = new FullSweep(context, parts as unknown as ConstructorParameters<typeof FullSweep>[1]);
  const run = async (): Promise<string> => {
    let outcome = "";
    const ended = sweep.runOnce().then(
      () => (outcome = "done"),
      (error: Error) => (outcome = error.message),
    );
    while (outcome === "") await clock.advance(100);
    await ended;
    return outcome;
  };
  return { clock, sweep, run, looks, found, overdue, health, makeRoom: () => (places = Infinity) };
}

const DAY_MS = 86_400_000;
const overdue = [START_MS - 30 * DAY_MS, START_MS - 3_000_000, START_MS - 1_000, START_MS - 10];

test("a full sweep reads everything at once where nothing is in the way, page by page, the oldest first", async () => {
  const { run, looks, found } = sweepOf({ overdue });
  expect(await run()).toBe("done");
  expect(found).toEqual(overdue);
  expect(looks).toEqual(["read", "read", "read"]);
});

test("a full sweep behind a snapshot that was held for an hour finds every overdue task, slice by slice", async () => {
  const { run, looks, found } = sweepOf({ heldMs: 3_600_000, perSecond: 1_000, overdue });
  expect(await run()).toBe("done");
  expect(new Set(found)).toEqual(new Set(overdue));
  expect(looks[0]).toBe("failed");
  looks.length = 0;
  // The next one knows that it takes long, and does not try to read everything at first.
  expect(await run()).toBe("done");
  expect(looks[0]).toBe("read");
});

test("a full sweep that has no room for more goes on from there", async () => {
  const { run, found, makeRoom } = sweepOf({ heldMs: 3_600_000, perSecond: 1_000, overdue, room: 2 });
  await run();
  expect(new Set(found)).toEqual(new Set(overdue.slice(2)));
  makeRoom();
  await run();
  expect(new Set(found)).toEqual(new Set(overdue));
});

test("a full sweep that a sweep wakes in the middle of its walk begins again when it is through", async () => {
  const {
    run,
    clock,
    sweep,
    found,
    overdue: due,
    makeRoom,
  } = sweepOf({ heldMs: 3_600_000, perSecond: 1_000, overdue, room: 2 });
  await run();
  makeRoom();
  due.push(START_MS - 500);
  await clock.advance(60_000);
  sweep.wakeForSweep();
  await run();
  expect(new Set(found)).toEqual(new Set(due));
});

test("a full sweep that fails while Postgres is away tries no narrower slice", async () => {
  const { run, looks, health } = sweepOf({ heldMs: 3_600_000, perSecond: 1_000 });
  health.isPostgresAway = true;
  expect(await run()).toBe("no answer in time");
  expect(looks).toEqual(["failed"]);
});
