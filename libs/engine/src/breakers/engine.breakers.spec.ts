import { afterEach, expect, test } from "@jest/globals";
import type { AttemptJudge, ExecutionResult } from "@tickwheel/core";
import { MemoryWorld } from "@tickwheel/testing";
import { request, SimulatedCluster, succeeded } from "../../test-support/simulated-cluster.js";

const FAILED: ExecutionResult = { kind: "failed", error: "the provider is down", retryable: true };
const BACKOFF = { kind: "fixed", delayMs: 100 } as const;
const OPEN_FOR_MS = 2_000;

let cluster: SimulatedCluster<MemoryWorld>;
let isWell: boolean;

/** Opens at the third failure in a row. */
function judge(_type: unknown, opens: () => void): AttemptJudge {
  let failures = 0;
  return {
    openForMs: OPEN_FOR_MS,
    add: (hasFailed) => {
      failures = hasFailed ? failures + 1 : 0;
      if (failures === 3) opens();
    },
    reset: () => void (failures = 0),
    stop: () => undefined,
  };
}

async function begin(tasks: number): Promise<void> {
  isWell = false;
  const handlers = {
    mail: async (): Promise<ExecutionResult> => (isWell ? succeeded : FAILED),
    bill: async (): Promise<ExecutionResult> => succeeded,
  };
  cluster = new SimulatedCluster(new MemoryWorld(3), handlers);
  for (const label of ["n1", "n2", "n3"]) await cluster.addNode(label, { judge });
  await cluster.world.clock.advance(5_000);
  for (let made = 0; made < tasks; made++) await schedule(made % 3, "mail");
}

const schedule = (node: number, type: string, delayMs = 500): Promise<unknown> =>
  cluster.while(
    cluster.nodes[node]!.node.service.schedule(request(type, delayMs, { maxAttempts: 1_000, backoff: BACKOFF })),
  );

/** Starts of a type since an instant, by the cluster's clock. */
const startsSince = (fromMonoMs: number, type = 1): number => {
  const ids = new Set(
    cluster.world.database.log.flatMap(({ changes }) =>
      changes.flatMap(({ after }) => (after?.typeId === type ? after.id : [])),
    ),
  );
  return cluster.starts.filter(({ id, monoMs }) => ids.has(id) && monoMs >= fromMonoMs).length;
};

afterEach(async () => {
  await cluster.stop();
  expect(cluster.world.clock.pendingTimers).toBe(0);
});

test("a type that fails has one task of the cluster tried at a time, after ever longer waits; other types go on", async () => {
  await begin(30);
  const { clock } = cluster.world;
  await clock.advance(2_600);
  const openedMonoMs = clock.monotonicMs();
  await schedule(0, "bill", 0);
  await clock.advance(14_000);
  // Trials come 2, 4, 8 s after one another: in 14 s at most three of them.
  expect(startsSince(openedMonoMs)).toBeGreaterThanOrEqual(2);
  expect(startsSince(openedMonoMs)).toBeLessThanOrEqual(4);
  expect(startsSince(openedMonoMs, 2)).toBe(1);
  const { failedTrials } = cluster.nodes[0]!.node.breakers!.all()[0]!;
  expect(failedTrials).toBeGreaterThanOrEqual(2);
});

test("the first trial that succeeds closes the breaker on all nodes, and all other tasks start", async () => {
  await begin(30);
  const { clock } = cluster.world;
  await clock.advance(3_000);
  isWell = true;
  await clock.advance(10_000);
  const { counts } = await cluster.while(cluster.nodes[0]!.node.service.stats("default"));
  expect(counts).toMatchObject({ succeeded: 30, scheduled: 0, running: 0 });
  expect(cluster.nodes.map(({ node }) => node.breakers!.all())).toEqual([[], [], []]);
});
