import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  FILTER_STATES,
  fingerprintOf,
  newTaskId,
  printOf,
  SystemClock,
  TASK_TABS,
  type TaskFilter,
  type TaskState,
  type TaskTab,
  TERMINAL_REASONS,
} from "@tickwheel/core";
import type { PostgresStores } from "@tickwheel/postgres-store";
import { SeededRandom } from "@tickwheel/testing";
import fc from "fast-check";
import type { Client } from "pg";
import { NAMESPACE, Scene } from "./postgres-store.scene.js";
import { DAY_MS, expectedIds, fits, type Known, type Names, walk, writeRows } from "./postgres-store.tabs.scene.js";

const NOW = Math.floor(Date.now() / DAY_MS) * DAY_MS + 20_000;
const TASKS = 4_500;
/** How many rows has the first look of a list that may leave out some. */
const FIRST_ROWS = 512;
const TYPES = ["order.cancel", "mail.send", "odd"];
const LABELS = ["10.0.0.1:1", "10.0.0.2:2"];
const KEYS = ["a", "b", "c", String.raw`A%_\'`];
const TAGS = [["vip", "x"], ["x"], ['100%, "of_\\']];
const ACTORS = ["somebody", "key:1", "Key:1"];
const BATCHES = [1, 2].map((number) => `019a0000-0000-7000-8000-00000000000${number}`);
/** What patterns and quotation would make of values. */
const HOSTILE = ["%", "_", "\\", "'", '"', "*", "', true) --", "\ud83d\ude00", "\u00a0"];
const ERRORS = ["HttpError 503: busy", "100% of _ %", "TypeError: x is not a function"];
const STATES: TaskState[] = [
  ...(["scheduled", "scheduled", "scheduled", "paused", "running", "dead"] as const),
  ...(["succeeded", "cancelled", "expired"] as const),
];
/** Few, so that many tasks share one. */
const INSTANTS = [-2 * DAY_MS, -DAY_MS, -30_000, -1, 0, 1, 5_000, DAY_MS].map((ms) => NOW + ms);

let scene: Scene;
let client: Client;
let stores: PostgresStores;
let hasty: PostgresStores;
let names: Names;
const random = new SeededRandom(42);
const tasks: Known[] = [];

beforeAll(async () => {
  scene = await Scene.start({ autovacuum: false });
  client = await scene.client();
  stores = scene.open({ asOf: () => NOW });
  hasty = scene.open({ asOf: () => NOW, clock: new HastyClock() });
  names = { typeIds: await typeIdsOf(stores), owners: await ownersOf(stores) };
  tasks.push(...Array.from({ length: TASKS }, (_, index) => newKnown(index)));
  await writeRows(client, tasks, names);
  await client.query("VACUUM ANALYZE tickwheel.task, tickwheel.history");
});
afterAll(() => scene?.stop());

async function typeIdsOf({ tasks: store }: PostgresStores): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  for (const namespace of [NAMESPACE, "another"]) {
    for (const type of TYPES)
      ids.set(`${namespace} ${type}`, (await store.ensureType({ namespace, type, delivery: "handler" })).id);
  }
  return ids;
}

async function ownersOf({ cluster }: PostgresStores): Promise<Map<string, string>> {
  const owners = new Map(LABELS.map((label, index) => [label, String(1_000 + index)]));
  for (const [label, bootId] of owners)
    await cluster.join({ bootId, label, version: "0.1.0", roles: ["engine"], typeIds: [] });
  return owners;
}

const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random.next() * items.length)]!;
const chance = (share: number): boolean => random.next() < share;

function newKnown(index: number): Known {
  const state = pick(STATES);
  const isEnded = !["scheduled", "paused", "running"].includes(state);
  const createdAt = pick(INSTANTS.filter((at) => at <= NOW));
  const hasRun = state === "running" || chance(0.5);
  const lastError = hasRun && chance(0.5) ? pick(ERRORS) : null;
  return {
    id: newTaskId(createdAt + Math.floor(random.next() * 3), index % 4_096, random),
    namespace: chance(0.8) ? NAMESPACE : "another",
    type: chance(0.1) ? "odd" : pick(TYPES),
    state,
    key: chance(0.3) ? pick(KEYS) : null,
    keyLive: false,
    tags: chance(0.4) ? pick(TAGS) : [],
    scheduledAt: pick(INSTANTS),
    dueAt: pick(INSTANTS),
    createdAt,
    claimedAt: hasRun ? pick(INSTANTS.filter((at) => at <= NOW)) : null,
    startedAt: hasRun && chance(0.8) ? pick(INSTANTS.filter((at) => at <= NOW)) : null,
    finishedAt: isEnded ? pick([...INSTANTS.filter((at) => at <= NOW), NOW - 40 * DAY_MS]) : null,
    attempt: hasRun && chance(0.7) ? 1 : 0,
    lastError,
    errorPrint: lastError === null ? null : printOf(lastError).print,
    reason: isEnded && chance(0.5) ? pick(TERMINAL_REASONS) : null,
    priority: Math.floor(random.next() * 10),
    createdBy: pick(ACTORS),
    batchId: chance(0.2) ? pick(BATCHES) : null,
    node: hasRun ? pick(LABELS) : null,
    isInHistory: isEnded && state !== "dead" && chance(0.7),
  };
}

const anInstant = fc.constantFrom(...INSTANTS);
const oneOrMore = <Item>(items: fc.Arbitrary<Item>): fc.Arbitrary<Item | Item[]> =>
  fc.oneof(items, fc.array(items, { minLength: 1, maxLength: 3 }));
const aType = fc.constantFrom(...TYPES, ...TYPES, "unknown", "o*", "mail.*", "Mail*");
const tag = oneOrMore(fc.constantFrom(...TAGS.flat(), "nobody's", ...HOSTILE));
const node = fc.constantFrom(...LABELS, "before", ...HOSTILE);
const error = fc.constantFrom("httperror", "100% of _", "IS NOT", ...HOSTILE);
const fingerprint = oneOrMore(
  fc.constantFrom(...ERRORS.map((text) => fingerprintOf(printOf(text).print)), "0123456789ab"),
);
const reason = oneOrMore(fc.constantFrom(...TERMINAL_REASONS));
const createdBy = oneOrMore(fc.constantFrom(...ACTORS, ...HOSTILE));
const priority = rarely(fc.nat(9));
const filters: fc.Arbitrary<Partial<TaskFilter>> = fc.record({
  type: fc.option(oneOrMore(aType), { nil: undefined }),
  states: fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, fc.uniqueArray(fc.constantFrom(...FILTER_STATES))),
  key: rarely(fc.constantFrom(...KEYS, "nobody's", ...HOSTILE)),
  keyPrefix: rarely(fc.constantFrom("a", "A", ...HOSTILE)),
  live: rarely(fc.boolean()),
  tag: rarely(tag),
  id: rarely(oneOrMore(fc.nat(TASKS - 1).map((index) => tasks[index]!.id))),
  batch: rarely(fc.constantFrom(...BATCHES)),
  node: rarely(node),
  error: rarely(error),
  fingerprint: rarely(fingerprint),
  reason: rarely(reason),
  createdBy: rarely(createdBy),
  scheduledFrom: rarely(anInstant),
  scheduledTo: rarely(anInstant),
  dueFrom: rarely(anInstant),
  dueTo: rarely(anInstant),
  createdFrom: rarely(anInstant),
  createdTo: rarely(anInstant),
  startedFrom: rarely(anInstant),
  startedTo: rarely(anInstant),
  finishedFrom: rarely(anInstant),
  finishedTo: rarely(anInstant),
  priorityFrom: priority,
  priorityTo: priority,
  attemptFrom: rarely(fc.nat(1)),
  not: rarely(fc.record({ type: oneOrMore(aType), tag, node, error, reason, createdBy }, { requiredKeys: [] })),
});

function rarely<Item>(items: fc.Arbitrary<Item>): fc.Arbitrary<Item | undefined> {
  return fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: items });
}

describe.each(TASK_TABS)("the tab %s", (tab: TaskTab) => {
  test("a tab has tasks, and tasks that share their place in time", async () => {
    expect((await walk(stores, { tab, limit: 200 })).ids.length).toBeGreaterThan(100);
  });

  test("a tab, walked through, has exactly its tasks that fit a filter, in its order", async () => {
    await fc.assert(
      fc.asyncProperty(filters, fc.integer({ min: 40, max: 200 }), fc.boolean(), async (filter, limit, isHasty) => {
        const { ids } = await walk(isHasty ? hasty : stores, { ...filter, tab, limit });
        expect(ids).toEqual(expectedIds(tasks, { ...filter, tab }, NOW));
      }),
      { numRuns: 25 },
    );
  });

  test("a tab goes on behind the cursor of a page of one task", async () => {
    const wanted = expectedIds(tasks, { tab, type: "odd", tag: "vip" }, NOW);
    expect((await walk(stores, { tab, type: "odd", tag: "vip", limit: 1 })).ids).toEqual(wanted);
  });

  test("a tab leaves out almost all tasks within its budget, says so, and its cursor leads to the rest", async () => {
    const filter = { tab, error: "no such text" };
    const page = await hasty.tasks.find({ namespace: NAMESPACE, limit: 5, ...filter });
    // A look for failing tasks reads others too; one for finished tasks ends with their day.
    const isMany = ["failing", "finished"].includes(tab) || expectedIds(tasks, { tab }, NOW).length > FIRST_ROWS;
    expect([page.tasks, page.incomplete, page.next !== null]).toEqual([[], isMany, isMany]);
    expect((await walk(hasty, filter)).ids).toEqual([]);
  });

  test("a tab has nothing behind a cursor of another list", async () => {
    for (const after of ["nonsense", tasks[0]!.id, `${tab === "dead" ? "paused" : "dead"}.0.${tasks[0]!.id}`]) {
      expect(await stores.tasks.find({ namespace: NAMESPACE, limit: 5, tab, after })).toMatchObject({
        tasks: [],
        next: null,
      });
    }
  });

  test("a tab ends a page with the task that reaches its bytes, and loses none", async () => {
    const { ids, looks } = await walk(stores, { tab, limit: 200, maxBytes: 10_000 });
    expect(ids).toEqual(expectedIds(tasks, { tab }, NOW));
    expect(looks).toBeGreaterThan(2);
  });

  test("a tab loses and doubles no task that stays where it is while others come and go", async () => {
    const extra = Array.from({ length: 40 }, (_, index) => newKnown(TASKS + index));
    await writeRows(client, extra, names);
    const leaving = extra.map(({ id }) => id);
    const coming: Known[] = [];
    const { ids } = await walk(stores, { tab, limit: 30 }, async () => {
      await client.query("DELETE FROM tickwheel.task WHERE id = $1", [leaving.pop()]);
      const known = newKnown(2 * TASKS + coming.length);
      coming.push(known);
      await writeRows(client, [known], names);
    });
    const others = new Set([...extra, ...coming].map(({ id }) => id));
    expect(ids.filter((id) => !others.has(id))).toEqual(expectedIds(tasks, { tab }, NOW));
    expect(new Set(ids).size).toBe(ids.length);
    await client.query("DELETE FROM tickwheel.task WHERE id = ANY ($1)", [[...others]]);
    await client.query("DELETE FROM tickwheel.history WHERE id = ANY ($1)", [[...others]]);
  });
});

test("the list of tasks by id takes the same filters as the tabs", async () => {
  await fc.assert(
    fc.asyncProperty(filters, async (filter) => {
      const { ids } = await walk(stores, { ...filter, limit: 100 });
      const wanted = tasks.filter((task) => fits(task, filter, NOW)).map(({ id }) => id);
      expect(ids).toEqual(wanted.sort().reverse());
    }),
    { numRuns: 150 },
  );
});

test("the counts of tabs are those of their lists", async () => {
  const { counts, countedAt } = await stores.figures.tabs(NAMESPACE);
  expect(countedAt).toBe(NOW);
  for (const tab of TASK_TABS.filter((each) => each !== "finished")) {
    const count = expectedIds(tasks, { tab }, NOW).length;
    expect({ tab, ...counts[tab] }).toEqual({ tab, count, isAtLeast: false });
  }
});

/** A clock by which the budget of a list is used up after its first look. */
class HastyClock extends SystemClock {
  private readMs = 0;

  override monotonicMs(): number {
    return (this.readMs += 60);
  }
}
