import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { noLateness, type Tally } from "@tickwheel/core";
import type { PostgresStores } from "@tickwheel/postgres-store";
import type { Client } from "pg";
import { create, joinNode, NAMESPACE, newType, Scene } from "./postgres-store.scene.js";

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

let scene: Scene;
let stores: PostgresStores;
let observer: Client;
let typeId: number;
let now = 0;

beforeAll(async () => {
  scene = await Scene.start();
  stores = scene.open({ asOf: () => now });
  observer = await scene.client();
});
afterAll(() => scene?.stop());
beforeEach(async () => {
  // A full hour of today: the partitions are those of the real days.
  now = Math.floor(Date.now() / DAY_MS) * DAY_MS + 6 * HOUR_MS + 10 * SECOND_MS;
  await observer.query(
    "TRUNCATE tickwheel.tally, tickwheel.tally_writer, tickwheel.recount, tickwheel.task, tickwheel.history",
  );
  typeId = await newType(stores);
});

const tally = (counts: Partial<Tally>): Tally => ({
  at: now,
  typeId,
  created: 0,
  started: 0,
  failed: 0,
  dead: 0,
  succeeded: 0,
  skipped: 0,
  cancelled: 0,
  latestMs: null,
  latenessMs: [],
  latenessCounts: [],
  placeMs: 0,
  lastError: null,
  latenessPartsMs: noLateness(),
  ...counts,
});
const tell = (writer: string, counts: Partial<Tally>, { doubts = [] as number[], isLast = false } = {}) =>
  stores.tasks.tally({ writer, label: `10.0.0.1:${writer}`, tallies: [tally(counts)], doubts, isLast });

async function counters(): Promise<(number | null | undefined)[]> {
  const { rows } = await observer.query(
    `SELECT span_minutes AS span, sum(succeeded)::int AS succeeded, count(*)::int AS rows FROM tickwheel.tally GROUP BY 1 ORDER BY 1`,
  );
  return rows;
}

/** Ends this many tasks for real, now, and answers when they ended. */
async function succeed(
  count: number,
  kind: "succeeded" | "skipped" = "succeeded",
): Promise<(number | null | undefined)[]> {
  const owner = await joinNode(stores);
  const ends: (number | null | undefined)[] = [];
  for (let done = 0; done < count; done++) {
    const { id } = await create(stores, { typeId });
    const { tasks } = await stores.tasks.claim({ owner, ids: [id], claimAheadMs: 0 });
    const [reply] = await stores.tasks.settle([{ ...tasks[0]!, kind, startedAt: now, result: null }]);
    ends.push(reply?.finishedAt);
  }
  await stores.cluster.leave(owner);
  return ends;
}

const counted = async () => (await stores.tasks.stats(NAMESPACE)).counts.succeeded;

async function foldFor(spanMs: number): Promise<void> {
  for (const end = now + spanMs; now < end; now += 10 * SECOND_MS) await stores.tasks.foldTallies();
}

test("counters of seconds become counters of minutes, ten minutes, hours, days, and their sums stay", async () => {
  const lateness = { latestMs: 9, latenessMs: [3, 9], latenessCounts: [1, 2] };
  for (let second = 0; second < 20; second++) {
    await tell("1", { succeeded: 2, started: 3, ...lateness }, { isLast: true });
    await tell("2", { succeeded: 1 }, { isLast: true });
    now += 10 * SECOND_MS;
  }
  await foldFor(3 * MINUTE_MS);
  expect(await counters()).toEqual([{ span: 1, succeeded: 60, rows: 4 }]);
  now += 4 * HOUR_MS;
  await stores.tasks.foldTallies();
  expect(await counters()).toEqual([{ span: 10, succeeded: 60, rows: 1 }]);
  // Nobody kept the counters for hours, so these would be counted from rows that are not there.
  await observer.query("TRUNCATE tickwheel.recount");
  now += DAY_MS;
  await stores.tasks.foldTallies();
  expect(await counters()).toEqual([{ span: 60, succeeded: 60, rows: 1 }]);
  await observer.query("TRUNCATE tickwheel.recount");
  now += 8 * DAY_MS;
  await stores.tasks.foldTallies();
  expect(await counters()).toEqual([{ span: 1_440, succeeded: 60, rows: 1 }]);
  const { rows } = await observer.query("SELECT latest_ms, lateness_ms, lateness_count FROM tickwheel.tally");
  expect(rows).toEqual([{ latest_ms: "9", lateness_ms: [3, 9], lateness_count: ["20", "40"] }]);
  expect(await counted()).toBe(60);
});

test("an end counts for the minute of its row, also where its reply came in the next and one of both minutes is counted anew", async () => {
  for (const doubted of [0, MINUTE_MS]) {
    now += 10 * MINUTE_MS;
    const begin = Math.floor(now / MINUTE_MS) * MINUTE_MS;
    now = begin + MINUTE_MS - 3;
    const before = await counted();
    const ends = await succeed(3);
    expect(ends).toEqual([now, now, now]);
    now = begin + MINUTE_MS + 2 * SECOND_MS;
    await succeed(1);
    await tell("1", { at: ends[0]!, succeeded: 3 });
    await tell("1", { succeeded: 1 });
    await tell("2", {}, { doubts: [begin + doubted] });
    for (const end = now + 4 * MINUTE_MS; now < end; now += 10 * SECOND_MS) {
      for (const writer of ["1", "2"]) await tell(writer, {});
      await stores.tasks.foldTallies();
    }
    expect((await counted()) - before).toBe(4);
  }
});

test("the minutes in which a node died are counted from the rows, once, whatever it had reported", async () => {
  const diedAt = now;
  await succeed(3);
  await succeed(2, "skipped");
  // The node reported three and died. In the same minute another node reported one that it had not done.
  await tell("1", { succeeded: 3, created: 9, latenessPartsMs: { ...noLateness(), known: 5, claim: 7 } });
  expect(await counted()).toBe(3);
  now += 40 * SECOND_MS;
  await tell("2", { succeeded: 1 });
  for (const end = now + 3 * MINUTE_MS; now < end; now += 10 * SECOND_MS) {
    await tell("2", { succeeded: 0 });
    await stores.tasks.foldTallies();
  }
  expect(await counted()).toBe(5);
  const { rows } = await observer.query(
    `SELECT sum(created)::int AS created, sum(skipped)::int AS skipped, sum(late_known_ms)::int AS known,
            sum(late_claim_ms)::int AS claim FROM tickwheel.tally`,
  );
  expect(rows).toEqual([{ created: 9, skipped: 2, known: 5, claim: 7 }]);
  // A late report for a counted minute adds nothing: the rows have it already.
  const late = now;
  now = diedAt;
  await tell("2", { succeeded: 100 });
  now = late;
  expect(await counted()).toBe(5);
});

test("a minute in doubt is counted from the rows when it is over", async () => {
  await succeed(4);
  await tell("1", { succeeded: 0 }, { doubts: [now] });
  expect(await counted()).toBe(0);
  await foldFor(2 * MINUTE_MS);
  expect(await counted()).toBe(4);
});

test("every minute is counted from the rows while a node of the last release ends tasks", async () => {
  const owner = await joinNode(stores);
  await tell("1", {});
  await foldFor(30 * SECOND_MS);
  await succeed(3);
  for (const end = now + 3 * MINUTE_MS; now < end; now += 10 * SECOND_MS) {
    await stores.tasks.tally({ writer: "9", label: "somebody else", tallies: [], doubts: [], isLast: false });
    await stores.tasks.foldTallies();
  }
  expect(await counted()).toBe(3);
  await stores.cluster.leave(owner);
});

test("a minute in which the last node of the last release stops, before any node looks, is counted from the rows", async () => {
  const owner = await joinNode(stores);
  now += 45 * SECOND_MS;
  await stores.tasks.foldTallies();
  now += 9 * SECOND_MS;
  await succeed(3);
  await stores.cluster.leave(owner);
  now += SECOND_MS;
  await foldFor(3 * MINUTE_MS);
  expect(await counted()).toBe(3);
});

test.each([
  ["an hour", 50 * MINUTE_MS],
  ["days", 5 * HOUR_MS],
])("tasks that finished while nobody kept counters, for less than %s, are counted from the rows", async (_, spanMs) => {
  await stores.tasks.foldTallies();
  now += spanMs / 2;
  await succeed(3);
  now += spanMs / 2;
  await foldFor(10 * SECOND_MS);
  now += HOUR_MS;
  await foldFor(2 * MINUTE_MS);
  expect(await counted()).toBe(3);
});

test("tasks that nodes of the last release finished between the migration and the first node of this release are counted", async () => {
  const migratedIn = new Date(now - (now % HOUR_MS)).toISOString();
  await observer.query("INSERT INTO tickwheel.recount (at, span_minutes) VALUES ($1, 60)", [migratedIn]);
  now += 3 * HOUR_MS;
  await succeed(3);
  now += 3 * HOUR_MS;
  await foldFor(10 * SECOND_MS);
  now += HOUR_MS;
  await foldFor(2 * MINUTE_MS);
  expect(await counted()).toBe(3);
});

test("a node that stopped in order leaves no minute in doubt", async () => {
  await stores.tasks.tally({ writer: "1", label: "a", tallies: [tally({ succeeded: 1 })], doubts: [], isLast: false });
  await stores.tasks.tally({ writer: "1", label: "a", tallies: [tally({ succeeded: 1 })], doubts: [], isLast: true });
  await foldFor(3 * MINUTE_MS);
  expect((await observer.query("SELECT * FROM tickwheel.recount")).rows).toEqual([]);
  expect(await counted()).toBe(2);
});

test("tasks that had finished before there were counters are counted by their hours", async () => {
  await succeed(2);
  const hour = new Date(Math.floor(now / HOUR_MS) * HOUR_MS).toISOString();
  await observer.query("INSERT INTO tickwheel.recount (at, span_minutes) VALUES ($1, 60)", [hour]);
  expect(await counted()).toBe(0);
  now += HOUR_MS;
  await foldFor(2 * MINUTE_MS);
  expect(await counted()).toBe(2);
});
