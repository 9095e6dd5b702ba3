import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { Problem } from "../support/api-client.js";
import { type TestNode, TestStage } from "../support/cluster.js";
import { expectOneView, quiet } from "../support/cluster-view.js";
import { IS_WHOLE } from "../support/depth.js";
import { eventually, lasting } from "../support/eventually.js";
import { printFigures, summaryOf, tellTimes } from "../support/figures.js";
import { requirePromises } from "../support/broken-promise.js";
import { gatherEvidence, invariantsOf } from "../support/invariants.js";
import { firstStarts, Ledger } from "../support/ledger.js";
import { expectCounts } from "./count-accounts.js";
import type { OwnPostgres } from "../support/servers/own-postgres.js";

/** The latest start, after Postgres is back, of a task that was due during the outage. */
const RESUME_LIMIT_MS = 2_000;
/** Longer than the beats after which a silent node is declared dead. */
const LONG_OUTAGE_MS = 7_500;

const stage = new TestStage();
let nodes: TestNode[];
let ledger: Ledger;
let postgres: OwnPostgres;

beforeAll(async () => {
  const services = await stage.services({ redis: true });
  const { databaseUrl, redisUrl } = services;
  postgres = services.postgres;
  ledger = await stage.add(new Ledger(databaseUrl));
  await ledger.create();
  nodes = await stage.many(3, () => stage.app({ databaseUrl, redisUrl, types: ["order"] }));
  await eventually(() => expectOneView(nodes));
});
afterEach(() => stage.endLoads());
afterAll(() => stage.stop());

/** Every node that the cluster still knows, with its state. */
async function members(): Promise<string[]> {
  const report = await nodes[0]!.client.cluster();
  return report.nodes.map(({ bootId, state }) => `${bootId} ${state}`).sort();
}

async function expectRefused({ client }: TestNode): Promise<void> {
  const { status, headers, body } = await client.post<Problem>("/v1/tasks", { type: "order", payload: {} });
  expect({ status, code: body.code }).toEqual({ status: 503, code: "STORE_UNAVAILABLE" });
  expect(headers.get("content-type")).toContain("application/problem+json");
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
}

async function crashAndStayAway(): Promise<void> {
  await postgres.kill();
  await Promise.all(nodes.map((node) => eventually(() => expectRefused(node))));
  const ready = await nodes[0]!.client.get("/health/ready");
  expect(ready.status).toBe(503);
  await lasting(LONG_OUTAGE_MS);
  await postgres.restart();
}

describe("Postgres restarted under load", () => {
  test.each([
    ["in mode fast", () => postgres.restart({ mode: "fast" })],
    ["in mode immediate", () => postgres.restart({ mode: "immediate" })],
    ["after a crash and an outage in which every node was silent for longer than the dead are", crashAndStayAway],
  ])(
    "Postgres restarted, %s: nothing acknowledged is lost, no node is declared dead, work goes on as soon as it is back",
    async (name, restart) => {
      await eventually(() => expectOneView(nodes));
      const before = await members();
      const load = stage.load(nodes, {
        type: "order",
        perSecond: 90,
        delayMs: [100, 1_500],
        payload: { effect: true, holdMs: 10 },
        cancelEvery: 10,
      });
      await eventually(() => expect(load.acknowledged.size).toBeGreaterThan(100));

      const downAtMs = await ledger.now();
      await restart();
      const backAtMs = await eventually(() => ledger.serverStartedAt());
      const acknowledgedThen = load.acknowledged.size;
      await eventually(() => expect(load.acknowledged.size).toBeGreaterThan(acknowledgedThen + 60));

      const acknowledged = await load.stop();
      await quiet(nodes[0]!);
      const evidence = await gatherEvidence(acknowledged, { ledger, client: nodes[0]!.client });
      const meanwhile = firstStarts(evidence.starts).filter(
        ({ dueAtMs, atMs }) => dueAtMs >= downAtMs && dueAtMs < backAtMs + RESUME_LIMIT_MS && atMs >= backAtMs,
      );
      const resumedAfterMs = summaryOf(meanwhile.map(({ atMs, dueAtMs }) => atMs - Math.max(dueAtMs, backAtMs)));
      const outageMs = Math.round(backAtMs - downAtMs);
      const refusals = load.refusals.length;
      printFigures(`Postgres restarted ${name}`, { outageMs, resumedAfterMs, refusals, tasks: acknowledged.length });
      tellTimes(`Postgres restarted ${name}`, {
        "tasks due meanwhile start after it is back, worst": { ms: resumedAfterMs.max, boundMs: RESUME_LIMIT_MS },
      });

      expect(load.refusals.filter(({ status, retryAfter }) => status !== 503 || !(Number(retryAfter) > 0))).toEqual([]);
      expect(meanwhile.length).toBeGreaterThan(10);
      await eventually(async () => expect(await members()).toEqual(before));
      requirePromises(invariantsOf(evidence));
    },
  );
});

// Minutes in doubt are counted long after their end, so a sample does not wait for it.
if (IS_WHOLE)
  test("the counters of ended tasks equal the rows at the end, although Postgres is restarted", async () => {
    const { recounted, rows } = await expectCounts(ledger);
    printFigures("counters after a fault", { recounted, ended: rows.reduce((sum, each) => sum + each.succeeded, 0) });
    expect(recounted).toBeGreaterThan(0);
  });
