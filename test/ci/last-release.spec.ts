import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { MIGRATIONS } from "@tickwheel/postgres-store";
import { Client } from "pg";
import type { JournalBody, TaskBody } from "../support/api-client.js";
import { type TestNode, type TestServices, TestStage } from "../support/cluster.js";
import { expectOneView, leaderAmong, quiet } from "../support/cluster-view.js";
import { eventually } from "../support/eventually.js";
import { printFigures } from "../support/figures.js";
import { gatherEvidence, invariantsOf } from "../support/invariants.js";
import { LastRelease } from "../support/last-release.js";
import { Ledger } from "../support/ledger.js";
import { MigratorProcess } from "../support/migrator-process.js";
import type { TaskLoad } from "../support/task-load.js";

/** Of all kinds of load together. */
const PER_SECOND = 120;
/** What a busy machine needs for a start, a reap or an index. */
const LIMIT_MS = 60_000;
const HELD_TASKS = 20;
/** What a node says of a statement that Postgres refuses, and of messages and rows that it cannot read. */
const REFUSED =
  /INTERNAL|refused a statement|does not exist|violates|cached plan|invalid|syntax error|denied|cluster\.messages/;

const stage = new TestStage();
let services: TestServices;
let release: LastRelease;
let ledger: Ledger;
let observer: Client;
let old: TestNode[] = [];
let young: TestNode[] = [];
const all: TestNode[] = [];
let loads: TaskLoad[] = [];
/** Tasks that are scheduled one by one, beside the loads. */
const others: TaskBody[] = [];

beforeAll(async () => {
  release = await stage.add(await LastRelease.build());
  services = await stage.services({ redis: true });
  ledger = await stage.add(new Ledger(services.databaseUrl));
  await ledger.create();
  observer = await client("observer");
}, 240_000);
afterAll(() => stage.stop());

async function client(name: string): Promise<Client> {
  const made = new Client({ connectionString: services.databaseUrl, application_name: name });
  made.on("error", () => {});
  await made.connect();
  await stage.add({ stop: () => made.end() });
  return made;
}

async function start(script?: string): Promise<TestNode> {
  const { databaseUrl, redisUrl } = services;
  const node = await stage.app({ databaseUrl, redisUrl, types: ["order", "flaky", "keyed"], script });
  all.push(node);
  return node;
}

/** Creates, executions and cancels; tasks that are tried again; keyed ones, which are moved. */
function startLoads(targets: readonly TestNode[]): TaskLoad[] {
  const common = { delayMs: [200, 3_000], payload: { effect: true, holdMs: 20 } } as const;
  return [
    stage.load(targets, { ...common, type: "order", perSecond: 0.75 * PER_SECOND, cancelEvery: 10 }),
    stage.load(targets, {
      ...common,
      type: "flaky",
      perSecond: 0.05 * PER_SECOND,
      payload: { effect: true, fails: 1 },
    }),
    stage.load(targets, { ...common, type: "keyed", perSecond: 0.2 * PER_SECOND, keys: 30 }),
  ];
}

/** The work goes on: so many more tasks are done. */
async function expectWork(count: number): Promise<void> {
  const done = async (): Promise<number> =>
    (await ledger.query<{ count: number }>("SELECT count(*)::int FROM effect"))[0]!.count;
  const before = await done();
  await eventually(async () => expect(await done()).toBeGreaterThan(before + count), LIMIT_MS);
}

async function invalidIndexes(): Promise<string[]> {
  const { rows } = await observer.query<{ name: string }>(
    "SELECT indexrelid::regclass::text AS name FROM pg_index WHERE NOT indisvalid",
  );
  return rows.map(({ name }) => name);
}

/** Sessions that make an index. */
async function builders(): Promise<{ pid: number; name: string }[]> {
  const { rows } = await observer.query<{ pid: number; name: string }>(
    "SELECT pid, index_relid::regclass::text AS name FROM pg_stat_progress_create_index WHERE phase LIKE 'waiting%'",
  );
  return rows;
}

/** Runs the migrator until this index waits for others' transactions, and kills it there after `meanwhile`; then the server ends its session. */
async function killMigratorAt(index: string, meanwhile: () => Promise<void>): Promise<void> {
  const migrator = new MigratorProcess(services.databaseUrl);
  const { pid } = await eventually(async () => {
    const builder = (await builders()).find(({ name }) => name === index);
    expect(builder).toBeDefined();
    return builder!;
  }, LIMIT_MS);
  await meanwhile();
  await migrator.process.kill();
  expect(await invalidIndexes()).toContain(index);
  // The server itself goes on with an index whose client is gone; the next run waits for that.
  expect((await killWaitingMigrator())[0]).toContain("caller (pid ");
  await observer.query("SELECT pg_terminate_backend($1)", [pid]);
  await eventually(async () => expect(await builders()).toEqual([]), LIMIT_MS);
}

/** Runs the migrator until it has been refused a lock, and kills it in the pause. */
async function killWaitingMigrator(): Promise<string[]> {
  const migrator = new MigratorProcess(services.databaseUrl);
  await eventually(() => expect(migrator.messages("store.migrate.waiting").length).toBeGreaterThan(1), LIMIT_MS);
  await expectWork(50);
  await migrator.process.kill();
  return migrator.messages("store.migrate.waiting");
}

/** Schedules tasks that take longer than their first node lives, and waits until it runs them. */
async function occupy(node: TestNode): Promise<void> {
  const held = { type: "order", payload: { effect: true, holdMs: 25_000, holdFence: 1 }, delay: 300 };
  others.push(...(await node.client.scheduleMany(Array.from({ length: HELD_TASKS }, () => held))));
  await eventually(async () => expect(await ledger.runningOn(String(node.pid))).toBeGreaterThan(5), LIMIT_MS);
}

/** SIGKILL, and waits until others have run what it ran. */
async function killAndTakeOver(victim: TestNode): Promise<void> {
  for (const load of loads) load.drop(victim.url);
  await victim.kill();
  const unfinished = `SELECT task_id::text AS id FROM started WHERE node = '${victim.pid}'
    EXCEPT SELECT task_id::text FROM effect
    EXCEPT SELECT id::text FROM tickwheel.history WHERE state = 4`;
  await eventually(async () => expect(await ledger.query(unfinished)).toEqual([]), LIMIT_MS);
}

describe("nodes of the last release and of this one on one table", () => {
  test("the schema grows under the old nodes' work, beside callers' transactions, whenever the migrator is killed", async () => {
    old = await Promise.all([start(release.appScript), start(release.appScript)]);
    loads = startLoads(old);
    await expectWork(200);

    const far = await old[0]!.client.schedule({ type: "order", payload: {}, delay: "1h" });
    const caller = await client("caller");
    await caller.query("BEGIN");
    await caller.query("UPDATE tickwheel.task SET priority = priority WHERE id = $1", [far.id]);
    await killMigratorAt("tickwheel.task_former_key", async () => {
      // One that starts meanwhile looks after the schema as well: neither waits for the other.
      old.push(await start(release.appScript));
      await expectWork(50);
    });
    await caller.query("COMMIT");

    await caller.query("BEGIN; DELETE FROM tickwheel.history WHERE id = '00000000-0000-7000-8000-000000000000'");
    expect((await killWaitingMigrator())[0]).toContain("caller (pid ");
    await caller.query("COMMIT");

    await caller.query("BEGIN; LOCK TABLE tickwheel.history_default IN ROW EXCLUSIVE MODE");
    await killMigratorAt("tickwheel.history_default_history_key", () => expectWork(50));
    await caller.query("COMMIT");
    expect(await invalidIndexes()).toContain("tickwheel.history_default_history_key");

    await old[1]!.client.delete(`/v1/tasks/${far.id}`);
    expect((await new MigratorProcess(services.databaseUrl).end()).ran).toHaveLength(MIGRATIONS.length);
    expect(await invalidIndexes()).toEqual([]);
    await expectWork(100);
  });

  test("both do all of the work, and understand what the other wrote", async () => {
    young = await Promise.all([start(), start()]);
    for (const load of loads) load.turnTo([...old, ...young]);
    await eventually(() => expectOneView([...old, ...young]), LIMIT_MS);
    await expectWork(400);
    for (const [one, other] of [
      [old[0]!, young[0]!],
      [young[0]!, old[0]!],
    ] as const)
      await understandEachOther(one, other);
    await services.redis!.kill();
    await expectWork(400);
    await services.redis!.restart();
    await eventually(() => expectOneView([...old, ...young]), LIMIT_MS);
  });

  test("each takes over what the other ran when it was killed", async () => {
    const { leader } = await eventually(() => leaderAmong([...old, ...young]), LIMIT_MS);
    printFigures("leader", { isOld: old.includes(leader) });
    const [first, second] = young as [TestNode, TestNode];
    await occupy(first);
    // An old node starts once more, as where an upgrade is taken back.
    const [third, back] = await Promise.all([start(), start(release.appScript), killAndTakeOver(first)]);
    young = [second, third];
    old.push(back);
    for (const load of loads) load.turnTo([...old, ...young]);
    // Nobody of the last release but the victim is left: who reaps is of this one.
    const last = old.includes(leader) ? leader : old[0]!;
    for (const node of old.filter((one) => one !== last)) {
      for (const load of loads) load.drop(node.url);
      expect(await node.stop()).toEqual({ code: null, signal: "SIGTERM" });
    }
    await occupy(last);
    await killAndTakeOver(last);
    await eventually(() => expectOneView(young), LIMIT_MS);
  });

  test("nothing is lost, doubled or early, and no node has met what it could not read or write", async () => {
    for (const load of loads) await load.stop();
    await quiet(young[0]!, LIMIT_MS);
    const acknowledged = loads.flatMap((load) => [...load.acknowledged.values()]);
    acknowledged.push(...others.map(({ id }) => ({ id, cancel: null })));
    const evidence = await gatherEvidence(acknowledged, { ledger, client: young[0]!.client });
    const refusals = new Set(loads.flatMap((load) => load.refusals.map(({ code }) => code)));
    printFigures("last release", { acknowledged: acknowledged.length, starts: evidence.starts.length });
    expect(invariantsOf(evidence)).toEqual([]);
    // A busy machine may be without its Postgres for a moment; what a node does not understand it says otherwise.
    expect([...refusals].filter((code) => code !== "STORE_UNAVAILABLE")).toEqual([]);
    expect(await invalidIndexes()).toEqual([]);
    expect(all.flatMap((node) => complaintsIn(node.log()))).toEqual([]);
    const executed = new Set(evidence.starts.map(({ node }) => node));
    expect(all.filter(({ pid }) => !executed.has(String(pid)))).toEqual([]);
  });

  test("what any of them finished is counted, or is to be counted from the rows", async () => {
    const [node] = young as [TestNode];
    const untold = `
      SELECT * FROM (SELECT date_trunc('minute', finished_at) AS minute, count(*) FROM tickwheel.history GROUP BY 1) h
       WHERE count <> (SELECT coalesce(sum(succeeded + cancelled), 0) FROM tickwheel.tally t WHERE date_trunc('minute', t.at) = minute)
         AND NOT EXISTS (SELECT FROM tickwheel.recount r WHERE r.at <= minute AND minute < r.at + span_minutes * interval '1 minute')`;
    await eventually(async () => expect(await ledger.query(untold)).toEqual([]), LIMIT_MS);
    // As if the hour of the migration were over.
    await ledger.query(`DELETE FROM tickwheel.recount`);
    await ledger.query(`INSERT INTO tickwheel.recount (at, span_minutes, closed_at)
      SELECT date_trunc('hour', now()) - back * interval '1 hour', 60, now() - interval '1 minute' FROM generate_series(0, 1) back`);
    const rows = `SELECT count(*) FILTER (WHERE state = 2)::int AS succeeded, count(*) FILTER (WHERE state = 4)::int AS cancelled
      FROM (SELECT state FROM tickwheel.history UNION ALL SELECT state FROM tickwheel.task) t`;
    await eventually(async () => {
      const { counts } = (await node.client.get<{ counts: object }>("/v1/stats")).body;
      expect(counts).toMatchObject((await ledger.query<object>(rows))[0]!);
    }, LIMIT_MS);
  });
});

/** Lines of a node's log that tell of an error, or of something that it could not read or write. */
function complaintsIn(log: string): string[] {
  const lines = log.split("\n").filter((line) => / (WARN|ERROR) /.test(line) && !line.includes("[task.failed]"));
  return lines.filter((line) => line.includes(" ERROR ") || REFUSED.test(line));
}

/** One does what the other has to understand. */
async function understandEachOther(one: TestNode, other: TestNode): Promise<void> {
  const input = { type: "order", payload: { effect: true, digits: 1.5 }, delay: "1h", key: `of ${one.pid}` };
  const headers = { "idempotency-key": `key of ${one.pid}` };
  const { body } = await one.client.post<TaskBody>("/v1/tasks", input, headers);
  const path = `/v1/tasks/${body.id}`;
  expect((await other.client.post<TaskBody>("/v1/tasks", input, headers)).body.id).toBe(body.id);
  expect((await other.client.post("/v1/tasks", input)).status).toBe(409);
  expect((await other.client.patch<TaskBody>(path, { payload: { effect: true, edited: [1, "two"] } })).status).toBe(
    200,
  );
  expect((await one.client.get<TaskBody>(path)).body.payload).toEqual({ effect: true, edited: [1, "two"] });
  expect((await other.client.delete<object>(path)).body).toMatchObject({ outcome: "cancelled" });
  expect((await one.client.post(`${path}/retry`)).status).toBe(200);
  others.push(body);
  const journal = await eventually(async () => {
    const { items } = (await one.client.get<JournalBody>(`${path}/journal`)).body;
    expect(items.at(-1)).toMatchObject({ to: "succeeded" });
    return items;
  }, LIMIT_MS);
  // The last release does not tell counts.
  const uncounted = (entries: JournalBody["items"]) => entries.map((entry) => ({ ...entry, count: 1 }));
  expect(uncounted((await other.client.get<JournalBody>(`${path}/journal`)).body.items)).toEqual(uncounted(journal));
  const list = "/v1/tasks?type=order&limit=20";
  const { items, nextCursor } = (await one.client.get<{ items: TaskBody[]; nextCursor: string }>(list)).body;
  const next = (await other.client.get<{ items: TaskBody[] }>(`${list}&cursor=${nextCursor}`)).body;
  expect(next.items).toHaveLength(20);
  expect(next.items.every(({ id }) => id < items.at(-1)!.id)).toBe(true);
}
