import { afterAll, describe, expect, test } from "@jest/globals";
import { Client } from "pg";
import { type TestNode, TestStage } from "../support/cluster.js";
import { pidOf } from "../support/cluster-view.js";
import { eventually } from "../support/eventually.js";
import { printFigures } from "../support/figures.js";

const NODE_COUNT = 10;
/** What most databases have. */
const MAX_CONNECTIONS = 100;
const CONNECTIONS_PER_NODE = 9;

const stage = new TestStage();
afterAll(() => stage.stop());

describe("ten nodes started at the same instant on an empty database", () => {
  test("ten nodes started at once on an empty database all come up, with one leader and one view, in a hundred connections", async () => {
    const { databaseUrl, redisUrl } = await stage.services({
      redis: true,
      postgres: { max_connections: MAX_CONNECTIONS },
    });
    const startedMonoMs = performance.now();
    const nodes = await stage.many(NODE_COUNT, () => stage.scheduler({ databaseUrl, redisUrl }));
    const allReadyMs = Math.round(performance.now() - startedMonoMs);
    const pids = nodes.map(({ pid }) => String(pid)).sort();

    const views = await eventually(async () => {
      const reports = await Promise.all(nodes.map(({ client }) => client.cluster()));
      for (const { nodes: lines } of reports) {
        expect(lines.map(({ state }) => state)).toEqual(pids.map(() => "live"));
        expect(lines.map(pidOf).sort()).toEqual(pids);
      }
      expect(new Set(reports.map(({ leader }) => leader?.bootId)).size).toBe(1);
      expect(reports[0]!.leader?.bootId).toBeDefined();
      expect(new Set(reports.map(({ view }) => view)).size).toBe(1);
      return reports.map(({ view, leader }) => ({ view, term: leader!.term }));
    });
    const oneViewMs = Math.round(performance.now() - startedMonoMs);
    printFigures("ten nodes", { allReadyMs, oneViewMs, ...views[0] });

    const observer = new Client({ connectionString: databaseUrl });
    await observer.connect();
    try {
      const sessions = await sessionsUnder(observer, async () => void (await Promise.all(nodes.map(useAll))));
      printFigures("ten nodes", { sessions });
      expect(sessions).toBeLessThanOrEqual(NODE_COUNT * CONNECTIONS_PER_NODE);
    } finally {
      await observer.end();
    }
    for (const node of nodes) {
      expect(node.log()).toMatch(new RegExp(`at most ${CONNECTIONS_PER_NODE} connections`));
      expect(node.log()).not.toMatch(/\bERROR\b/);
    }
  });
});

/**
 * Asks a node for everything that takes connections, more often than there are any: writes under keys and without, and
 * reads.
 */
async function useAll({ client, pid }: TestNode): Promise<void> {
  const task = { type: "nobody.runs", delay: 3_600_000, payload: {} };
  const calls = Array.from({ length: 12 }, (_, n) => [
    client.schedule(task),
    client.schedule({ ...task, key: `${pid}-${n}` }),
    client.get("/v1/tasks?type=nobody.runs"),
    client.get("/v1/stats"),
  ]);
  await Promise.all(calls.flat());
}

/** Most sessions of others that the server has had while `work` went on, and after it. */
async function sessionsUnder(observer: Client, work: () => Promise<void>): Promise<number> {
  const sql = `SELECT count(*)::int AS count FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`;
  const working = { isDone: false };
  const worked = work().finally(() => (working.isDone = true));
  let most = 0;
  for (let isLast = false; !isLast;) {
    isLast = working.isDone;
    most = Math.max(most, ((await observer.query(sql)).rows[0] as { count: number }).count);
  }
  await worked;
  return most;
}
