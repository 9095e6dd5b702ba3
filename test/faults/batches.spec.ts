import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { requirePromises } from "../support/broken-promise.js";
import { type TestNode, type TestServices, TestStage } from "../support/cluster.js";
import { expectOneView } from "../support/cluster-view.js";
import { depth } from "../support/depth.js";
import { eventually } from "../support/eventually.js";
import { printFigures } from "../support/figures.js";
import { Ledger } from "../support/ledger.js";
import type { OwnPostgres } from "../support/servers/own-postgres.js";

/** `node test/runner/run-tests.mjs --whole faults -- batches` counts to so many. */
const NUMBERS = depth({ sample: 1_200, whole: 200_000 });
/** The part of the numbers that is counted when the node is killed, and when Postgres is restarted. */
const KILL_AT = 0.2;
const RESTART_AT = 0.5;

interface BatchBody {
  id: string;
  state: string;
  counts: { total: number; live: number; succeeded: number; dead: number };
  finishedAt: string | null;
  onComplete: { taskId: string | null };
}

const stage = new TestStage();
let services: TestServices;
let postgres: OwnPostgres;
let nodes: TestNode[];
let ledger: Ledger;

beforeAll(async () => {
  services = await stage.services({ redis: true });
  ({ postgres } = services);
  ledger = await stage.add(new Ledger(services.databaseUrl));
  await ledger.create();
  // No constraint that could hide a number which is counted twice.
  await ledger.query("CREATE TABLE counted (n int, task_id uuid, batch_id uuid)");
  nodes = await stage.many(3, startNode);
  await eventually(() => expectOneView(nodes));
});
afterAll(() => stage.stop());

function startNode(): Promise<TestNode> {
  const { databaseUrl, redisUrl } = services;
  return stage.app({ databaseUrl, redisUrl, types: ["chunking", "order"] });
}

async function counted(): Promise<number> {
  const [row] = await ledger.query<{ count: number }>("SELECT count(*)::int AS count FROM counted");
  return row!.count;
}

/** Step by step: it is hung when a step takes as long as that, however long the whole takes. */
async function untilCounted(part: number): Promise<void> {
  for (let step = 0; step < part; step += STEP) {
    const least = Math.round(Math.min(step + STEP, part) * NUMBERS);
    await eventually(async () => expect(await counted()).toBeGreaterThanOrEqual(least));
  }
}
const STEP = 0.02;
/** A run of the whole depth takes minutes. */
const LIMIT_MS = 1_200_000;

/** The same work without a batch, undisturbed. Answers how long it took, in milliseconds. */
async function countWithoutBatch(): Promise<number> {
  const startedMs = await ledger.now();
  await nodes[0]!.client.schedule({ type: "chunking", payload: { from: 0, to: NUMBERS } });
  await untilCounted(1);
  const tookMs = (await ledger.now()) - startedMs;
  await ledger.query("TRUNCATE counted");
  return tookMs;
}

async function createBatch(): Promise<BatchBody> {
  const { status, body } = await nodes[0]!.client.post<BatchBody>("/v1/batches", {
    name: "count",
    tasks: [{ type: "chunking", payload: { from: 0, to: NUMBERS } }],
    onComplete: { type: "order", payload: { effect: true } },
    seal: true,
  });
  expect(status).toBe(201);
  return body;
}

/** What is wrong with the numbers; empty: each was counted once. */
/** Numbers that were counted not at all, or more than once. */
async function faults(): Promise<string[]> {
  const rows = await ledger.query<{ n: number; times: number }>(`
    SELECT n, count(c.task_id)::int AS times FROM generate_series(0, ${NUMBERS - 1}) n LEFT JOIN counted c USING (n)
     GROUP BY n HAVING count(c.task_id) <> 1 LIMIT 10`);
  return rows.map(({ n, times }) => `the number ${n} was counted ${times} times`);
}

async function lastEndMs(batchId: string): Promise<number> {
  const [row] = await ledger.query<{ at: number }>(
    `SELECT date_part('epoch', max(finished_at)) * 1000 AS at FROM tickwheel.history WHERE batch_id = '${batchId}'`,
  );
  return row!.at;
}

test(
  "a batch of chunks counts every number once, and completes once, although a node is killed and Postgres restarts",
  async () => {
    const withoutMs = await countWithoutBatch();
    const startedMs = await ledger.now();
    const { id } = await createBatch();
    await untilCounted(KILL_AT);
    await nodes[2]!.kill();
    await untilCounted(RESTART_AT);
    await postgres.restart({ mode: "fast" });
    await untilCounted(1);
    const batch = await eventually(async () => {
      const { body } = await nodes[0]!.client.get<BatchBody>(`/v1/batches/${id}`);
      expect(body.state).toBe("complete");
      return body;
    });
    const finishedMs = Date.parse(batch.finishedAt!);
    printFigures("a batch of chunks", {
      members: batch.counts.total,
      completedAfterItsLastMemberMs: Math.round(finishedMs - (await lastEndMs(id))),
      perSecond: Math.round((1_000 * batch.counts.total) / (finishedMs - startedMs)),
      perSecondWithoutBatchUndisturbed: Math.round((1_000 * batch.counts.total) / withoutMs),
    });
    requirePromises(await faults());
    expect(batch.counts).toMatchObject({ live: 0, dead: 0, succeeded: batch.counts.total });
    const end = batch.onComplete.taskId!;
    await eventually(async () => expect((await ledger.effects()).map(({ taskId }) => taskId)).toEqual([end]));
  },
  LIMIT_MS,
);
