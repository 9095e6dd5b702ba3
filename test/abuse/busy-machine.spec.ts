import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "@jest/globals";
import { TestStage } from "../support/cluster.js";
import { quiet } from "../support/cluster-view.js";
import { depth } from "../support/depth.js";
import { lasting } from "../support/eventually.js";
import { requirePromises } from "../support/broken-promise.js";
import { gatherEvidence, invariantsOf } from "../support/invariants.js";
import { Ledger } from "../support/ledger.js";
import { NodeProcess } from "../support/node-process.js";

const BUSY_LOOPS = 8;
const NODES = 5;
const WATCHED_MS = depth({ sample: 12_000, whole: 30_000 });

const stage = new TestStage();
afterEach(() => stage.endLoads());
afterAll(() => stage.stop());

test("five nodes that start beside eight busy loops never fence themselves, and start nothing twice", async () => {
  const { databaseUrl, redisUrl } = await stage.services({ redis: true });
  const ledger = await stage.add(new Ledger(databaseUrl));
  await ledger.create();
  const first = await stage.app({ databaseUrl, redisUrl, types: ["order"] });
  const script = join(import.meta.dirname, "../support/busy-loops.mjs");
  const busy = new NodeProcess({ script, args: [String(BUSY_LOOPS)] });
  await stage.add({ stop: () => busy.kill() });
  const load = stage.load([first], { type: "order", perSecond: 20, delayMs: [100, 2_000], payload: { effect: true } });
  const more = await stage.many(NODES - 1, () => stage.app({ databaseUrl, redisUrl, types: ["order"] }));
  await lasting(WATCHED_MS);
  const acknowledged = await load.stop();
  await busy.kill();
  await quiet(first);
  expect(acknowledged.length).toBeGreaterThan(50);
  for (const node of [first, ...more]) expect(node.log()).not.toMatch(/no good beat for|was taken for dead/);
  requirePromises(invariantsOf(await gatherEvidence(acknowledged, { ledger, client: first.client })));
  const starts = await ledger.starts();
  expect(new Set(starts.map(({ taskId }) => taskId)).size).toBe(starts.length);
});
