import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type TestNode, TestStage } from "../support/cluster.js";
import { quiet } from "../support/cluster-view.js";
import { eventually } from "../support/eventually.js";
import { tellTimes } from "../support/figures.js";
import { requirePromises } from "../support/broken-promise.js";
import { gatherEvidence, invariantsOf } from "../support/invariants.js";
import { latenessOf, Ledger } from "../support/ledger.js";

const P99_LIMIT_MS = 250;

const stage = new TestStage();
let apps: TestNode[];
let ledger: Ledger;

beforeAll(async () => {
  const { databaseUrl } = await stage.services();
  ledger = await stage.add(new Ledger(databaseUrl));
  await ledger.create();
  apps = await Promise.all(["invoice", "parcel"].map((type) => stage.app({ databaseUrl, types: [type] })));
});
afterAll(() => stage.stop());

describe("two applications with different types on one database, without Redis", () => {
  test("two applications with different types on one database run their tasks on time without Redis, also those made by the other", async () => {
    const reports = await eventually(async () => {
      const both = await Promise.all(apps.map(({ client }) => client.cluster()));
      for (const { view, nodes } of both) {
        expect(nodes.map(({ state, types }) => ({ state, types }))).toEqual(
          expect.arrayContaining([
            { state: "live", types: ["invoice"] },
            { state: "live", types: ["parcel"] },
          ]),
        );
        expect(view).toBe(both[0]!.view);
      }
      return both;
    });
    expect(reports.map(({ coordination }) => coordination)).toEqual(["postgres", "postgres"]);

    const loads = ["invoice", "parcel"].map((type) =>
      stage.load(apps, { type, perSecond: 40, delayMs: [100, 2_000], payload: { effect: true } }),
    );
    await eventually(() => {
      for (const load of loads) expect(load.acknowledged.size).toBeGreaterThan(240);
    });
    const acknowledged = (await Promise.all(loads.map((load) => load.stop()))).flat();
    await quiet(apps[0]!);

    const evidence = await gatherEvidence(acknowledged, { ledger, client: apps[0]!.client });
    for (const [index, type] of ["invoice", "parcel"].entries()) {
      const starts = evidence.starts.filter((start) => start.type === type);
      const lateness = latenessOf(starts);
      tellTimes("two applications without Redis", {
        [`tasks of ${type}, lateness, p99`]: { ms: lateness.p99, boundMs: P99_LIMIT_MS },
      });
      expect(new Set(starts.map(({ node }) => node))).toEqual(new Set([String(apps[index]!.pid)]));
    }
    requirePromises(invariantsOf(evidence));
  });
});
