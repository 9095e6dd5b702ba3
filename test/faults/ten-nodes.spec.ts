import { afterAll, describe, expect, test } from "@jest/globals";
import { TestStage } from "../support/cluster.js";
import { pidOf } from "../support/cluster-view.js";
import { eventually } from "../support/eventually.js";
import { printFigures } from "../support/figures.js";

const NODE_COUNT = 10;

const stage = new TestStage();
afterAll(() => stage.stop());

describe("ten nodes started at the same instant on an empty database", () => {
  test("all come up, with one leader and one view of ten", async () => {
    const { databaseUrl, redisUrl } = await stage.services({ redis: true });
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
    }, 30_000);
    const oneViewMs = Math.round(performance.now() - startedMonoMs);
    printFigures("ten nodes", { allReadyMs, oneViewMs, ...views[0] });
    for (const node of nodes) expect(node.log()).not.toMatch(/\bERROR\b/);
  });
});
