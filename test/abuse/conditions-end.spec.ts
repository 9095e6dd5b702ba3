import { afterAll, expect, test } from "@jest/globals";
import { type TestNode, TestStage } from "../support/cluster.js";
import { quiet } from "../support/cluster-view.js";
import { eventually, lasting } from "../support/eventually.js";
import { Ledger } from "../support/ledger.js";

/** Longer than it takes until a node fences itself, and until it is declared dead. */
const OUTAGE_MS = 9_000;
const TASKS = 120;

const stage = new TestStage();
afterAll(() => stage.stop());

test("no part of a node stays degraded after an outage that hit claims, late starts and settles, even when no work is left", async () => {
  const { databaseUrl, postgres } = await stage.services();
  const ledger = await stage.add(new Ledger(databaseUrl));
  await ledger.create();
  const module = { concurrency: 4 };
  const nodes = await stage.many(2, () => stage.app({ databaseUrl, types: ["order"], module }));
  for (let count = 0; count < TASKS; count++)
    await nodes[0]!.client.post("/v1/tasks", { type: "order", payload: { holdMs: 260 }, delay: 500, maxAttempts: 20 });
  await eventually(async () => expect((await ledger.starts()).length).toBeGreaterThan(10));
  await postgres.kill();
  await lasting(OUTAGE_MS);
  await postgres.restart();
  await eventually(() => quiet(nodes[0]!));
  for (const node of nodes) await eventually(() => expectNoneDegraded(node));
});

async function expectNoneDegraded({ client }: TestNode): Promise<void> {
  const { degraded } = await client.cluster();
  expect(degraded).toEqual([]);
}
