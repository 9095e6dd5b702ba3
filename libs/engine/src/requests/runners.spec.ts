import { expect, test } from "@jest/globals";
import { ManualClock } from "@tickwheel/testing";
import type { ClusterReport } from "./requests.js";
import { lastRunnerOf, placesOn, RecentReport, runnersIn } from "./runners.js";

const report = (given: object): ClusterReport => given as ClusterReport;

test("the places of a type are those of the nodes that run it", () => {
  const nodes = [
    { bootId: "1", label: "a", typeIds: [7] },
    { bootId: "2", label: "b", typeIds: [8] },
    { bootId: "3", label: "c", typeIds: [7, 8] },
  ];
  const runners = runnersIn({ nodes }, 7);
  const told = nodes.map(({ bootId }) => ({ bootId, inFlight: Number(bootId), places: 10 }));
  expect(runners).toEqual(["1", "3"]);
  expect(placesOn(runners, report({ nodes: told }))).toEqual({ count: 2, inUse: 4, places: 20, last: null });
});

test("the last node that ran a type is the newest of the nodes that are gone and took the type away", () => {
  const gone = (label: string, orphanedTypes: string[]) => ({ label, how: "DEAD", at: 5, orphanedTypes });
  const told = report({ gone: [gone("newest", ["mail"]), gone("newer", ["order"]), gone("old", ["order"])] });
  expect(lastRunnerOf("order", told)).toEqual({ node: "newer", how: "DEAD", at: 5 });
  expect([lastRunnerOf("other", told), lastRunnerOf("order", report({ gone: null }))]).toEqual([null, null]);
});

test("one recent report serves all callers within a second, and a failed read is not kept", async () => {
  const clock = new ManualClock();
  let reads = 0;
  const recent = new RecentReport(clock, () => {
    reads++;
    return reads === 2 ? Promise.reject(new Error("away")) : Promise.resolve(report({ view: reads }));
  });
  expect(await Promise.all([recent.get(), recent.get()])).toEqual([{ view: 1 }, { view: 1 }]);
  await clock.advance(1_000);
  await expect(recent.get()).rejects.toThrow("away");
  expect(await recent.get()).toEqual({ view: 3 });
});
