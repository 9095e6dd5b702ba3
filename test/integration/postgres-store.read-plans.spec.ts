import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { fingerprintOf, noLateness, SystemClock, type TaskFilter, type TaskPage } from "@tickwheel/core";
import type { PostgresStores } from "@tickwheel/postgres-store";
import type { Client } from "pg";
import { type Cost, costOf, fillHistory } from "./postgres-store.cost.js";
import { NAMESPACE, newTask, newType, Scene } from "./postgres-store.scene.js";

const FINISHED = 30_000;
const PENDING = 20_000;
const DEAD = 500;
const HELD = 100;
const RARE_EACH = 3_000;
/** The prints of the errors of the dead tasks; few have the first. */
const RARE_PRINT = 7;
const COMMON_PRINT = 8;
const RARE_DEAD = 3;
/** More than may be read whole. */
const TAGGED = 12_000;
const TYPE = "crowded";
const RARE = "rare";
const HOUR_MS = 3_600_000;
/** After every id. */
const MAX_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";
/** The server plans a statement anew this often before it may keep a plan. */
const BEFORE_KEPT = 7;

let scene: Scene;
let stores: PostgresStores;
let observer: Client;

/**
 * Three days of finished tasks, each with a key; waiting tasks, half of them with a key; paused tasks; dead tasks of
 * both types.
 */
beforeAll(async () => {
  scene = await Scene.start({ autovacuum: false });
  stores = scene.open({ size: 1, clock: new PatientClock() });
  observer = await scene.client();
  const typeId = await newType(stores, TYPE);
  const rareTypeId = await newType(stores, RARE);
  await fillHistory(observer, { typeId, rareTypeId, rows: FINISHED, rare: RARE_EACH });
  for (let written = 0; written < PENDING; written += 5_000) {
    const tasks = Array.from({ length: 5_000 }, (_, index) => {
      const key = index % 2 === 0 ? `k${written + index}` : null;
      return newTask({ typeId, type: TYPE, key, due: { delayMs: HOUR_MS } });
    });
    await stores.tasks.create({ namespace: NAMESPACE, tasks });
  }
  await observer.query(
    `UPDATE tickwheel.task SET state = 3, finished_at = now(), key_live = false,
            type_id = CASE WHEN id = (SELECT max(id::text)::uuid FROM tickwheel.task) THEN ${rareTypeId} ELSE type_id END
      WHERE id IN (SELECT id FROM tickwheel.task ORDER BY id DESC LIMIT ${DEAD})`,
  );
  await observer.query(
    `UPDATE tickwheel.task SET error_print = CASE WHEN id IN (SELECT id FROM tickwheel.task WHERE state = 3 ORDER BY id LIMIT ${RARE_DEAD})
            THEN ${RARE_PRINT} ELSE ${COMMON_PRINT} END WHERE state = 3`,
  );
  await observer.query(
    `UPDATE tickwheel.task SET state = -1, paused_at = now()
      WHERE id IN (SELECT id FROM tickwheel.task WHERE state = 0 AND key IS NULL ORDER BY id LIMIT ${HELD})`,
  );
  await observer.query(`UPDATE tickwheel.history SET state = 5, tags = '{rare}' WHERE type_id = ${rareTypeId}`);
  const scheduled = (count: number): string =>
    `SELECT id FROM tickwheel.task WHERE state = 0 ORDER BY id LIMIT ${count}`;
  await observer.query(`UPDATE tickwheel.task SET tags = '{all}' WHERE id IN (${scheduled(TAGGED)})`);
  await observer.query(`UPDATE tickwheel.task SET tags = '{all,order:1}' WHERE id IN (${scheduled(2)})`);
  await observer.query("VACUUM ANALYZE tickwheel.task, tickwheel.history");
});
afterAll(() => scene?.stop());

const find = (filter: Partial<TaskFilter>, { tasks } = stores): Promise<TaskPage> =>
  tasks.find({ namespace: NAMESPACE, limit: 50, ...filter });
const historyBlocks = ({ history }: Cost): number => Object.values(history).reduce((sum, blocks) => sum + blocks, 0);

describe.each(["auto", "force_generic_plan"])("with plan_cache_mode = %s", (mode) => {
  beforeAll(async () => {
    await observer.query(`ALTER ROLE CURRENT_USER SET plan_cache_mode = ${mode}`);
    await stores.close();
    stores = scene.open({ size: 1, clock: new PatientClock() });
  });

  /** Runs it as the eighth of its kind on this connection, so by a kept plan if there is one. */
  async function keptCostOf(work: () => Promise<unknown>): Promise<Cost> {
    for (let round = 0; round < BEFORE_KEPT; round++) await work();
    return costOf({ observer, stores }, work);
  }

  test("a page of the newest tasks costs its own rows", async () => {
    const cost = await keptCostOf(async () => expect((await find({})).tasks).toHaveLength(50));
    expect(cost.scans).toBe(0);
    expect(cost.task + historyBlocks(cost)).toBeLessThan(1_500);
  });

  test.each<[Partial<TaskFilter>, number]>([
    [{ live: true }, 50],
    [{ live: true, type: TYPE }, 50],
    [{ states: ["scheduled", "running"] }, 50],
    [{ states: ["running"] }, 0],
    [{ states: ["paused"] }, 50],
    [{ states: ["paused"], type: RARE }, 0],
    [{ states: ["dead"] }, 50],
    [{ states: ["dead"], type: RARE }, 1],
    [{ key: "k6", live: true }, 1],
    [{ key: "nobody's", live: true }, 0],
    [{ key: "k6", states: ["scheduled"] }, 1],
  ])("the list %j touches nothing of history", async (filter, count) => {
    const cost = await keptCostOf(async () => {
      const page = await find(filter);
      expect(page.tasks).toHaveLength(count);
      expect(page.incomplete).toBe(false);
    });
    expect(cost.history).toEqual({});
    expect(cost.scans).toBe(0);
  });

  test.each<[Partial<TaskFilter>, number]>([
    [{ key: "k8", type: TYPE }, 1],
    [{ key: "h9", type: TYPE }, 1],
    [{ key: "nobody's", type: TYPE }, 0],
    [{ key: "h9" }, 1],
    [{ key: "nobody's" }, 0],
  ])("find by the key %j probes each partition's index", async (filter, count) => {
    const cost = await keptCostOf(async () => expect((await find(filter)).tasks).toHaveLength(count));
    expect(cost.scans).toBe(0);
    expect(cost.task).toBeLessThan(60);
    for (const blocks of Object.values(cost.history)) expect(blocks).toBeLessThan(filter.type === undefined ? 30 : 20);
  });

  test.each<Partial<TaskFilter>>([
    { createdTo: Date.UTC(2020, 0), error: "no such text" },
    { createdFrom: Date.UTC(2100, 0), tag: "nobody's" },
  ])("the list %j walks only past ids of the time that it names", async (filter) => {
    const cost = await keptCostOf(async () => {
      expect(await find(filter)).toMatchObject({ tasks: [], next: null, incomplete: false });
    });
    expect(cost.scans).toBe(0);
    expect(cost.task + historyBlocks(cost)).toBeLessThan(1_500);
  });

  test("cancels by key, held or not, read only the live table", async () => {
    let next = 0;
    const cancel = async (key: string) =>
      (await stores.tasks.cancel({ target: { namespace: NAMESPACE, type: TYPE, key }, actor: "somebody" })).outcome;
    const held = () => `k${(mode === "auto" ? 100 : 200) + 2 * next++}`;
    for (const work of [
      async () => expect(await cancel("nobody's")).toBe("not_found"),
      async () => expect(await cancel(held())).toBe("cancelled"),
    ]) {
      const cost = await keptCostOf(work);
      expect(cost.history).toEqual({});
      expect(cost.scans).toBe(0);
      expect(cost.task).toBeLessThan(60);
    }
  });

  test("statistics and tallies read nothing from history", async () => {
    const counts = { created: 1, started: 1, failed: 0, dead: 0, succeeded: 1, skipped: 0, cancelled: 0 };
    const tally = {
      at: Date.now(),
      typeId: 1,
      ...counts,
      latestMs: 1,
      latenessMs: [1],
      latenessCounts: [1],
      placeMs: 0,
      lastError: null,
      latenessPartsMs: noLateness(),
    };
    const cost = await keptCostOf(async () => {
      await stores.tasks.tally({ writer: "1", label: "a:1", tallies: [tally], doubts: [], isLast: false });
      await stores.tasks.stats(NAMESPACE);
    });
    expect(cost.history).toEqual({});
    expect(cost.scans).toBe(0);
    // Its index of due tasks and, for those that have ended, of ended ones.
    expect(cost.task).toBeLessThan(1_000);
  });

  // A plan reads the roots of the five indexes of each partition, twice.
  const ROOTS = 12;

  test("a recount of an hour reads only the partition of its day", async () => {
    const yesterday = new Date(Date.now() - 24 * HOUR_MS).toISOString().slice(0, 10);
    const ask = `INSERT INTO tickwheel.recount VALUES ('${yesterday}T12:00Z', 60, '${yesterday}T13:00Z', NULL)
                     ON CONFLICT (at, span_minutes) DO UPDATE SET counted_at = NULL`;
    await observer.query(ask);
    const cost = await costOf({ observer, stores }, async () => expect(await stores.tasks.foldTallies()).toBe(1));
    const day = `history_${yesterday.replaceAll("-", "")}`;
    for (const [name, blocks] of Object.entries(cost.history)) if (name !== day) expect(blocks).toBeLessThan(ROOTS);
    expect(cost.history[day]).toBeLessThan(2_000);
  });

  test.each([
    [RARE, FINISHED / RARE_EACH + 1],
    [TYPE, 50],
  ])("a page of the type %s costs its own rows, however many have finished", async (type, length) => {
    const cost = await keptCostOf(async () => {
      expect(await find({ type })).toMatchObject({ tasks: { length }, incomplete: false });
    });
    expect(cost.scans).toBe(0);
    expect(cost.task + historyBlocks(cost)).toBeLessThan(2_500);
  });

  test("a page of a type costs its own rows also deep in its history", async () => {
    const { rows } = await observer.query<{ id: string }>(
      `SELECT h.id FROM tickwheel.history h JOIN tickwheel.type y ON y.id = h.type_id WHERE y.type = '${TYPE}'
        ORDER BY h.id OFFSET 100 LIMIT 1`,
    );
    const after = rows[0]!.id;
    const cost = await keptCostOf(async () => {
      expect(await find({ type: TYPE, after })).toMatchObject({ tasks: { length: 50 }, incomplete: false });
    });
    expect(cost.scans).toBe(0);
    expect(cost.task + historyBlocks(cost)).toBeLessThan(1_500);
  });

  test("dead tasks of a type are found beside all waiting tasks of the type", async () => {
    const cost = await keptCostOf(async () => {
      expect(await find({ type: TYPE, states: ["dead"] })).toMatchObject({ tasks: { length: 50 }, incomplete: false });
      expect(await find({ type: RARE, states: ["dead"] })).toMatchObject({ tasks: { length: 1 }, incomplete: false });
    });
    expect(cost).toMatchObject({ scans: 0, history: {} });
    expect(cost.task).toBeLessThan(1_000);
  });

  test.each<[string, Partial<TaskFilter>, number]>([
    ["a print that few have", { fingerprint: fingerprintOf(RARE_PRINT) }, RARE_DEAD],
    ["the same, of a type", { fingerprint: fingerprintOf(RARE_PRINT), type: TYPE }, RARE_DEAD],
    ["a print that none has", { fingerprint: "0123456789ab" }, 0],
  ])("dead tasks of %s are found in the index alone, and only they are read", async (_name, filter, length) => {
    const cost = await keptCostOf(async () => {
      expect(await find({ ...filter, states: ["dead"] })).toMatchObject({ tasks: { length }, incomplete: false });
    });
    expect(cost).toMatchObject({ scans: 0, history: {} });
    expect(cost.task).toBeLessThan(100);
  });

  test("a page of the dead of a common print costs its own rows, also behind a cursor", async () => {
    for (const after of [undefined, MAX_ID]) {
      const cost = await keptCostOf(async () => {
        const page = await find({ fingerprint: fingerprintOf(COMMON_PRINT), states: ["dead"], after });
        expect(page).toMatchObject({ tasks: { length: 50 }, incomplete: false });
      });
      expect(cost).toMatchObject({ scans: 0, history: {} });
      expect(cost.task).toBeLessThan(600);
    }
  });

  test.each<[string, Partial<TaskFilter>, number]>([
    ["a tag, whatever their state", { tag: "rare" }, FINISHED / RARE_EACH],
    ["a tag of a type", { tag: "rare", type: RARE }, FINISHED / RARE_EACH],
    ["two tags, of which a common one", { tag: ["all", "order:1"] }, 2],
    ["a tag that none has", { tag: "nobody's" }, 0],
  ])("tasks of %s are found in the indexes of tags", async (_name, filter, length) => {
    const cost = await keptCostOf(async () => {
      expect(await find(filter)).toMatchObject({ tasks: { length }, next: null, incomplete: false });
    });
    expect(cost.scans).toBe(0);
    expect(cost.task).toBeLessThan(60);
    for (const blocks of Object.values(cost.history)) expect(blocks).toBeLessThan(60);
  });

  test("live tasks of a tag are found without history, and those of a tag that many have by their ids", async () => {
    const live = { states: ["scheduled", "paused", "running"] } as const;
    const few = await keptCostOf(async () => {
      expect(await find({ ...live, tag: "order:1" })).toMatchObject({ tasks: { length: 2 }, incomplete: false });
    });
    expect(few).toMatchObject({ scans: 0, history: {} });
    expect(few.task).toBeLessThan(60);
    const many = await keptCostOf(async () => {
      expect(await find({ ...live, tag: "all" })).toMatchObject({ tasks: { length: 50 }, incomplete: false });
    });
    expect(many).toMatchObject({ scans: 0, history: {} });
  });

  test("a list of a rare state ends within its budget, says so, and the cursor leads to the rest", async () => {
    const filter = { states: ["expired"] } as const;
    const hasty = scene.open({ size: 1, clock: new HastyClock() });
    const found: string[] = [];
    let after: string | undefined;
    const look = async (): Promise<void> => {
      const page = await find({ ...filter, after }, hasty);
      found.push(...page.tasks.map(({ id }) => id));
      expect(page.incomplete).toBe(page.next !== null);
      after = page.next ?? undefined;
    };
    const first = await costOf({ observer, stores: hasty }, look);
    expect(first.scans).toBe(0);
    expect(first.task + historyBlocks(first)).toBeLessThan(3_000);
    expect(after).toBeDefined();
    for (let looks = 0; after !== undefined; looks++) {
      await look();
      expect(looks).toBeLessThan(1_000);
    }
    expect(new Set(found).size).toBe(found.length);
    expect(found).toHaveLength(FINISHED / RARE_EACH);
    await hasty.close();
  });
});

test("dead tasks are found by their index even if they were common when the server last analysed the table", async () => {
  const own = await Scene.start({ autovacuum: false });
  const client = await own.client();
  const ownStores = own.open({ size: 1 });
  const typeIds: number[] = [];
  for (let type = 0; type < 100; type++) typeIds.push(await newType(ownStores, `type${type}`));
  const fill = async (count: number, ...types: number[]): Promise<void> => {
    const drafts = Array.from({ length: count }, (_, index) =>
      newTask({ typeId: typeIds[types[index % types.length]!]!, key: null, due: { delayMs: HOUR_MS } }),
    );
    await ownStores.tasks.create({ namespace: NAMESPACE, tasks: drafts });
  };
  await fill(400, 1);
  await client.query("UPDATE tickwheel.task SET state = 3, finished_at = now()");
  await fill(1_000, 0, 2);
  await client.query("CLUSTER tickwheel.task USING task_pkey");
  await client.query("ANALYZE tickwheel.task");
  for (let written = 0; written < PENDING; written += 5_000) await fill(5_000, 0, 2);
  for (const after of [undefined, MAX_ID]) {
    const cost = await costOf({ observer: client, stores: ownStores }, async () =>
      expect((await find({ states: ["dead"], after }, ownStores)).tasks).toHaveLength(50),
    );
    expect(cost).toMatchObject({ scans: 0, history: {} });
    expect(cost.task).toBeLessThan(2_000);
  }
  await own.stop();
});

/**
 * A clock by which no list takes too long, however busy the machine is, and no statistics take long enough to be kept.
 */
class PatientClock extends SystemClock {
  override monotonicMs(): number {
    return 0;
  }
}

/** A clock by which the budget of a list is used up after its first look. */
class HastyClock extends SystemClock {
  private readMs = 0;

  override monotonicMs(): number {
    return (this.readMs += 60);
  }
}
