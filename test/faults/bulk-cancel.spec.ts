import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { type JournalBody, someAtOnce } from "../support/api-client.js";
import { promised, requirePromises } from "../support/broken-promise.js";
import { type TestNode, TestStage } from "../support/cluster.js";
import { expectOneView } from "../support/cluster-view.js";
import { depth } from "../support/depth.js";
import { eventually, SLOWNESS } from "../support/eventually.js";
import { printFigures } from "../support/figures.js";
import { type Acknowledged, gatherEvidence, invariantsOf } from "../support/invariants.js";
import { Ledger } from "../support/ledger.js";

/** `node test/runner/run-tests.mjs --whole faults -- bulk-cancel` cancels so many. */
const TASKS = depth({ sample: 2_000, whole: 50_000 });
/** Small ones: an operation goes on for long enough to be met by three kills. */
const PAGE_SIZE = TASKS / 200;
const MEMBERS = TASKS / 25;
const SOON = TASKS / 25;
/** The soon ones are due within this time from their creation. */
const SOON_MS = 8_000 * SLOWNESS;
const KEPT = 200;
const TYPES = ["campaign", "letter"];
/** Parts of the work behind which the carrier is killed. */
const KILLS_OF_CANCEL = [0.2, 0.5];
const KILLS_OF_UNDO = [0.3];
const BULK = 1_000;
const LOOKED_AT = 100;
/** A run of the whole depth takes minutes. */
const LIMIT_MS = 1_200_000;

interface OperationBody {
  id: string;
  state: string;
  changed: number;
  undone: number;
  passed: object[];
  leftBehind: { code: string; count: number }[];
  node: string | null;
}

interface BatchBody {
  id: string;
  state: string;
  counts: { total: number; live: number; succeeded: number; dead: number; cancelled: number; expired: number };
}

const stage = new TestStage();
let ledger: Ledger;
/** They carry operations out. */
let nodes: TestNode[];
/** It answers calls, carries nothing out, and is not killed. */
let edge: TestNode;

beforeAll(async () => {
  const { databaseUrl, redisUrl } = await stage.services({ redis: true });
  ledger = await stage.add(new Ledger(databaseUrl));
  await ledger.create();
  const options = { databaseUrl, redisUrl, types: [...TYPES, "order"] };
  const engine = { concurrency: 20, operationPageSize: PAGE_SIZE };
  nodes = await stage.many(4, () => stage.app({ ...options, module: engine }));
  await eventually(() => expectOneView(nodes));
  edge = await stage.app({ ...options, types: [], module: { engine: false } });
});
afterEach(() => stage.endLoads());
afterAll(() => stage.stop());

interface Made {
  /** Due in hours. */
  far: string[];
  /** Far ones that belong to the batch. */
  members: string[];
  /** Due in seconds: some start before the operation comes to them. */
  soon: string[];
  /** Equal to the far ones but for their tag, which the filter leaves out. */
  kept: string[];
  batchId: string;
}

/** Tasks of both types in turn, every third with a key. */
function inputs(count: number, name: string, others: (place: number) => object): object[] {
  return Array.from({ length: count }, (_, place) => ({
    type: TYPES[place % 2],
    payload: { effect: true },
    delay: "2h",
    ...(place % 3 === 0 && { key: `${name}:${place}` }),
    ...others(place),
  }));
}

async function schedule(tasks: readonly object[]): Promise<string[]> {
  const ids: string[] = [];
  for (let from = 0; from < tasks.length; from += BULK)
    ids.push(...(await edge.client.scheduleMany(tasks.slice(from, from + BULK))).map(({ id }) => id));
  return ids;
}

async function makeAll(): Promise<Made> {
  const kept = await schedule(inputs(KEPT, "kept", () => ({ tags: ["kept"] })));
  const { batchId, members } = await makeBatch();
  const soonOf = (place: number): object => ({ delay: Math.round((SOON_MS * (place + 1)) / SOON) });
  const early = await schedule(inputs(SOON / 2, "early", soonOf));
  const far = await schedule(inputs(TASKS - MEMBERS - SOON, "far", () => ({})));
  // The newest come first: these are mostly cancelled before they are due.
  const late = await schedule(inputs(SOON / 2, "late", (place) => soonOf(place + SOON / 2)));
  return { far: [...far, ...members], members, soon: [...early, ...late], kept, batchId };
}

/** One member is of a type that is not cancelled: so the batch does not complete. */
async function makeBatch(): Promise<{ batchId: string; members: string[] }> {
  const stays = { type: "order", payload: { effect: true }, delay: "2h" };
  const { status, body } = await edge.client.post<BatchBody>("/v1/batches", {
    name: "letters",
    tasks: [...inputs(MEMBERS, "member", () => ({})), stays],
    seal: true,
  });
  expect(status).toBe(201);
  const rows = await ledger.query<{ id: string }>(
    `SELECT t.id::text AS id FROM tickwheel.task t JOIN tickwheel.type y ON y.id = t.type_id WHERE t.batch_id = '${body.id}' AND y.type <> 'order'`,
  );
  return { batchId: body.id, members: rows.map(({ id }) => id) };
}

async function batchOf({ batchId }: Made): Promise<BatchBody> {
  return (await edge.client.get<BatchBody>(`/v1/batches/${batchId}`)).body;
}

async function start(body: object): Promise<OperationBody> {
  const answer = await edge.client.post<OperationBody>("/v1/operations", { reason: "a proof", ...body });
  expect([answer.status, answer.body]).toMatchObject([202, {}]);
  return answer.body;
}

async function operationOf(id: string): Promise<OperationBody> {
  return (await edge.client.get<OperationBody>(`/v1/operations/${id}`)).body;
}

/** Its counts grow for as long as it goes on; only when they stand still is it hung. */
async function ended(id: string, state: string): Promise<OperationBody> {
  for (let before = -1; ;) {
    const operation = await eventually(async () => {
      const now = await operationOf(id);
      expect(now.state === state || now.changed + now.undone > before).toBe(true);
      return now;
    });
    if (operation.state === state) return operation;
    before = operation.changed + operation.undone;
  }
}

/**
 * Kills the node that made the last page, once so many tasks are changed, or put back, and waits until another goes on.
 */
async function killCarrier(id: string, counted: "changed" | "undone", least: number): Promise<void> {
  const victim = await eventually(async () => {
    const operation = await operationOf(id);
    expect(operation[counted]).toBeGreaterThanOrEqual(least);
    const carrier = nodes.find(({ pid }) => operation.node?.endsWith(`:${pid}`));
    expect(carrier).toBeDefined();
    return carrier!;
  });
  await victim.kill();
  nodes = nodes.filter((node) => node !== victim);
  const at = await operationOf(id);
  expect(at.state).toBe(counted === "changed" ? "running" : "undoing");
  await eventually(async () => {
    const operation = await operationOf(id);
    expect(operation[counted]).toBeGreaterThan(at[counted]);
    expect(nodes.map(({ pid }) => operation.node?.endsWith(`:${pid}`))).toContain(true);
  });
}

const EVERYWHERE =
  "(SELECT 'task' AS place, * FROM tickwheel.task UNION ALL SELECT 'history', * FROM tickwheel.history)";

/** What the rows hold and where they are, but for version, fence and journal. A task without a row has no image. */
async function images(): Promise<Map<string, string>> {
  const rows = await ledger.query<{ id: string; image: string }>(
    `SELECT id::text AS id, string_agg(place || md5((to_jsonb(t) - '{version,fence,notes,journal_count}'::text[])::text), '+') AS image FROM ${EVERYWHERE} t GROUP BY 1`,
  );
  return new Map(rows.map(({ id, image }) => [id, image]));
}

/** Those of these tasks that are not as they were. */
function changedSince(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>, ids: readonly string[]) {
  return ids.filter((id) => before.get(id) === undefined || before.get(id) !== now.get(id));
}

interface Changed {
  id: string;
  outcome: string | null;
  /** Whether it was to come due behind its cancel. */
  was_ahead: boolean;
  cancels: number;
  /** By the operation, as its row says. */
  is_cancelled: boolean;
}

/**
 * What the operation remembers, and how often the journal of each tells of a cancel: the row's own, and stored ones.
 */
function changedBy({ id }: OperationBody): Promise<Changed[]> {
  return ledger.query<Changed>(
    `SELECT o.task_id::text AS id, o.undone AS outcome, o.due_at > o.at AS was_ahead,
            coalesce(t.state = 4 AND t.cancelled_by = 'operation:${id}', false) AS is_cancelled,
            coalesce(t.state = 4, false)::int + (SELECT count(*)::int FROM tickwheel.journal j WHERE j.task_id = o.task_id AND j.to_state = 4) AS cancels
       FROM tickwheel.operation_task o LEFT JOIN ${EVERYWHERE} t ON t.id = o.task_id WHERE o.operation_id = '${id}'`,
  );
}

/** Each of a few journals, as people see it. */
async function cancelsTold(ids: readonly string[]): Promise<Set<number>> {
  const step = Math.max(1, Math.floor(ids.length / LOOKED_AT));
  const counts = await someAtOnce(
    ids.filter((_, place) => place % step === 0),
    4,
    async (id) => {
      const { body } = await edge.client.get<JournalBody>(`/v1/tasks/${id}/journal?limit=200`);
      return body.items.filter(({ to }) => to === "cancelled").length;
    },
  );
  return new Set(counts);
}

async function untilDue(ids: readonly string[]): Promise<void> {
  const list = ids.map((id) => `'${id}'`).join();
  await eventually(async () => {
    const [row] = await ledger.query<{ ahead: number }>(
      `SELECT count(*)::int AS ahead FROM ${EVERYWHERE} t WHERE id IN (${list}) AND due_at > clock_timestamp()`,
    );
    expect(row!.ahead).toBe(0);
  });
}

/** The cancel, with two kills. */
async function cancel(made: Made, before: ReadonlyMap<string, string>): Promise<OperationBody> {
  const filter = { type: TYPES, state: ["scheduled"], q: "-tag:kept" };
  const started = await start({ action: "cancel", filter });
  for (const part of KILLS_OF_CANCEL) await killCarrier(started.id, "changed", part * TASKS);
  const done = await ended(started.id, "done");
  const changed = await changedBy(done);
  const ids = new Set(changed.map(({ id }) => id));
  const all = new Set([...made.far, ...made.soon]);
  const now = await images();
  promised(() => {
    expect(done.changed).toBe(changed.length);
    expect(made.far.filter((id) => !ids.has(id))).toEqual([]);
    expect([...ids].filter((id) => !all.has(id))).toEqual([]);
    expect(changed.filter(({ cancels, is_cancelled: isCancelled }) => cancels !== 1 || !isCancelled)).toEqual([]);
    expect(changedSince(before, now, made.kept)).toEqual([]);
    expect([...all].filter((id) => !now.has(id) || now.get(id)!.includes("+"))).toEqual([]);
  });
  expect(await cancelsTold([...ids])).toEqual(new Set([1]));
  expect((await batchOf(made)).counts).toMatchObject({ total: MEMBERS + 1, live: 1, cancelled: MEMBERS });
  return done;
}

/** Its undo, with a kill. Answers what was left, since it had come due. */
async function undo(made: Made, operation: OperationBody, before: ReadonlyMap<string, string>): Promise<Set<string>> {
  const { status } = await edge.client.post(`/v1/operations/${operation.id}/undo`, {});
  expect(status).toBe(202);
  for (const part of KILLS_OF_UNDO) await killCarrier(operation.id, "undone", part * TASKS);
  const undone = await ended(operation.id, "undone");
  const changed = await changedBy(operation);
  const soon = new Set(made.soon);
  const ahead = changed.filter(({ id, was_ahead: wasAhead }) => soon.has(id) && wasAhead).map(({ id }) => id);
  const left = changed.filter(({ outcome }) => outcome === "DUE_MEANWHILE").map(({ id }) => id);
  const now = await images();
  expect(ahead.length).toBeGreaterThan(0);
  promised(() => {
    expect(left.toSorted()).toEqual(ahead.toSorted());
    expect(undone.leftBehind).toEqual([{ code: "DUE_MEANWHILE", count: left.length }]);
    expect(undone.undone).toBe(operation.changed - left.length);
    expect(changed.filter(({ cancels }) => cancels !== 1)).toEqual([]);
    expect(changedSince(before, now, [...made.far, ...made.kept])).toEqual([]);
  });
  expect(await cancelsTold(made.far)).toEqual(new Set([1]));
  expect((await batchOf(made)).counts).toMatchObject({ total: MEMBERS + 1, live: MEMBERS + 1, cancelled: 0 });
  return new Set(left);
}

/** Now the members run: each once, and their batch completes. */
async function runMembers(made: Made): Promise<void> {
  const { id } = await start({ action: "run_now", filter: { batch: made.batchId } });
  expect(await ended(id, "done")).toMatchObject({ changed: MEMBERS + 1, passed: [] });
  for (let live = MEMBERS + 2; live > 0;)
    live = await eventually(async () => {
      const { counts } = await batchOf(made);
      expect(counts.live).toBeLessThan(live);
      return counts.live;
    });
  await eventually(async () => expect(await batchOf(made)).toMatchObject({ state: "complete" }));
  expect((await batchOf(made)).counts).toMatchObject({ total: MEMBERS + 1, live: 0, succeeded: MEMBERS + 1 });
}

test(
  "tasks are cancelled by a filter, each once, while the operation's carriers die, and are as they were after an undo",
  async () => {
    const load = stage.load([edge], { type: "order", perSecond: 40, delayMs: [0, 2_000], payload: { effect: true } });
    const made = await makeAll();
    const before = await images();
    const operation = await cancel(made, before);
    await untilDue(made.soon);
    const left = await undo(made, operation, before);
    await runMembers(made);
    const promisedTasks: Acknowledged[] = [
      ...made.soon.map((id) => ({ id, cancel: left.has(id) ? ("cancelled" as const) : null })),
      ...made.members.map((id) => ({ id, cancel: null })),
      ...(await load.stop()),
    ];
    await eventually(async () => {
      const [row] = await ledger.query<{ near: number }>(
        "SELECT count(*)::int AS near FROM tickwheel.task WHERE state = 1 OR (state = 0 AND due_at < now() + interval '1 h')",
      );
      expect(row!.near).toBe(0);
    });
    const evidence = await gatherEvidence(promisedTasks, { ledger, client: edge.client });
    const mayRun = new Set(made.members);
    const quiet = new Set([...made.far.filter((id) => !mayRun.has(id)), ...made.kept, ...left]);
    requirePromises([
      ...invariantsOf(evidence),
      ...evidence.starts.filter(({ taskId }) => quiet.has(taskId)).map(({ taskId }) => `${taskId} has run`),
    ]);
    printFigures("a cancel of many", {
      tasks: TASKS,
      changed: operation.changed,
      dueMeanwhile: left.size,
      besides: load.acknowledged.size,
      ranBefore: made.soon.length - (operation.changed - made.far.length),
    });
  },
  LIMIT_MS,
);
