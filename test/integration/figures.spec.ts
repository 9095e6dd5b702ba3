import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import {
  type AheadRequest,
  noLateness,
  SLOT_COUNT,
  DEFAULT_BACKOFF,
  jsonTextOf,
  type NewTask,
  newTaskId,
  SystemRandom,
  type Tally,
} from "@tickwheel/core";
import { migrate, openPostgres, type PostgresStores } from "@tickwheel/postgres-store";
import { DEFAULT_POLICIES } from "@tickwheel/schedules";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

let postgres: TestPostgres;
let databases = 0;
let stores: PostgresStores;
/** Half past an hour of today: the partitions are those of the real days. */
const START = Math.floor(Date.now() / HOUR_MS) * HOUR_MS + 30 * MINUTE_MS;
let now = START;
let typeIds: Record<string, number>;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  now = START;
  const url = await postgres.createDatabase(`figures_${databases++}`);
  await migrate(url);
  stores = openPostgres({ url, size: 4, asOf: () => now });
  typeIds = {};
  for (const [namespace, type] of [
    ["shop", "mail"],
    ["shop", "order"],
    ["other", "mail"],
  ] as const)
    typeIds[`${namespace} ${type}`] = (await stores.tasks.ensureType({ namespace, type, delivery: "handler" })).id;
});
afterEach(() => stores.close());

const NOTHING = {
  created: 0,
  started: 0,
  failed: 0,
  dead: 0,
  succeeded: 0,
  skipped: 0,
  cancelled: 0,
  placeMs: 0,
  lastError: null,
  latenessPartsMs: noLateness(),
};

function tell(typeId: number, counts: Partial<Tally>): Promise<void> {
  const tally = { at: now, typeId, ...NOTHING, latestMs: null, latenessMs: [], latenessCounts: [], ...counts };
  return stores.tasks.tally({ writer: "1", label: "a:1", tallies: [tally], doubts: [], isLast: true });
}

function newTask(name: string, delayMs: number): NewTask {
  const id = newTaskId(now, 7, new SystemRandom());
  return {
    id,
    typeId: typeIds[name]!,
    payload: jsonTextOf({}),
    due: { delayMs },
    startDeadlineMs: null,
    key: null,
    onConflict: "reject",
    priority: 5,
    maxAttempts: 3,
    backoff: DEFAULT_BACKOFF,
    timeoutMs: 1_000,
    delivery: null,
    actor: "test",
  };
}

async function create(name: string, delays: readonly number[]): Promise<void> {
  const [namespace] = name.split(" ") as [string];
  await stores.tasks.create({ namespace, tasks: delays.map((delayMs) => newTask(name, delayMs)) });
}

/** Makes a schedule at a fixed rate, whose instants up to now have their tasks. @returns its id */
async function schedule(name: string, { everyMs }: { everyMs: number }): Promise<string> {
  const [namespace, type] = name.split(" ") as [string, string];
  const id = newTaskId(now, 0, new SystemRandom());
  const definition = {
    spec: { kind: "every" as const, everyMs, anchorAt: START },
    timeZone: "UTC",
    exclude: [],
    window: { startsAt: null, endsAt: null },
    policies: DEFAULT_POLICIES,
  };
  const content = { typeId: typeIds[name]!, type, payload: jsonTextOf({}), definition, taskOptions: {}, source: null };
  await stores.schedules.add({ ...content, id, namespace, name: id, actor: "test" }, { perNamespace: 10 }, () => null);
  return id;
}

const UNCHANGED = { live: [], concluded: [], skips: [], insert: [] };

describe("what happened", () => {
  test("the history of figures is told by the minute, ten minutes and the hour, and stays the same when counters are folded", async () => {
    const mail = typeIds["shop mail"]!;
    const late = { latestMs: 40, latenessMs: [4, 40], latenessCounts: [99, 1] };
    await tell(mail, {
      created: 7,
      started: 100,
      failed: 2,
      dead: 1,
      succeeded: 97,
      skipped: 12,
      placeMs: 120_000,
      ...late,
      latenessPartsMs: { known: 30, wheel: 99, place: 200, claim: 101, start: 6 },
    });
    await tell(typeIds["shop order"]!, { started: 5, latestMs: 1, latenessMs: [1], latenessCounts: [5] });
    await tell(typeIds["other mail"]!, { started: 1_000 });
    const at = now;
    const told = async (bucketMs: number, type?: string) => {
      const { buckets } = await stores.figures.history({ namespace: "shop", type, bucketMs, buckets: 30 });
      expect(buckets).toHaveLength(30);
      const filled = buckets.filter(({ started }) => started > 0);
      expect(filled).toHaveLength(1);
      return filled[0]!;
    };
    const sums = {
      created: 7,
      started: 100,
      failed: 2,
      dead: 1,
      succeeded: 97,
      skipped: 12,
      latenessMs: { p50: 4, p99: 4, max: 40 },
      latenessPartsMs: { known: 30, wheel: 99, place: 200, claim: 101, start: 6 },
    };
    now += 20 * MINUTE_MS;
    await stores.tasks.foldTallies();
    expect(await told(MINUTE_MS, "mail")).toEqual({ at, places: 2, ...sums });
    expect(await told(MINUTE_MS)).toMatchObject({ at, started: 105 });
    now += 4 * HOUR_MS;
    await stores.tasks.foldTallies();
    expect(await told(10 * MINUTE_MS, "mail")).toEqual({ at, places: 0.2, ...sums });
    now += 23 * HOUR_MS;
    await stores.tasks.foldTallies();
    expect(await told(HOUR_MS, "mail")).toEqual({ at: at - 30 * MINUTE_MS, places: 0, ...sums });
  });

  test("the history of figures ends with the present bucket, whose places are the mean of what is over of it", async () => {
    now += 30 * SECOND_MS;
    await tell(typeIds["shop mail"]!, { started: 1, placeMs: 60_000 });
    const { buckets, countedAt } = await stores.figures.history({ namespace: "shop", bucketMs: MINUTE_MS, buckets: 3 });
    expect(countedAt).toBe(now);
    expect(buckets.map(({ at, places, latenessMs }) => [at, places, latenessMs])).toEqual([
      [START - 2 * MINUTE_MS, 0, null],
      [START - MINUTE_MS, 0, null],
      [START, 2, null],
    ]);
  });
});

describe("what is to come", () => {
  test("the forecast is counted by bucket and by type, with what is overdue and what is next", async () => {
    await create("shop mail", [0, 0, 90 * SECOND_MS, 100 * SECOND_MS, 110 * SECOND_MS]);
    await create("shop order", [70 * SECOND_MS, 5 * HOUR_MS]);
    await create("other mail", [61 * SECOND_MS]);
    now += 5 * SECOND_MS;
    const ahead = await stores.figures.ahead({ namespace: "shop", bucketMs: MINUTE_MS, buckets: 60 });
    expect(ahead).toMatchObject({
      countedAt: now,
      incomplete: false,
      overdue: 2,
      oldestDueAt: START,
      nextDueAt: START + 70 * SECOND_MS,
      types: [
        { type: "mail", due: 3 },
        { type: "order", due: 1 },
      ],
      otherTypes: 0,
    });
    expect(ahead.buckets).toHaveLength(60);
    expect(ahead.buckets.slice(0, 3)).toEqual([
      { at: now, due: 0, topType: null, topDue: 0, fromSchedules: 0 },
      { at: now + MINUTE_MS, due: 4, topType: "mail", topDue: 3, fromSchedules: 0 },
      { at: now + 2 * MINUTE_MS, due: 0, topType: null, topDue: 0, fromSchedules: 0 },
    ]);
    expect((await stores.figures.ahead({ namespace: null, bucketMs: DAY_MS, buckets: 30 })).buckets[0]).toMatchObject({
      due: 6,
    });
    const one = await stores.figures.ahead({ namespace: "shop", type: "order", bucketMs: HOUR_MS, buckets: 24 });
    expect([one.overdue, one.types]).toEqual([0, [{ type: "order", due: 2 }]]);
  });

  test("the forecast tells beside its tasks what active schedules will make, of the namespace and the type", async () => {
    await create("shop mail", [30 * SECOND_MS]);
    await schedule("shop mail", { everyMs: 20 * SECOND_MS });
    await schedule("shop order", { everyMs: 10 * MINUTE_MS });
    await schedule("other mail", { everyMs: MINUTE_MS });
    const paused = await schedule("shop mail", { everyMs: SECOND_MS });
    await stores.schedules.change({ namespace: "shop", id: paused }, (seen) => {
      const pause = { since: seen.now, until: seen.now + HOUR_MS, reason: "REQUESTED" as const };
      return { ...UNCHANGED, planning: { ...seen.schedule.planning, pause, lookAt: pause.until } };
    });
    const ahead = async (given: Partial<AheadRequest> = {}) => {
      const request = { namespace: "shop", bucketMs: MINUTE_MS, buckets: 60, ...given };
      const { buckets, schedulesCut } = await stores.figures.ahead(request);
      return { made: buckets.map(({ fromSchedules }) => fromSchedules), due: buckets[0]!.due, schedulesCut };
    };
    const each = Array<number>(60).fill(3);
    const tenth = each.map((_, minute) => (minute % 10 === 0 && minute > 0 ? 1 : 0));
    // What is due at the very end of the hour is in its last minute; what is due just now has its task.
    const shop = each.map((count, minute) => count + tenth[minute]! + (minute === 0 ? -1 : minute === 59 ? 2 : 0));
    expect(await ahead()).toEqual({ made: shop, due: 1, schedulesCut: false });
    expect((await ahead({ type: "order" })).made).toEqual([...tenth.slice(0, 59), 1]);
    expect((await ahead({ namespace: "other" })).made).toEqual([0, ...Array<number>(58).fill(1), 2]);
    const all = await ahead({ namespace: null, bucketMs: DAY_MS, buckets: 30 });
    expect([all.made.reduce((sum, count) => sum + count), all.schedulesCut]).toEqual([6_000, true]);
    expect((await ahead({ namespace: "nobody" })).made).toEqual(Array(60).fill(0));
  });

  test("the forecast of a namespace without types is nothing", async () => {
    const ahead = await stores.figures.ahead({ namespace: "nobody", bucketMs: SECOND_MS, buckets: 60 });
    expect(ahead).toMatchObject({ overdue: 0, oldestDueAt: null, nextDueAt: null, types: [], otherTypes: 0 });
    expect(ahead.buckets).toHaveLength(60);
  });
});

test("the pace of starts is that of the best minute of a day, all types and namespaces together", async () => {
  expect(await stores.figures.pace()).toEqual({ bestMinute: 0, started: 0, placeMs: 0 });
  await tell(typeIds["shop mail"]!, { started: 100, placeMs: 500 });
  await tell(typeIds["other mail"]!, { started: 20, placeMs: 100 });
  now += MINUTE_MS;
  await tell(typeIds["shop mail"]!, { started: 90 });
  expect(await stores.figures.pace()).toEqual({ bestMinute: 120, started: 210, placeMs: 600 });
  now += DAY_MS - 30 * SECOND_MS;
  expect(await stores.figures.pace()).toMatchObject({ bestMinute: 90 });
});

describe("the wheel of all nodes", () => {
  /** The tasks' slot is 7: node 1 of two owns it in the first division, nobody tells of it in the second. */
  const owners = (typeId: number) => {
    const division = new Uint16Array(SLOT_COUNT);
    division[7] = 300;
    return { viewNumber: 1, types: [{ typeId, division: 0 }], divisions: [division], isWhole: true };
  };

  test("the wheel of all nodes is counted by second and type, of all namespaces, with its owner by type and slot", async () => {
    await create("shop mail", [0, 500, 1_500, 59_500, 60_500]);
    await create("other mail", [700]);
    const { seconds, shares, incomplete, countedAt } = await stores.figures.wheel(owners(typeIds["shop mail"]!));
    expect({ incomplete, countedAt }).toEqual({ incomplete: false, countedAt: now });
    expect(seconds).toHaveLength(60);
    expect(seconds.flatMap(({ due }, second) => (due > 0 ? [[second, due]] : []))).toEqual([
      [0, 2],
      [1, 1],
      [59, 1],
    ]);
    expect(seconds[0]!.types).toEqual([{ type: "mail", due: 2 }]);
    const share = (owner: number | null) => shares.find((one) => one.owner === owner);
    expect(share(300)).toMatchObject({ overdue: 1, nextDueAt: now + 500 });
    expect(share(300)!.dues.reduce((sum, due) => sum + due, 0)).toBe(3);
    expect(share(null)).toMatchObject({ overdue: 0, nextDueAt: now + 700 });
    expect(shares).toHaveLength(2);
  });

  test("the wheel of all nodes has no shares where nothing is due", async () => {
    const { seconds, shares } = await stores.figures.wheel(owners(1));
    expect(seconds.every(({ due, types }) => due === 0 && types.length === 0)).toBe(true);
    expect(shares).toEqual([]);
  });
});
