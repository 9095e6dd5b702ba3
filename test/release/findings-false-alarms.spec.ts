import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type TestNode, type TestServices, TestStage } from "../support/cluster.js";
import { expectOneView, quiet } from "../support/cluster-view.js";
import { eventually } from "../support/eventually.js";
import { printFigures } from "../support/figures.js";
import { FindingsWatch } from "../faults/findings-watch.js";
import { Ledger } from "../support/ledger.js";

const BURST = 3_000;
const BULK = 1_000;

const stage = new TestStage();
let services: TestServices;
let nodes: TestNode[] = [];
let watch: FindingsWatch;

beforeAll(async () => {
  services = await stage.services({ redis: true });
  const ledger = await stage.add(new Ledger(services.databaseUrl));
  await ledger.create();
  watch = await stage.add(new FindingsWatch(() => nodes));
});
afterAll(() => stage.stop());

async function startNode(): Promise<TestNode> {
  const { databaseUrl, redisUrl } = services;
  const node = await stage.app({ databaseUrl, redisUrl, types: ["order"] });
  nodes.push(node);
  return node;
}

/** Every node is asked, and what it tells is in the watch's list. */
async function expectOnly(codes: readonly string[]): Promise<void> {
  await watch.look();
  expect(watch.codes).toEqual(codes);
}

describe("nothing is told", () => {
  test("nothing is told of three nodes that start at once on an empty database", async () => {
    await stage.many(3, startNode);
    await eventually(() => expectOneView(nodes));
    await expectOnly([]);
  });

  test("nothing is told of a rolling restart, with work going on", async () => {
    for (const old of Array.from(nodes)) {
      const load = stage.load(
        nodes.filter((node) => node !== old),
        { type: "order", perSecond: 30, delayMs: [50, 2_000], payload: { holdMs: 10 } },
      );
      nodes = nodes.filter((node) => node !== old);
      expect(await old.stop()).toMatchObject({ signal: "SIGTERM" });
      await startNode();
      await eventually(() => expectOneView(nodes));
      await load.stop();
    }
    await quiet(nodes[0]!);
    await expectOnly([]);
  });

  test(`nothing is told of ${BURST} tasks due at once, but that all places are taken, and that none is overdue without a cause`, async () => {
    const task = { type: "order", payload: { holdMs: 900 }, delay: 2_000 };
    const bulk = Array.from({ length: BULK }, () => task);
    await Promise.all(nodes.map(({ client }) => client.scheduleMany(bulk)));
    const fromMonoMs = performance.now();
    await quiet(nodes[0]!);
    printFigures("findings: a burst", { tookMs: Math.round(performance.now() - fromMonoMs), told: watch.codes });
    await watch.look();
    expect(watch.codes.filter((code) => code !== "PLACES_TAKEN")).toEqual([]);
    expect(watch.codes.length).toBeLessThanOrEqual(1);
  });
});
